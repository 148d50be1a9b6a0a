package lab

import (
	"bytes"
	"regexp"
)

// markTitle is a mark, of one or more shapes, with the words that a page shows when
// it is pointed at.
var markTitle = regexp.MustCompile(`(?s)<g><title>[^<]*</title>(.*?)</g>\n?`)

// compactSVG leaves out the words of single marks. Notebooks show a figure as an
// image, which does not answer to the mouse, and in a figure of many marks their
// words are most of its bytes.
func compactSVG(svg []byte) []byte {
	return markTitle.ReplaceAllFunc(svg, func(mark []byte) []byte {
		shapes := bytes.TrimLeft(markTitle.FindSubmatch(mark)[1], "\n")
		if bytes.Contains(shapes, []byte("<g")) {
			return mark // of several parts
		}
		return shapes
	})
}
