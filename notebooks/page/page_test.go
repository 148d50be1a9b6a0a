package page

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/notebooks/run"
)

func TestRender(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"heading", "## A *b* `c`", `<h2 id="a-b-c">A <em>b</em> <code>c</code></h2>` + "\n"},
		{"paragraphs", "one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>\n"},
		{"emphasis", "**s *x* y** and _e_ and snake_case_name, 2 * 3 * 4", "<p><strong>s <em>x</em> y</strong> and <em>e</em> and snake_case_name, 2 * 3 * 4</p>\n"},
		{"html is text", `<b onclick="x">&`, "<p>&lt;b onclick=&#34;x&#34;&gt;&amp;</p>\n"},
		{"code", "```go\na < b\n\n**x**\n```\nafter", "<pre><code>a &lt; b\n\n**x**</code></pre>\n<p>after</p>\n"},
		{"code that does not end", "~~~\na", "<pre><code>a</code></pre>\n"},
		{"list", "- a\n  more\n- b\n\n1. c\n\n2. d", "<ul>\n<li>a\nmore</li>\n<li>b</li>\n</ul>\n<ol>\n<li>c</li>\n<li>d</li>\n</ol>\n"},
		{"quote", "> a\n> - b", "<blockquote>\n<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n</blockquote>\n"},
		{"table", "| a | b |\n|---|--:|\n| 1 | `2` |\nafter", `<div class="wide"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>` + "\n<tr><td>1</td><td><code>2</code></td></tr>\n</tbody></table></div>\n<p>after</p>\n"},
		{"links", "[a](b.html#c) [d](javascript:e) ![f](http://g) ![h](data:image/png;base64,iV)",
			`<p><a href="b.html#c">a</a> d f <img alt="h" src="data:image/png;base64,iV"></p>` + "\n"},
		{"rule", "---\n***", "<hr>\n<hr>\n"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Render(tt.in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// FuzzRender looks for texts that end the program or smuggle markup in.
func FuzzRender(f *testing.F) {
	f.Add("# a\n- b\n> c\n| d |\n|---|\n```\n")
	f.Add("**_`[x](y)`_**")
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Contains(strings.ToLower(Render(s)), "<script") {
			t.Errorf("%q became a script", s)
		}
	})
}

func TestOutputs(t *testing.T) {
	tests := []struct {
		name string
		out  run.Output
		want string
	}{
		{"stream", run.Output{Type: "stream", Name: "stdout", Text: "a<b"}, `<pre class="stdout">a&lt;b</pre>`},
		{"error", run.Output{Type: "error", ErrName: "ERROR", ErrValue: "x", Traceback: []string{"<y>"}}, `<pre class="error">ERROR: x` + "\n&lt;y&gt;</pre>"},
		{"figure", run.Output{Type: "display_data", Data: map[string]string{"image/svg+xml": "<svg/>", "image/png": "iV", "text/plain": `"f"`}},
			`<img class="figure" alt="&#34;f&#34;" src="data:image/svg+xml;base64,PHN2Zy8+">`},
		{"picture", run.Output{Type: "display_data", Data: map[string]string{"image/png": "iV\nBO"}}, `<img class="figure" alt="" src="data:image/png;base64,iVBO">`},
		{"html", run.Output{Type: "display_data", Data: map[string]string{"text/html": "<b>x</b>", "text/plain": "x"}}, "<b>x</b>"},
		{"Markdown", run.Output{Type: "display_data", Data: map[string]string{"text/markdown": "*x*", "text/plain": "x"}}, "<p><em>x</em></p>\n"},
		{"text", run.Output{Type: "execute_result", Data: map[string]string{"text/plain": "<1>"}}, `<pre class="text">&lt;1&gt;</pre>`},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, outputHTML(tt.out)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Every committed notebook makes a page that holds all its figures and asks
// for nothing from outside.
func TestPagesOfNotebooks(t *testing.T) {
	outside := regexp.MustCompile(`(?i)(src|srcset|href)\s*=\s*["']?(https?:)?//`)
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".ipynb") {
			continue
		}
		nb, err := run.ReadFile("../" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		got, err := HTML(nb, e.Name())
		if err != nil {
			t.Fatal(err)
		}
		figures := 0
		for _, c := range nb.Cells() {
			for _, o := range c.Outputs() {
				if o.Data["image/svg+xml"] != "" || o.Data["image/png"] != "" {
					figures++
				}
			}
		}
		if n := strings.Count(string(got), `<img class="figure"`); n != figures {
			t.Errorf("%s: %d figures on the page, %d in the notebook", e.Name(), n, figures)
		}
		if m := outside.FindString(string(got)); m != "" {
			t.Errorf("%s: the page asks for something outside: %s", e.Name(), m)
		}
		if !strings.Contains(string(got), "<title>"+Title(nb)+"</title>") || Title(nb) == "" {
			t.Errorf("%s: the page is not titled %q", e.Name(), Title(nb))
		}
		pages++
	}
	if pages == 0 {
		t.Error("no notebooks")
	}
}
