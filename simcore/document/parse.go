package document

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/inferlab/inferlab/simcore/issue"
)

// MaxDepth is the deepest nesting that either parser accepts; the root is level 1.
const MaxDepth = 1000

// CodeSyntax is the code of every refusal of the parsers.
const CodeSyntax = "syntax"

// Parse decodes the bytes of one file. A name that ends in ".json", in any letter
// case, means JSON; every other name means YAML (contract 02 section 2). The
// error is an *issue.Error with code "syntax" and the path "name:line:column". A
// byte order mark before the text is read past in both forms.
func Parse(data []byte, name string) (Value, error) {
	if IsJSONName(name) {
		return ParseJSON(data, name)
	}
	return ParseYAML(data, name)
}

// IsJSONName reports whether a file of this name is parsed as JSON.
func IsJSONName(name string) bool {
	const ext = ".json"
	return len(name) >= len(ext) && strings.EqualFold(name[len(name)-len(ext):], ext)
}

// refuse makes a syntax error.
func refuse(name string, line, column int, format string, args ...any) error {
	path := name
	if line > 0 {
		path = fmt.Sprintf("%s:%d:%d", name, line, column)
	}
	return issue.New(CodeSyntax, path, format, args...)
}

// byteOrderMark may stand once before a text of either form and says nothing about
// it: YAML 1.2 section 5.2 allows it, RFC 8259 section 8.1 lets a parser ignore it.
const byteOrderMark = "\ufeff"

// plainText gives the text of a file without its byte order mark, which takes part
// in no line or column.
func plainText(data []byte, name string) ([]byte, error) {
	if err := checkEncoding(data, name); err != nil {
		return nil, err
	}
	mark := []byte(byteOrderMark)
	text, marked := bytes.CutPrefix(data, mark)
	if marked && bytes.HasPrefix(text, mark) {
		return nil, refuse(name, 1, 1, "the text begins with more than one byte order mark")
	}
	return text, nil
}

// checkEncoding refuses text that is not UTF-8, at its first bad byte.
func checkEncoding(data []byte, name string) error {
	if utf8.Valid(data) {
		return nil
	}
	line, start := 1, 0
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return refuse(name, line, i-start+1, "the text is not UTF-8")
		}
		i += n
		if r == '\n' {
			line, start = line+1, i
		}
	}
	return nil
}
