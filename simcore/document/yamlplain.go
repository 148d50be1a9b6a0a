package document

import "strings"

// plainYAML reads the YAML that this product writes, and most of what people write:
// block mappings and lists, flow collections on one line, plain and double-quoted
// scalars without escapes, comments on lines of their own, nothing beyond ASCII. It
// gives up, without saying why, on everything else and on everything that is wrong,
// and leaves those texts to the YAML library. What it accepts it reads exactly as
// the library's tree is read, places included (FuzzYAML compares the two): it only
// makes large files five times as fast to open.
func plainYAML(data []byte) (Value, bool) {
	for _, c := range data {
		if c != '\n' && (c < 0x20 || c > 0x7E) {
			return Value{}, false
		}
	}
	p := plainParser{text: string(data)}
	p.advance()
	if p.indent < 0 {
		return Value{}, false
	}
	v, ok := p.block(1)
	return v, ok && p.indent < 0
}

// plainParser stands at the content of a line, or at a later column of it.
type plainParser struct {
	text   string
	line   int // 1-based
	start  int // of the line
	end    int // of the line's content, blanks behind it left out
	at     int // between start and end
	indent int // columns before the line's content; -1 at the end of the text
	next   int // start of the line after

	room  room
	items []Value // of the open collections
	keys  []string
}

// advance moves to the next line that holds more than blanks or a comment.
func (p *plainParser) advance() {
	for p.next < len(p.text) {
		p.start, p.line = p.next, p.line+1
		p.end = len(p.text)
		if i := strings.IndexByte(p.text[p.start:], '\n'); i >= 0 {
			p.end = p.start + i
		}
		p.next = p.end + 1
		for p.end > p.start && p.text[p.end-1] == ' ' {
			p.end--
		}
		p.at = p.start
		for p.at < p.end && p.text[p.at] == ' ' {
			p.at++
		}
		if p.at < p.end && p.text[p.at] != '#' {
			p.indent = p.at - p.start
			return
		}
	}
	p.indent = -1
}

// column is the 0-based place in the line.
func (p *plainParser) column() int { return p.at - p.start }

// rest is what is left of the line.
func (p *plainParser) rest() string { return p.text[p.at:p.end] }

// dash reports whether the line is an element of a block list. A dash without
// anything behind it is left to the library.
func (p *plainParser) dash() bool { return strings.HasPrefix(p.rest(), "- ") }

// block reads the block collection that begins at the current place. Values are
// returned and not filled in, so that none of them needs a place on the heap.
func (p *plainParser) block(depth int) (v Value, ok bool) {
	if depth > MaxDepth {
		return v, false
	}
	v.at(p.line, p.column()+1)
	if p.dash() {
		v.is(List)
		v.inside, ok = p.list(depth)
		return v, ok
	}
	v.is(Object)
	v.inside, ok = p.mapping(depth)
	return v, ok
}

func (p *plainParser) list(depth int) (*children, bool) {
	indent, base := p.column(), len(p.items)
	for p.indent == indent && p.dash() {
		p.at++
		p.blanks()
		item, ok := p.element(depth + 1)
		if !ok {
			return nil, false
		}
		p.items = append(p.items, item)
	}
	return p.close(base, nil), p.indent <= indent
}

// element reads what follows a dash.
func (p *plainParser) element(depth int) (Value, bool) {
	if p.dash() {
		return Value{}, false
	}
	if _, isKey := p.keyLength(); isKey {
		p.indent = p.column() // the members that follow stand below the first
		return p.block(depth)
	}
	return p.inline(depth)
}

func (p *plainParser) mapping(depth int) (*children, bool) {
	indent, base, keyBase := p.column(), len(p.items), len(p.keys)
	var known keySet
	for p.indent == indent && !p.dash() {
		if !p.key(keyBase, &known) {
			return nil, false
		}
		item, ok := p.member(indent, depth+1)
		if !ok {
			return nil, false
		}
		p.items = append(p.items, item)
	}
	return p.close(base, p.names(keyBase)), p.indent <= indent
}

// member reads what follows a key and its colon. A list may stand at the indent of
// the key; a member without a value is left to the library.
func (p *plainParser) member(indent, depth int) (Value, bool) {
	if p.at < p.end {
		return p.inline(depth)
	}
	p.advance()
	if p.indent > indent || p.indent == indent && p.dash() {
		return p.block(depth)
	}
	return Value{}, false
}

// inline reads a value that ends with its line, and moves on to the next line.
func (p *plainParser) inline(depth int) (Value, bool) {
	v, ok := p.flow(depth, false)
	if !ok || p.at != p.end {
		return v, false
	}
	p.advance()
	return v, true
}

// close gives a collection the items that wait above base.
func (p *plainParser) close(base int, names []string) *children {
	items := p.room.values(len(p.items) - base)
	copy(items, p.items[base:])
	p.items = p.items[:base]
	return p.room.children(items, names)
}

