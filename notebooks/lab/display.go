package lab

import (
	"encoding/gob"
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
	mimePNG      = "image/png"
	mimeVega     = "application/vnd.vegalite.v5+json"
)

// bundle is one display: the same thing in several forms by MIME type. The
// plain text is always there. PNG is []byte, JSON types are structures of maps,
// slices, strings, numbers and booleans, and all others are strings.
type bundle map[string]any

// text returns one textual form.
func (b bundle) text(mime string) string {
	s, _ := b[mime].(string)
	return s
}

func init() {
	// What JSON structures are made of, as the kernel knows it.
	gob.Register(map[string]any{})
	gob.Register([]any{})
}

// output is where displays go outside a notebook; nil is standard output.
var output io.Writer

// send shows one bundle and waits until the kernel has it, so that displays
// keep their order and none is lost when the cell ends.
func (b bundle) send() { b.sendAs("") }

// sendAs shows a bundle under an id: a second one under the same id replaces
// the first, also in the saved notebook. Outside a notebook it is printed.
func (b bundle) sendAs(id string) {
	if !gonbui.IsNotebook {
		w := output
		if w == nil {
			w = os.Stdout
		}
		fmt.Fprintln(w, strings.TrimRight(b.text(mimeText), "\n"))
		return
	}
	data := make(map[protocol.MIMEType]any, len(b))
	for mime, content := range b {
		data[protocol.MIMEType(mime)] = content
	}
	gonbui.SendData(&protocol.DisplayData{Data: data, DisplayID: id})
	gonbui.Sync()
	if err := gonbui.Error(); err != nil {
		fmt.Fprintln(os.Stderr, "this display did not reach the notebook:", err)
	}
}
