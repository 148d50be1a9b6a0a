package document

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/inferlab/inferlab/simcore/issue"
)

// maxAliased bounds the values that resolving aliases may make, so that a short
// file cannot unfold into a huge tree.
const maxAliased = 1_000_000

// ParseYAML decodes one YAML 1.2 document with the core schema (contract 02
// section 2). Refused are duplicate keys, a second document, an alias without an
// anchor or to a value that holds it, tab indentation, keys that are not scalars
// and tags outside the core schema. A merge key has no meaning of its own.
func ParseYAML(data []byte, name string) (Value, error) {
	data, err := plainText(data, name)
	if err != nil {
		return Value{}, err
	}
	if v, ok := plainYAML(data); ok {
		return v, nil
	}
	return libraryYAML(data, name)
}

// libraryYAML reads a text through the YAML library.
func libraryYAML(data []byte, name string) (Value, error) {
	data, breaks, err := hideOldBreaks(data, name)
	if err != nil {
		return Value{}, err
	}
	root, err := yamlNode(withoutVersion(data), name)
	if err != nil {
		return Value{}, explainTab(err, data)
	}
	if root == nil { // nothing but white space and comments
		v := Value{}
		v.at(1, 1)
		return v, nil
	}
	breaks.restore(root)
	p := yamlParser{name: name, budget: maxAliased}
	if bytes.IndexByte(data, '\t') >= 0 {
		p.lines = bytes.Split(data, []byte("\n"))
	}
	var v Value
	err = p.value(&v, root, 1)
	return v, err
}

// withoutVersion turns a %YAML 1.x directive before the document into a comment
// of the same length: the scanner knows only version 1.1, while the texts that
// both versions read are resolved here by the rules of 1.2.
func withoutVersion(data []byte) []byte {
	for at := 0; at < len(data); {
		end := bytes.IndexByte(data[at:], '\n') + 1
		if end == 0 {
			end = len(data) - at
		}
		line := bytes.TrimRight(data[at:at+end], " \t\r\n")
		if len(line) > 0 && line[0] != '#' && line[0] != '%' {
			break
		}
		if bytes.Equal(line, []byte("%YAML 1.2")) {
			data = bytes.Clone(data)
			data[at] = '#'
			break
		}
		at += end
	}
	return data
}

// explainTab says what is wrong with a line that the scanner refused because of a
// tab before its first character.
func explainTab(err error, data []byte) error {
	var e *issue.Error
	if !errors.As(err, &e) {
		return err
	}
	parts := strings.Split(e.Path, ":")
	if len(parts) < 3 {
		return err
	}
	n, _ := strconv.Atoi(parts[len(parts)-2])
	lines := bytes.SplitN(data, []byte("\n"), max(n+1, 1))
	if n < 1 || n > len(lines) || !bytes.HasPrefix(bytes.TrimLeft(lines[n-1], " "), []byte("\t")) {
		return err
	}
	e.Message = "a tab is used for indentation (" + e.Message + ")"
	return e
}

// yamlNode reads the node tree of the only document, nil for an empty stream.
func yamlNode(data []byte, name string) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			// The scanner gives up on some broken texts by a run-time panic.
			root, err = nil, refuse(name, 0, 0, "the YAML text is broken beyond the scanner's reach: %v", r)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := d.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, yamlError(name, err)
	}
	switch err := d.Decode(&second); {
	case err == nil:
		return nil, refuse(name, second.Line, max(second.Column, 1), "the file holds more than one YAML document")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(name, err)
	}
	return doc.Content[0], nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlError carries the line of the library's message into the path.
func yamlError(name string, err error) error {
	text := err.Error()
	m := yamlLine.FindStringSubmatch(text)
	message := strings.TrimPrefix(text, "yaml: ")
	line := 0
	if m != nil {
		message = text[len(m[0]):]
		line, _ = strconv.Atoi(m[1])
	}
	return refuse(name, line, 1, "YAML: %s", message)
}

// yamlParser turns nodes into values.
type yamlParser struct {
	name   string
	lines  [][]byte     // of the file, when it holds a tab
	budget int          // values that aliases may still make
	within int          // aliases around the value that is being made
	open   []*yaml.Node // anchored values that are being resolved
	keys   []string     // of the open objects
	room   room
}

func (p *yamlParser) fail(n *yaml.Node, format string, args ...any) error {
	return refuse(p.name, n.Line, n.Column, format, args...)
}

