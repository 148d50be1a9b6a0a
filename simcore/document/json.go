package document

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ParseJSON decodes JSON by RFC 8259. A duplicate member name in one object is a
// syntax error, as is an escape that spells half of a surrogate pair, because
// two different names could otherwise become one. A number that overflows the
// double range is a value that is not finite.
func ParseJSON(data []byte, name string) (Value, error) {
	data, err := plainText(data, name)
	if err != nil {
		return Value{}, err
	}
	p := jsonParser{text: string(data), name: name, line: 1}
	p.space()
	v, err := p.value(1)
	if err != nil {
		return Value{}, err
	}
	p.space()
	if p.at < len(p.text) {
		return Value{}, p.fail("expected the end of the file after the value")
	}
	return v, nil
}

// jsonParser reads text from at; line starts at byte lineStart. Children of open
// lists and objects wait on the two stacks until their number is known.
type jsonParser struct {
	text            string
	name            string
	at              int
	line, lineStart int
	items           []Value
	keys            []string
	room            room
}

// close moves the items and member names that wait above the two bases into room
// of their own.
func (p *jsonParser) close(base int, names []string) *children {
	waiting := p.items[base:]
	items := p.room.values(len(waiting))
	copy(items, waiting)
	p.items = p.items[:base]
	return p.room.children(items, names)
}

func (p *jsonParser) fail(format string, args ...any) error {
	return refuse(p.name, p.line, p.at-p.lineStart+1, format, args...)
}

// unexpected refuses what stands at the current byte.
func (p *jsonParser) unexpected(wanted string) error {
	if p.at >= len(p.text) {
		return p.fail("the file ends where %s is expected", wanted)
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return p.fail("expected %s, found %q", wanted, r)
}

func (p *jsonParser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case '\n':
			p.at++
			p.line, p.lineStart = p.line+1, p.at
		case ' ', '\t', '\r':
			p.at++
		default:
			return
		}
	}
}

// value reads any value. It returns values instead of filling them in, so that
// none of them needs a place of its own on the heap.
func (p *jsonParser) value(depth int) (v Value, err error) {
	if depth > MaxDepth {
		return v, p.fail("nested deeper than %d levels", MaxDepth)
	}
	if p.at >= len(p.text) {
		return v, p.unexpected("a value")
	}
	v.at(p.line, p.at-p.lineStart+1)
	switch c := p.text[p.at]; {
	case c == '{':
		v.is(Object)
		v.inside, err = p.object(depth)
	case c == '[':
		v.is(List)
		v.inside, err = p.list(depth)
	case c == '"':
		v.is(String)
		v.text, err = p.str()
	case c == '-' || isDigit(c):
		v.is(Number)
		v.text, v.number, err = p.numberLiteral()
	case strings.HasPrefix(p.text[p.at:], "null"):
		v.is(Null)
		v.text = "null"
		p.at += len(v.text)
	case strings.HasPrefix(p.text[p.at:], "true"):
		v.is(Bool)
		v.text = "true"
		p.at += len(v.text)
	case strings.HasPrefix(p.text[p.at:], "false"):
		v.is(Bool)
		v.text = "false"
		p.at += len(v.text)
	default:
		err = p.unexpected("a value")
	}
	return v, err
}

func (p *jsonParser) list(depth int) (*children, error) {
	p.at++ // [
	p.space()
	if p.at < len(p.text) && p.text[p.at] == ']' {
		p.at++
		return nil, nil
	}
	base := len(p.items)
	for more := true; more; {
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		p.items = append(p.items, item)
		if more, err = p.next(']'); err != nil {
			return nil, err
		}
	}
	return p.close(base, nil), nil
}

func (p *jsonParser) object(depth int) (*children, error) {
	p.at++ // {
	p.space()
	if p.at < len(p.text) && p.text[p.at] == '}' {
		p.at++
		return nil, nil
	}
	base, keyBase := len(p.items), len(p.keys)
	var known keySet
	for more := true; more; {
		key, err := p.memberName(p.keys[keyBase:], &known)
		if err != nil {
			return nil, err
		}
		p.keys = append(p.keys, key)
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		p.items = append(p.items, item)
		if more, err = p.next('}'); err != nil {
			return nil, err
		}
	}
	inside := p.close(base, p.room.shape(p.keys[keyBase:]))
	p.keys = p.keys[:keyBase]
	return inside, nil
}

// memberName reads `"name" :` and leaves the parser at the member's value.
func (p *jsonParser) memberName(earlier []string, names *keySet) (string, error) {
	if p.at >= len(p.text) || p.text[p.at] != '"' {
		return "", p.unexpected("a member name in double quotes")
	}
	start := p.at
	key, err := p.str()
	if err != nil {
		return "", err
	}
	if names.seen(earlier, key) {
		p.at = start
		return "", p.fail("duplicate member name %q", shorten(key))
	}
	p.space()
	if p.at >= len(p.text) || p.text[p.at] != ':' {
		return "", p.unexpected("a colon")
	}
	p.at++
	p.space()
	return key, nil
}

