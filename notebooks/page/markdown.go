package page

import (
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Render turns the Markdown of a text cell into HTML. It knows headings with
// #, paragraphs, fenced code, bulleted and numbered lists of one level, block
// quotes, tables with | between columns, rules, and within lines code, strong,
// emphasis, links and pictures that are part of the page (data:). Everything
// else, HTML included, is text.
func Render(markdown string) string {
	r := &renderer{lines: strings.Split(strings.ReplaceAll(markdown, "\r\n", "\n"), "\n")}
	for r.at < len(r.lines) {
		r.block()
	}
	return r.out.String()
}

// renderer reads a text line by line.
type renderer struct {
	lines []string
	at    int
	out   strings.Builder
}

var (
	heading   = regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*$`)
	bullet    = regexp.MustCompile(`^\s{0,3}[-*+]\s+(.*)$`)
	numbered  = regexp.MustCompile(`^\s{0,3}\d{1,9}[.)]\s+(.*)$`)
	rule      = regexp.MustCompile(`^\s{0,3}(-\s*){3,}$|^\s{0,3}(\*\s*){3,}$`)
	quote     = regexp.MustCompile(`^\s{0,3}>\s?(.*)$`)
	fence     = regexp.MustCompile("^\\s{0,3}(```+|~~~+)")
	tableRule = regexp.MustCompile(`^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$`)
)

// block reads one block and leaves at at the line after it.
func (r *renderer) block() {
	line := r.lines[r.at]
	switch {
	case strings.TrimSpace(line) == "":
		r.at++
	case heading.MatchString(line):
		m := heading.FindStringSubmatch(line)
		level := strconv.Itoa(len(m[1]))
		r.out.WriteString("<h" + level + ` id="` + anchor(m[2]) + `">` + inline(m[2]) + "</h" + level + ">\n")
		r.at++
	case fence.MatchString(line):
		r.code(fence.FindStringSubmatch(line)[1])
	case rule.MatchString(line):
		r.out.WriteString("<hr>\n")
		r.at++
	case quote.MatchString(line):
		r.quote()
	case bullet.MatchString(line):
		r.list("ul", bullet)
	case numbered.MatchString(line):
		r.list("ol", numbered)
	case r.startsTable():
		r.table()
	default:
		r.paragraph()
	}
}

func (r *renderer) code(mark string) {
	r.at++
	var code []string
	for ; r.at < len(r.lines) && !strings.HasPrefix(strings.TrimSpace(r.lines[r.at]), mark); r.at++ {
		code = append(code, r.lines[r.at])
	}
	r.at++
	r.out.WriteString("<pre><code>" + html.EscapeString(strings.Join(code, "\n")) + "</code></pre>\n")
}

func (r *renderer) quote() {
	var inner []string
	for ; r.at < len(r.lines) && quote.MatchString(r.lines[r.at]); r.at++ {
		inner = append(inner, quote.FindStringSubmatch(r.lines[r.at])[1])
	}
	r.out.WriteString("<blockquote>\n" + Render(strings.Join(inner, "\n")) + "</blockquote>\n")
}

func (r *renderer) list(tag string, item *regexp.Regexp) {
	r.out.WriteString("<" + tag + ">\n")
	for r.at < len(r.lines) && item.MatchString(r.lines[r.at]) {
		words := []string{item.FindStringSubmatch(r.lines[r.at])[1]}
		for r.at++; r.at < len(r.lines) && r.continues(); r.at++ {
			words = append(words, strings.TrimSpace(r.lines[r.at]))
		}
		r.out.WriteString("<li>" + inline(strings.Join(words, "\n")) + "</li>\n")
		for r.at+1 < len(r.lines) && strings.TrimSpace(r.lines[r.at]) == "" && item.MatchString(r.lines[r.at+1]) {
			r.at++
		}
	}
	r.out.WriteString("</" + tag + ">\n")
}