// names gives an object the keys that wait above base.
func (p *plainParser) names(base int) []string {
	names := p.room.shape(p.keys[base:])
	p.keys = p.keys[:base]
	return names
}

func (p *plainParser) blanks() {
	for p.at < p.end && p.text[p.at] == ' ' {
		p.at++
	}
}

// keyLength measures the key at the current place of a block: a word or a quoted
// text before a colon that ends the line or has a blank behind it.
func (p *plainParser) keyLength() (int, bool) {
	s := p.rest()
	n := 0
	if s != "" && s[0] == '"' {
		if n = quotedLength(s); n == 0 {
			return 0, false
		}
	} else {
		if s == "" || !isLetter(s[0]) && !isDigit(s[0]) {
			return 0, false
		}
		for n < len(s) && isPlainByte(s[n]) && (s[n] != ':' || n+1 < len(s) && s[n+1] != ' ') {
			n++
		}
	}
	if n > longestKey || n >= len(s) || s[n] != ':' || n+1 < len(s) && s[n+1] != ' ' {
		return 0, false
	}
	return n, true
}

// key reads a key and its colon into the keys of the open collections.
func (p *plainParser) key(base int, known *keySet) bool {
	n, isKey := p.keyLength()
	if !isKey {
		return false
	}
	key := strings.Trim(p.text[p.at:p.at+n], `"`)
	if known.seen(p.keys[base:], key) {
		return false
	}
	p.keys = append(p.keys, key)
	p.at += n + 1
	p.blanks()
	return true
}

// quotedLength measures a text in double quotes without escapes, quotes included;
// 0: there is none.
func quotedLength(s string) int {
	i := strings.IndexAny(s[1:], `"\`)
	if i < 0 || s[1+i] == '\\' {
		return 0
	}
	return i + 2
}

// isPlainByte are the bytes of words: they mean nothing else wherever they stand in
// one, but for a colon before a blank.
func isPlainByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '.' || c == '-' || c == '/' || c == ':' || c == '+'
}

// flow reads a scalar or a flow collection; nested says that it stands in another.
func (p *plainParser) flow(depth int, nested bool) (v Value, ok bool) {
	if depth > MaxDepth || p.at >= p.end {
		return v, false
	}
	v.at(p.line, p.column()+1)
	switch p.text[p.at] {
	case '[':
		v.is(List)
		v.inside, ok = p.flowList(depth)
		return v, ok
	case '{':
		v.is(Object)
		v.inside, ok = p.flowObject(depth)
		return v, ok
	case '"':
		n := quotedLength(p.rest())
		if n == 0 {
			return v, false
		}
		v.is(String)
		v.text = p.text[p.at+1 : p.at+n-1]
		p.at += n
		return v, true
	}
	n := plainLength(p.rest(), nested)
	if n == 0 {
		return v, false
	}
	resolve(&v, p.text[p.at:p.at+n])
	p.at += n
	return v, true
}

// plainLength measures a plain scalar; 0: there is none that is read here. Words in
// a row are one scalar in a block.
func plainLength(s string, nested bool) int {
	if c := s[0]; !isLetter(c) && !isDigit(c) && c != '.' && (c != '-' && c != '+' || len(s) < 2 || !isDigit(s[1]) && s[1] != '.') {
		return 0
	}
	n := 0
	for n < len(s) && (isPlainByte(s[n]) || s[n] == ' ' && !nested) {
		if s[n] == ':' && (n+1 == len(s) || !isLetter(s[n+1]) && !isDigit(s[n+1])) {
			return 0
		}
		n++
	}
	return n
}

// opened moves into a flow collection and reports whether it holds anything.
func (p *plainParser) opened(closing byte) bool {
	p.at++
	p.blanks()
	if p.at < p.end && p.text[p.at] == closing {
		p.at++
		return false
	}
	return true
}

// separator moves past a comma (true) or the closing bracket (false).
func (p *plainParser) separator(closing byte) (more, ok bool) {
	p.blanks()
	if p.at >= p.end {
		return false, false
	}
	c := p.text[p.at]
	p.at++
	if c != ',' {
		return false, c == closing
	}
	p.blanks()
	return true, true
}

func (p *plainParser) flowList(depth int) (*children, bool) {
	base := len(p.items)
	for more := p.opened(']'); more; {
		item, ok := p.flow(depth+1, true)
		if !ok {
			return nil, false
		}
		p.items = append(p.items, item)
		if more, ok = p.separator(']'); !ok {
			return nil, false
		}
	}
	return p.close(base, nil), true
}

func (p *plainParser) flowObject(depth int) (*children, bool) {
	base, keyBase := len(p.items), len(p.keys)
	var known keySet
	for more := p.opened('}'); more; {
		if !p.key(keyBase, &known) {
			return nil, false
		}
		item, ok := p.flow(depth+1, true)
		if !ok {
			return nil, false
		}
		p.items = append(p.items, item)
		if more, ok = p.separator('}'); !ok {
			return nil, false
		}
	}
	return p.close(base, p.names(keyBase)), true
}
