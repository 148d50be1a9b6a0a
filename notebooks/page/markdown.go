package page

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads text cells: CommonMark with tables, except that HTML is text.
// Its parser lacks the two readers of HTML, so nothing has to be filtered out
// behind it.
var markdown = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(safeTargets{}, 900)),
		parser.WithAutoHeadingID(),
	)),
	goldmark.WithExtensions(extension.Table),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(wideTables{}, 100))),
)

// writer turns text cells of one page into HTML. Headings get names to link to,
// each its own within the page.
type writer struct{ ids parser.IDs }

func newWriter() writer { return writer{parser.NewContext().IDs()} }

// render turns the Markdown of one text cell into HTML.
func (w writer) render(source string) (string, error) {
	var b bytes.Buffer
	err := markdown.Convert([]byte(source), &b, parser.WithContext(parser.NewContext(parser.WithIDs(w.ids))))
	return b.String(), err
}

// firstHeading returns the words of the first heading of a text cell, or "".
func firstHeading(source string) string {
	src := []byte(source)
	for n := markdown.Parser().Parse(text.NewReader(src)).FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindHeading {
			return words(n, src)
		}
	}
	return ""
}

// words is the text within a node, without its marks.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// safeTargets keeps the links that lead to pages, files and places and the
// pictures that are part of the text; of all others it leaves the words.
type safeTargets struct{}

// Transform implements parser.ASTTransformer.
func (safeTargets) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	var foreign []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && !safeTarget(n, reader.Source()) {
			foreign = append(foreign, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range foreign {
		parent := n.Parent()
		if link, ok := n.(*ast.AutoLink); ok {
			parent.InsertBefore(parent, n, ast.NewString(link.Label(reader.Source())))
		}
		for child := n.FirstChild(); child != nil; child = n.FirstChild() {
			parent.InsertBefore(parent, n, child) // which takes it away from n
		}
		parent.RemoveChild(parent, n)
	}
}

// safeTarget reports whether a node leads nowhere, or where it may.
func safeTarget(n ast.Node, source []byte) bool {
	switch n := n.(type) {
	case *ast.Link:
		return linkable(string(n.Destination))
	case *ast.AutoLink:
		return linkable(string(n.URL(source)))
	case *ast.Image:
		return bytes.HasPrefix(n.Destination, []byte("data:image/")) && !html.IsDangerousURL(n.Destination)
	}
	return true
}

func linkable(target string) bool {
	u, err := url.Parse(target)
	return err == nil && (u.Scheme == "" || u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto")
}

// wideTables lets a table that is wider than the page scroll by itself.
type wideTables struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (wideTables) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(tables.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		mark := "<div class=\"wide\"><table>\n"
		if !entering {
			mark = "</table></div>\n"
		}
		_, err := w.WriteString(mark)
		return ast.WalkContinue, err
	})
}