// continues reports whether a line belongs to the paragraph before it.
func (r *renderer) continues() bool {
	line := r.lines[r.at]
	if strings.TrimSpace(line) == "" {
		return false
	}
	for _, start := range []*regexp.Regexp{heading, fence, rule, quote, bullet, numbered} {
		if start.MatchString(line) {
			return false
		}
	}
	return true
}

func (r *renderer) paragraph() {
	words := []string{strings.TrimSpace(r.lines[r.at])}
	for r.at++; r.at < len(r.lines) && r.continues(); r.at++ {
		words = append(words, strings.TrimSpace(r.lines[r.at]))
	}
	r.out.WriteString("<p>" + inline(strings.Join(words, "\n")) + "</p>\n")
}

func (r *renderer) startsTable() bool {
	return strings.Contains(r.lines[r.at], "|") && r.at+1 < len(r.lines) &&
		strings.Contains(r.lines[r.at+1], "-") && tableRule.MatchString(r.lines[r.at+1])
}

func (r *renderer) table() {
	r.out.WriteString(`<div class="wide"><table><thead>` + row(r.lines[r.at], "th") + "</thead><tbody>\n")
	for r.at += 2; r.at < len(r.lines) && strings.Contains(r.lines[r.at], "|"); r.at++ {
		r.out.WriteString(row(r.lines[r.at], "td") + "\n")
	}
	r.out.WriteString("</tbody></table></div>\n")
}

func row(line, tag string) string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	var b strings.Builder
	for cell := range strings.SplitSeq(line, "|") {
		b.WriteString("<" + tag + ">" + inline(strings.TrimSpace(cell)) + "</" + tag + ">")
	}
	return "<tr>" + b.String() + "</tr>"
}

// spans matches, in this order: code, pictures, links, strong and emphasis.
var spans = regexp.MustCompile("(`+)(.+?)(`+)" +
	`|!\[([^\]]*)\]\(([^)\s]+)\)` +
	`|\[([^\]]+)\]\(([^)\s]+)\)` +
	`|\*\*(\S(?:.*?\S)?)\*\*` +
	`|\*([^*\s](?:[^*]*[^*\s])?)\*` +
	`|\b_([^_\s](?:[^_]*[^_\s])?)_\b`)

// inline renders what stands within a line.
func inline(s string) string {
	var b strings.Builder
	for {
		m := spans.FindStringSubmatchIndex(s)
		if m == nil {
			b.WriteString(html.EscapeString(s))
			return b.String()
		}
		b.WriteString(html.EscapeString(s[:m[0]]))
		group := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return s[m[2*i]:m[2*i+1]]
		}
		switch {
		case m[2*2] >= 0:
			b.WriteString("<code>" + html.EscapeString(strings.Trim(group(2), " ")) + "</code>")
		case m[2*5] >= 0:
			b.WriteString(picture(group(4), group(5)))
		case m[2*7] >= 0:
			b.WriteString(link(group(6), group(7)))
		case m[2*8] >= 0:
			b.WriteString("<strong>" + inline(group(8)) + "</strong>")
		default:
			b.WriteString("<em>" + inline(group(9)+group(10)) + "</em>")
		}
		s = s[m[1]:]
	}
}

// picture shows a picture that is part of the text, and names any other.
func picture(alt, source string) string {
	if strings.HasPrefix(source, "data:image/") {
		return `<img alt="` + html.EscapeString(alt) + `" src="` + html.EscapeString(source) + `">`
	}
	return html.EscapeString(alt)
}

// link links to pages, files and places; other schemes stay text.
func link(text, target string) string {
	u, err := url.Parse(target)
	if err != nil || (u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto") {
		return html.EscapeString(text)
	}
	return `<a href="` + html.EscapeString(target) + `">` + inline(text) + "</a>"
}

// anchor is the name under which a heading can be linked to.
func anchor(text string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(text) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}