// next moves past a comma (true) or the closing bracket (false).
func (p *jsonParser) next(closing byte) (bool, error) {
	p.space()
	if p.at < len(p.text) {
		switch p.text[p.at] {
		case closing:
			p.at++
			return false, nil
		case ',':
			p.at++
			p.space()
			return true, nil
		}
	}
	return false, p.unexpected("a comma or " + strconv.QuoteRune(rune(closing)))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits moves past decimal digits and reports whether there was one.
func (p *jsonParser) digits() bool {
	start := p.at
	for p.at < len(p.text) && isDigit(p.text[p.at]) {
		p.at++
	}
	return p.at > start
}

// numberLiteral reads a number and gives its text and its double.
func (p *jsonParser) numberLiteral() (string, float64, error) {
	start := p.at
	if p.text[p.at] == '-' {
		p.at++
	}
	lead := p.at
	if !p.digits() {
		return "", 0, p.unexpected("a digit")
	}
	if p.text[lead] == '0' && p.at > lead+1 {
		p.at = lead + 1
		return "", 0, p.fail("a number has no leading zeros")
	}
	whole := true
	if p.at < len(p.text) && p.text[p.at] == '.' {
		whole = false
		p.at++
		if !p.digits() {
			return "", 0, p.unexpected("a digit")
		}
	}
	if p.at < len(p.text) && p.text[p.at]|0x20 == 'e' {
		whole = false
		p.at++
		if p.at < len(p.text) && (p.text[p.at] == '+' || p.text[p.at] == '-') {
			p.at++
		}
		if !p.digits() {
			return "", 0, p.unexpected("a digit")
		}
	}
	text := p.text[start:p.at]
	return text, decimal(text, whole), nil
}

// decimal is the double of a decimal literal; beyond the range it is infinite.
// Negative zero counts as zero.
func decimal(text string, whole bool) float64 {
	if whole && len(text) <= 15 {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return float64(i)
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	if f == 0 {
		return 0
	}
	return f
}

// str reads a string in double quotes.
func (p *jsonParser) str() (string, error) {
	p.at++ // "
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			s := p.text[start:p.at]
			p.at++
			return s, nil
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			return "", p.fail("a control character (U+%04X) stands in a string without an escape", c)
		}
		p.at++
	}
	return "", p.fail("the file ends within a string")
}

// escaped reads the rest of a string that holds an escape at the current byte.
func (p *jsonParser) escaped(start int) (string, error) {
	var b strings.Builder
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			b.WriteString(p.text[start:p.at])
			p.at++
			return b.String(), nil
		case c == '\\':
			b.WriteString(p.text[start:p.at])
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
			start = p.at
		case c < 0x20:
			return "", p.fail("a control character (U+%04X) stands in a string without an escape", c)
		default:
			p.at++
		}
	}
	return "", p.fail("the file ends within a string")
}

// escape reads one escape sequence.
func (p *jsonParser) escape() (rune, error) {
	if p.at+1 >= len(p.text) {
		p.at++
		return 0, p.fail("the file ends within a string")
	}
	const letters, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	c := p.text[p.at+1]
	if i := strings.IndexByte(letters, c); i >= 0 {
		p.at += 2
		return rune(meanings[i]), nil
	}
	unit, ok := p.unit(p.at)
	if !ok {
		return 0, p.fail("a string holds an escape that JSON does not have")
	}
	if !utf16.IsSurrogate(unit) {
		p.at += 6
		return unit, nil
	}
	if second, ok := p.unit(p.at + 6); ok {
		if r := utf16.DecodeRune(unit, second); r != utf8.RuneError {
			p.at += 12
			return r, nil
		}
	}
	return 0, p.fail("an escape spells half of a surrogate pair, which is no character")
}

// unit reads \uXXXX at byte i.
func (p *jsonParser) unit(i int) (rune, bool) {
	if i+6 > len(p.text) || p.text[i] != '\\' || p.text[i+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(p.text[i+2 : i+6]) {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// keySet finds repeated member names: by looking through short objects and by a
// map in long ones.
type keySet struct{ many map[string]struct{} }

// seen reports whether key is among the earlier names, and remembers it.
func (s *keySet) seen(earlier []string, key string) bool {
	const few = 24
	if len(earlier) < few {
		for _, k := range earlier {
			if k == key {
				return true
			}
		}
		return false
	}
	if s.many == nil {
		s.many = make(map[string]struct{}, 4*few)
		for _, k := range earlier {
			s.many[k] = struct{}{}
		}
	}
	if _, dup := s.many[key]; dup {
		return true
	}
	s.many[key] = struct{}{}
	return false
}
