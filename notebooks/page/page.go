package page

import (
	"bytes"
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
	}{Title: name}
	for _, c := range nb.Cells() {
		switch c.Type() {
		case "markdown":
			data.Sections = append(data.Sections, section{Text: template.HTML(Render(c.Source()))})
			if title, ok := firstHeading(c.Source()); ok && data.Title == name {
				data.Title = title
			}
		case "code":
			s := section{Code: strings.TrimSpace(c.Source())}
			for _, o := range c.Outputs() {
				s.Outputs = append(s.Outputs, template.HTML(outputHTML(o)))
			}
			data.Sections = append(data.Sections, s)
		}
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, data); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Title returns the text of the first heading of a notebook, or "".
func Title(nb *run.Notebook) string {
	for _, c := range nb.Cells() {
		if c.Type() == "markdown" {
			if title, ok := firstHeading(c.Source()); ok {
				return title
			}
		}
	}
	return ""
}

func firstHeading(markdown string) (string, bool) {
	for line := range strings.Lines(markdown) {
		if m := heading.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			return m[2], true
		}
	}
	return "", false
}

// outputHTML shows the richest form of an output that a page can hold.
func outputHTML(o run.Output) string {
	switch o.Type {
	case "stream":
		return pre(o.Name, o.Text)
	case "error":
		return pre("error", strings.Join(append([]string{o.ErrName + ": " + o.ErrValue}, o.Traceback...), "\n"))
	}
	switch {
	case o.Data["image/svg+xml"] != "":
		// As a picture and not in line: ids and styles of one figure must not
		// reach another.
		return `<img class="figure" alt="` + html.EscapeString(o.Data["text/plain"]) + `" src="data:image/svg+xml;base64,` +
			base64.StdEncoding.EncodeToString([]byte(o.Data["image/svg+xml"])) + `">`
	case o.Data["image/png"] != "":
		return `<img class="figure" alt="` + html.EscapeString(o.Data["text/plain"]) + `" src="data:image/png;base64,` +
			html.EscapeString(strings.Join(strings.Fields(o.Data["image/png"]), "")) + `">`
	case o.Data["text/html"] != "":
		return o.Data["text/html"]
	case o.Data["text/markdown"] != "":
		return Render(o.Data["text/markdown"])
	}
	return pre("text", o.Data["text/plain"])
}

func pre(class, text string) string {
	return `<pre class="` + html.EscapeString(class) + `">` + html.EscapeString(text) + "</pre>"
}
