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
		{"equal headings", "# A\n# A", `<h1 id="a">A</h1>` + "\n" + `<h1 id="a-1">A</h1>` + "\n"},
		{"paragraphs", "one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>\n"},
		{"emphasis", "**s *x* y** and _e_ and snake_case_name, 2 * 3 * 4", "<p><strong>s <em>x</em> y</strong> and <em>e</em> and snake_case_name, 2 * 3 * 4</p>\n"},
		{"html is text", `<b onclick="x">&`, "<p>&lt;b onclick=&quot;x&quot;&gt;&amp;</p>\n"},
		{"a block of html is text", "<script>\nx\n</script>", "<p>&lt;script&gt;\nx\n&lt;/script&gt;</p>\n"},
		{"code", "```go\na < b\n\n**x**\n```\nafter", `<pre><code class="language-go">a &lt; b` + "\n\n**x**\n</code></pre>\n<p>after</p>\n"},
		{"list", "- a\n  more\n- b\n  - c\n\n1. d", "<ul>\n<li>a\nmore</li>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>\n<ol>\n<li>d</li>\n</ol>\n"},
		{"quote", "> a\n> - b", "<blockquote>\n<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n</blockquote>\n"},
		{"table", "| a | b |\n|---|--:|\n| 1 | `2` |", `<div class="wide"><table>
<thead>
<tr>
<th>a</th>
<th style="text-align:right">b</th>
</tr>
</thead>
<tbody>
<tr>
<td>1</td>
<td style="text-align:right"><code>2</code></td>
</tr>
</tbody>
</table></div>
`},
		{"links", "[a](b.html#c) <https://g.h> [*d* e](javascript:e) <irc:x> ![f](http://g) ![h](data:image/png;base64,iV) ![i](data:image/svg+xml,x)",
			`<p><a href="b.html#c">a</a> <a href="https://g.h">https://g.h</a> <em>d</em> e irc:x f <img src="data:image/png;base64,iV" alt="h"> i</p>` + "\n"},
		{"rule", "---\n***", "<hr>\n<hr>\n"},
	}
	for _, tt := range tests {
		got, err := newWriter().render(tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestTitle(t *testing.T) {
	for in, want := range map[string]string{"text\n\n## A *b* `c` #\n\n# d": "A b c", "A\n===": "A", "```\n# a\n```": ""} {
		if got := firstHeading(in); got != want {
			t.Errorf("%q is titled %q, want %q", in, got, want)
		}
	}
}

// FuzzRender looks for texts that end the program, smuggle an element in or
// lead to a script.
func FuzzRender(f *testing.F) {
	f.Add("# a\n- b\n> c\n| d |\n|---|\n```\n")
	f.Add("**_`[x](y)`_** [a]: <javascript:b> [a] <vbscript:c> <b>")
	forbidden := regexp.MustCompile(`(?i)<(?:script|iframe|b|style|svg)[ >/]|(?:href|src)="(?:javascript|vbscript|file|data:[^i])`)
	f.Fuzz(func(t *testing.T, s string) {
		got, err := newWriter().render(s)
		if err != nil {
			t.Fatal(err)
		}
		if bad := forbidden.FindString(got); bad != "" {
			t.Errorf("%q became %s", s, bad)
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
		got, err := newWriter().output(tt.out)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
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
