package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"html"
	"html/template"
	"strings"

	"github.com/inferlab/inferlab/notebooks/run"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// section is one cell as the template sees it.
type section struct {
	Text    template.HTML // of a text cell
	Code    string        // of a code cell
	Outputs []template.HTML
}

// HTML returns the page of a notebook. Name, a file name for instance, is the
// title of a notebook that has no heading.
func HTML(nb *run.Notebook, name string) ([]byte, error) {
	data := struct {
		Title    string
		Sections []section
	}{Title: cmp.Or(Title(nb), name)}
	w := newWriter()
	for _, c := range nb.Cells() {
		if c.Type() == "raw" {
			continue // for other converters
		}
		s, err := w.section(c)
		if err != nil {
			return nil, err
		}
		data.Sections = append(data.Sections, s)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, data); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// section makes the part of the page that one cell is.
func (w writer) section(c *run.Cell) (s section, err error) {
	switch c.Type() {
	case "markdown":
		text, err := w.render(c.Source())
		return section{Text: template.HTML(text)}, err
	case "code":
		s.Code = strings.TrimSpace(c.Source())
		for _, o := range c.Outputs() {
			text, err := w.output(o)
			if err != nil {
				return s, err
			}
			s.Outputs = append(s.Outputs, template.HTML(text))
		}
	}
	return s, nil
}

// Title returns the words of the first heading of a notebook, or "".
func Title(nb *run.Notebook) string {
	for _, c := range nb.Cells() {
		if c.Type() == "markdown" {
			if title := firstHeading(c.Source()); title != "" {
				return title
			}
		}
	}
	return ""
}

// output shows the richest form of an output that a page can hold.
func (w writer) output(o run.Output) (string, error) {
	switch {
	case o.Type == "stream":
		return pre(o.Name, o.Text), nil
	case o.Type == "error":
		return pre("error", strings.Join(append([]string{o.ErrName + ": " + o.ErrValue}, o.Traceback...), "\n")), nil
	case o.Data["image/svg+xml"] != "":
		// As a picture and not in line: ids and styles of one figure must not
		// reach another.
		return `<img class="figure" alt="` + html.EscapeString(o.Data["text/plain"]) + `" src="data:image/svg+xml;base64,` +
			base64.StdEncoding.EncodeToString([]byte(o.Data["image/svg+xml"])) + `">`, nil
	case o.Data["image/png"] != "":
		return `<img class="figure" alt="` + html.EscapeString(o.Data["text/plain"]) + `" src="data:image/png;base64,` +
			html.EscapeString(strings.Join(strings.Fields(o.Data["image/png"]), "")) + `">`, nil
	case o.Data["text/html"] != "":
		return o.Data["text/html"], nil
	case o.Data["text/markdown"] != "":
		return w.render(o.Data["text/markdown"])
	}
	return pre("text", o.Data["text/plain"]), nil
}

func pre(class, text string) string {
	return `<pre class="` + html.EscapeString(class) + `">` + html.EscapeString(text) + "</pre>"
}
