package lab

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// MIME types of the forms a value is shown in.
const (
	mimeText     = "text/plain"
	mimeHTML     = "text/html"
	mimeMarkdown = "text/markdown"
	mimeSVG      = "image/svg+xml"
)

// bundle is one display: the same thing in several forms by MIME type. The
// plain text is always there.
type bundle map[string]string

// output is where displays go outside a notebook; nil is standard output.
var output io.Writer

// send shows one bundle and waits until the kernel has it, so that displays
// keep their order and none is lost when the cell ends.
func (b bundle) send() {
	if !gonbui.IsNotebook {
		w := output
		if w == nil {
			w = os.Stdout
		}
		fmt.Fprintln(w, strings.TrimRight(b[mimeText], "\n"))
		return
	}
	data := make(map[protocol.MIMEType]any, len(b))
	for mime, content := range b {
		data[protocol.MIMEType(mime)] = content
	}
	gonbui.SendData(&protocol.DisplayData{Data: data})
	gonbui.Sync()
	if err := gonbui.Error(); err != nil {
		fmt.Fprintln(os.Stderr, "this display did not reach the notebook:", err)
	}
}