func (p *yamlParser) value(v *Value, n *yaml.Node, depth int) error {
	if depth > MaxDepth {
		return p.fail(n, "nested deeper than %d levels", MaxDepth)
	}
	if p.within > 0 {
		if p.budget--; p.budget < 0 {
			return p.fail(n, "the document holds more than %d values once its aliases are resolved", maxAliased)
		}
	}
	v.at(n.Line, n.Column)
	switch n.Kind {
	case yaml.AliasNode:
		return p.alias(v, n, depth)
	case yaml.ScalarNode:
		return p.scalar(v, n)
	}
	if err := p.indentation(n); err != nil {
		return err
	}
	if n.Anchor != "" {
		p.open = append(p.open, n)
		defer func() { p.open = p.open[:len(p.open)-1] }()
	}
	if n.Kind == yaml.SequenceNode {
		return p.list(v, n, depth)
	}
	return p.object(v, n, depth)
}

// alias resolves *name by reading the anchored value again, so that every value
// of the tree has a place of its own.
func (p *yamlParser) alias(v *Value, n *yaml.Node, depth int) error {
	for _, holder := range p.open {
		if holder == n.Alias {
			return p.fail(n, "the alias *%s stands within the value that it names", n.Value)
		}
	}
	p.within++
	defer func() { p.within-- }()
	return p.value(v, n.Alias, depth)
}

func (p *yamlParser) list(v *Value, n *yaml.Node, depth int) error {
	if err := p.tag(n, "!!seq"); err != nil {
		return err
	}
	v.is(List)
	if len(n.Content) == 0 {
		return nil
	}
	v.inside = p.room.children(p.room.values(len(n.Content)), nil)
	for i, item := range n.Content {
		if err := p.value(v.At(i), item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (p *yamlParser) object(v *Value, n *yaml.Node, depth int) error {
	if err := p.tag(n, "!!map"); err != nil {
		return err
	}
	v.is(Object)
	count := len(n.Content) / 2
	if count == 0 {
		return nil
	}
	items, base := p.room.values(count), len(p.keys)
	var known keySet
	for i := range count {
		key, node := n.Content[2*i], n.Content[2*i]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return p.fail(node, "a key must be a scalar")
		}
		if key.Style&yaml.TaggedStyle != 0 { // its text is the key, but must fit the tag
			if err := p.scalar(new(Value), key); err != nil {
				return err
			}
		}
		if known.seen(p.keys[base:], key.Value) {
			return p.fail(node, "duplicate key %q", shorten(key.Value))
		}
		p.keys = append(p.keys, key.Value)
		if err := p.value(&items[i], n.Content[2*i+1], depth+1); err != nil {
			return err
		}
	}
	v.inside = p.room.children(items, p.room.shape(p.keys[base:]))
	p.keys = p.keys[:base]
	return nil
}

// indentation refuses a block collection whose elements are indented with a tab,
// which the scanner lets pass in places.
func (p *yamlParser) indentation(n *yaml.Node) error {
	if p.lines == nil || n.Style&yaml.FlowStyle != 0 {
		return nil
	}
	for _, c := range n.Content {
		if c.Line < 1 || c.Line > len(p.lines) {
			continue
		}
		line := p.lines[c.Line-1]
		blank := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if i := bytes.IndexByte(blank, '\t'); i >= 0 {
			return refuse(p.name, c.Line, i+1, "a tab is used for indentation")
		}
	}
	return nil
}

// tag refuses an explicit tag other than the expected one.
func (p *yamlParser) tag(n *yaml.Node, want string) error {
	if n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != want && n.Tag != "!" {
		return p.fail(n, "the tag %s does not fit the value here; %s is expected", shorten(n.Tag), want)
	}
	return nil
}

const quotedStyles = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// scalar resolves a scalar by the core schema: quoted ones are strings, plain
// ones what their text looks like, tagged ones what their tag says.
func (p *yamlParser) scalar(v *Value, n *yaml.Node) error {
	if n.Style&yaml.TaggedStyle == 0 {
		if n.Style&quotedStyles != 0 {
			v.is(String)
			v.text = n.Value
			return nil
		}
		resolve(v, n.Value)
		return nil
	}
	var want Kind
	switch n.ShortTag() {
	case "!!str", "!":
		v.is(String)
		v.text = n.Value
		return nil
	case "!!null":
		want = Null
	case "!!bool":
		want = Bool
	case "!!int", "!!float":
		want = Number
	default:
		return p.fail(n, "the tag %s is not of the YAML core schema", shorten(n.Tag))
	}
	resolve(v, n.Value)
	if v.Kind() != want {
		return p.fail(n, "the text %q does not fit the tag %s", shorten(n.Value), shorten(n.Tag))
	}
	return nil
}
