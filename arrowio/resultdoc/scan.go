package resultdoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	jsontree "github.com/inferlab/inferlab/simcore/document"
)

// scanner reads JSON values one after the other from a stream. It holds no more of
// the text than the value that is being read, and what it returns is valid until the
// next call. Its errors do not say where; offset does.
type scanner struct {
	in     io.Reader
	buf    []byte
	at     int   // next byte in buf
	passed int64 // bytes before buf
	failed error // of the reader; io.EOF at the end of the text

	words map[string]string // texts that were seen, each once
}

// scanBuffer is the size of the reads.
const scanBuffer = 64 << 10

func newScanner(in io.Reader) *scanner {
	return &scanner{in: in, buf: make([]byte, 0, scanBuffer), words: map[string]string{}}
}

// offset is the number of bytes read.
func (s *scanner) offset() int64 { return s.passed + int64(s.at) }

// fill reads more behind what is not read yet; false at the end or on an error.
func (s *scanner) fill() bool {
	if s.failed != nil {
		return false
	}
	s.passed += int64(s.at)
	s.buf = s.buf[:copy(s.buf, s.buf[s.at:])]
	s.at = 0
	if len(s.buf) == cap(s.buf) {
		s.buf = append(make([]byte, 0, 2*cap(s.buf)), s.buf...)
	}
	for range 100 {
		n, err := s.in.Read(s.buf[len(s.buf):cap(s.buf)])
		if s.buf, s.failed = s.buf[:len(s.buf)+n], err; n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	s.failed = io.ErrNoProgress
	return false
}

// end is the error at the end of what could be read.
func (s *scanner) end() error {
	if errors.Is(s.failed, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return s.failed
}

// peek returns the first byte that is no white space, and leaves it.
func (s *scanner) peek() (byte, error) {
	for {
		for i, c := range s.buf[s.at:] {
			if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
				s.at += i
				return c, nil
			}
		}
		s.at = len(s.buf)
		if !s.fill() {
			return 0, s.end()
		}
	}
}

// expect reads one punctuation mark.
func (s *scanner) expect(mark byte) error {
	c, err := s.peek()
	if err == nil && c != mark {
		err = fmt.Errorf("found %q, expected %q", c, mark)
	}
	if err == nil {
		s.at++
	}
	return err
}

// members reads an object: member is called at the value of each key, and reads it.
func (s *scanner) members(member func(key []byte) error) error {
	return s.series('{', '}', func() error {
		key, err := s.text()
		if err != nil {
			return err
		}
		// The colon nearly always follows at once, and the key is needed behind it.
		if s.at < len(s.buf) && s.buf[s.at] == ':' {
			s.at++
		} else {
			key = append([]byte(nil), key...)
			if err := s.expect(':'); err != nil {
				return err
			}
		}
		return member(key)
	})
}

// elements reads an array: element is called at each value, and reads it.
func (s *scanner) elements(element func() error) error { return s.series('[', ']', element) }

func (s *scanner) series(opening, closing byte, each func() error) error {
	if err := s.expect(opening); err != nil {
		return err
	}
	for first := true; ; first = false {
		c, err := s.peek()
		if err != nil {
			return err
		}
		if c == closing {
			if !first {
				return fmt.Errorf("found %q after a comma", c)
			}
			s.at++
			return nil
		}
		if err := each(); err != nil {
			return err
		}
		if c, err = s.peek(); err != nil {
			return err
		}
		s.at++
		switch c {
		case ',':
		case closing:
			return nil
		default:
			return fmt.Errorf("found %q, expected a comma or %q", c, closing)
		}
	}
}

// text reads a string.
func (s *scanner) text() ([]byte, error) {
	if c, err := s.peek(); err != nil || c != '"' {
		if err == nil {
			err = fmt.Errorf("found %q, expected a string", c)
		}
		return nil, err
	}
	plain := true
	for i := s.at + 1; ; i++ {
		if i == len(s.buf) {
			n := i - s.at
			if !s.fill() {
				return nil, s.end()
			}
			i = s.at + n
		}
		switch c := s.buf[i]; {
		case c == '"':
			token := s.buf[s.at : i+1]
			s.at = i + 1
			if plain {
				return token[1 : len(token)-1], nil
			}
			var text string
			err := json.Unmarshal(token, &text)
			return []byte(text), err
		case c == '\\':
			plain = false
			if i++; i == len(s.buf) { // the escaped byte, which may be a quote
				n := i - s.at
				if !s.fill() {
					return nil, s.end()
				}
				i = s.at + n
			}
		case c < ' ':
			return nil, fmt.Errorf("found %q in a string", c)
		case c >= 0x80:
			plain = false // may not be UTF-8
		}
	}
}

// word reads a string of which there are few.
func (s *scanner) word(into *string) error {
	text, err := s.text()
	if err != nil {
		return err
	}
	word, seen := s.words[string(text)]
	if !seen {
		word = string(text)
		s.words[word] = word
	}
	*into = word
	return nil
}

// integer reads a number without fraction and exponent.
func (s *scanner) integer(into *int64) error {
	c, err := s.peek()
	if err != nil {
		return err
	}
	negative, n := c == '-', 0
	if negative {
		n = 1
	}
	var value uint64
	first := n
	for ; ; n++ {
		if s.at+n == len(s.buf) && !s.fill() {
			break // the end of the text, where the caller misses its closing mark
		}
		c := s.buf[s.at+n]
		if c < '0' || c > '9' {
			if c == '.' || c == 'e' || c == 'E' || n == first {
				return fmt.Errorf("found %q, expected an integer", s.buf[s.at:s.at+n+1])
			}
			break
		}
		if value > math.MaxInt64/10 || n > first && value == 0 {
			return fmt.Errorf("found %q, expected an integer of 64 bits without leading zeros", s.buf[s.at:s.at+n+1])
		}
		value = value*10 + uint64(c-'0')
	}
	if value > math.MaxInt64 || n == first {
		return fmt.Errorf("found %q, expected an integer of 64 bits", s.buf[s.at:s.at+n])
	}
	s.at += n
	if *into = int64(value); negative {
		*into = -int64(value)
	}
	return nil
}

// value decodes any value, which is held in memory as a whole.
func (s *scanner) value(into any) error {
	text, err := s.raw()
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// skip reads over a value.
func (s *scanner) skip() error { return s.skipAt(0) }

func (s *scanner) skipAt(depth int) error {
	c, err := s.peek()
	switch {
	case err != nil:
		return err
	case depth == jsontree.MaxDepth:
		return fmt.Errorf("values are nested deeper than %d", depth)
	case c == '{':
		return s.members(func([]byte) error { return s.skipAt(depth + 1) })
	case c == '[':
		return s.elements(func() error { return s.skipAt(depth + 1) })
	case c == '"':
		_, err := s.text()
		return err
	}
	var number int64
	if s.integer(&number) == nil { // nearly all are
		return nil
	}
	text, err := s.raw() // another number, or a word
	if err == nil && !json.Valid(text) {
		err = fmt.Errorf("found %q, expected a value", text)
	}
	return err
}

// raw is the text of the next value. It ends where its brackets are closed; what is
// between them is not looked at.
func (s *scanner) raw() ([]byte, error) {
	if _, err := s.peek(); err != nil {
		return nil, err
	}
	depth, quoted := 0, false
	for i := s.at; ; i++ {
		if i == len(s.buf) {
			n := i - s.at
			if !s.fill() {
				return nil, s.end()
			}
			i = s.at + n
		}
		c := s.buf[i]
		ends := false
		switch {
		case quoted && c == '\\':
			if i++; i == len(s.buf) {
				n := i - s.at
				if !s.fill() {
					return nil, s.end()
				}
				i = s.at + n
			}
			continue
		case c == '"':
			quoted = !quoted
			ends = !quoted && depth == 0
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth == 0 {
				return s.take(i), nil // the end of what holds a number or a word
			}
			depth--
			ends = depth == 0
		case depth == 0 && (c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t'):
			return s.take(i), nil
		}
		if ends {
			return s.take(i + 1), nil
		}
	}
}

// take reads up to an index of the buffer.
func (s *scanner) take(to int) []byte {
	text := s.buf[s.at:to]
	s.at = to
	return text
}
