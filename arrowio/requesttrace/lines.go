package requesttrace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// maxLine bounds one line of JSON; a longer one is refused instead of growing
// memory without end. Mooncake lines carry hundreds of block hashes.
const maxLine = 16 << 20

// member is one key of a JSON object with the raw text of its value.
type member struct {
	key   string
	value cell
}

// lineLayout turns the members of one object into a row.
type lineLayout func(c *collector, line int, members []member) (row, error)

// readLines reads JSON Lines until the end or the limit. Empty lines are skipped.
func (c *collector) readLines(r io.Reader, read lineLayout) error {
	sc := bufio.NewScanner(skipMark(r))
	sc.Buffer(make([]byte, 64<<10), maxLine)
	line := 0
	for !c.full() && sc.Scan() {
		line++
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		if at := invalidUTF8(sc.Bytes()); at >= 0 {
			return c.fail("trace_syntax", place{line, at + 1}, "holds bytes that are no UTF-8")
		}
		members, err := c.object(sc.Bytes(), line)
		if err != nil {
			return err
		}
		row, err := read(c, line, members)
		if err != nil {
			return err
		}
		if err := c.add(row); err != nil {
			return err
		}
	}
	if errors.Is(sc.Err(), bufio.ErrTooLong) {
		return c.fail("trace_syntax", place{line + 1, 1}, "line is longer than %d bytes", maxLine)
	}
	return sc.Err()
}

// object splits one line into its members.
func (c *collector) object(line []byte, number int) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	fail := func(err error) error {
		at := int(dec.InputOffset()) + 1
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = max(int(syntax.Offset), 1)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = errors.New("line ends within the object")
		}
		return c.fail("trace_syntax", place{number, at}, "%v", err)
	}
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		if err == nil {
			err = errors.New("expected a JSON object")
		}
		return nil, fail(err)
	}
	var members []member
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fail(err)
		}
		name, _ := key.(string)
		if seen[name] {
			return nil, fail(errors.New("key " + quote(name) + " appears twice"))
		}
		seen[name] = true
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fail(err)
		}
		at := int(dec.InputOffset()) - len(raw) + 1
		members = append(members, member{name, cell{string(raw), place{number, at}}})
	}
	if _, err := dec.Token(); err != nil {
		return nil, fail(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fail(errors.New("text after the object"))
	}
	return members, nil
}

// mooncakeLayout reads timestamp (ms), input_length and output_length; the block
// hashes and whatever else a line carries are not part of the workload.
func mooncakeLayout(c *collector, line int, members []member) (row, error) {
	arrival, err := c.member(members, line, "timestamp")
	if err != nil {
		return row{}, err
	}
	r := row{at: place{line, 1}, arrivalAt: arrival.at}
	if r.prompt, err = c.member(members, line, "input_length"); err != nil {
		return row{}, err
	}
	if r.output, err = c.member(members, line, "output_length"); err != nil {
		return row{}, err
	}
	ns, ok := parseDecimal(arrival.text, timeUnits["arrival_ms"])
	if !ok {
		return row{}, c.fail("trace_time", arrival.at, "timestamp is %s; expected a non-negative decimal number of milliseconds", quote(arrival.text))
	}
	r.arrival = instant{ns / nsPerSecond, ns % nsPerSecond}
	return r, nil
}

// lineLayout reads mapped columns; unknown keys are warned of once each.
func (c *collector) lineLayout() lineLayout {
	cols, warned := mapColumns(c.opt.Columns), map[string]bool{}
	return func(c *collector, line int, members []member) (row, error) {
		cols := cols
		if err := cols.chooseUnit(func(name string) bool { return find(members, name) != nil }); err != nil {
			return row{}, c.fail("trace_header", place{line, 1}, "%v", err)
		}
		r := row{at: place{line, 1}}
		for i := range members {
			if _, known := cols.role[members[i].key]; !known && !warned[members[i].key] {
				warned[members[i].key] = true
				c.warnUnknown(members[i].value.at, members[i].key)
			}
		}
		arrival := find(members, cols.name[cols.unit])
		var err error
		if r.arrival, err = c.decimalArrival(*arrival, cols.unit); err != nil {
			return row{}, err
		}
		r.arrivalAt = arrival.at
		if r.prompt, err = c.member(members, line, cols.name["prompt_tokens"]); err != nil {
			return row{}, err
		}
		if r.output, err = c.member(members, line, cols.name["output_tokens"]); err != nil {
			return row{}, err
		}
		r.priority = find(members, cols.name["priority"])
		r.id, err = c.text(find(members, cols.name["id"]))
		return r, err
	}
}

func find(members []member, key string) *cell {
	for i := range members {
		if members[i].key == key {
			return &members[i].value
		}
	}
	return nil
}

// member finds a required key.
func (c *collector) member(members []member, line int, key string) (cell, error) {
	if v := find(members, key); v != nil {
		return *v, nil
	}
	return cell{}, c.fail("trace_header", place{line, 1}, "has no key %s", quote(key))
}

// text unquotes a JSON string; nil stays nil.
func (c *collector) text(v *cell) (*cell, error) {
	if v == nil {
		return nil, nil
	}
	var s string
	if err := json.Unmarshal([]byte(v.text), &s); err != nil || v.text == "null" {
		return nil, c.fail("trace_id", v.at, "id is %s; expected a text", quote(v.text))
	}
	if strings.Count(s, unreadable) > strings.Count(v.text, unreadable)+strings.Count(strings.ToLower(v.text), `\ufffd`) {
		return nil, c.fail("trace_id", v.at, "id is %s; expected whole characters, found half a surrogate pair", quote(v.text))
	}
	return &cell{s, v.at}, nil
}

// unreadable is what decoders put where they find no character.
const unreadable = "\uFFFD"

// invalidUTF8 is the offset of the first byte that is no UTF-8, or -1.
func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
