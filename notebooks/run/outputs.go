package run

import (
	"encoding/json"
	"strconv"
	"strings"
)

// output is one output of a cell while it is being collected.
type output struct {
	kind      string
	name      string          // of a stream
	text      strings.Builder // of a stream
	data      *object         // of displayed data
	metadata  *object
	count     json.Number // of an execute_result
	ename     string
	evalue    string
	traceback []string
	displayID string
}

// fields returns the output in the form of nbformat 4.
func (o *output) fields() *object {
	f := &object{}
	f.set("output_type", o.kind)
	switch o.kind {
	case "stream":
		f.set("name", o.name)
		f.set("text", lines(o.text.String()))
	case "error":
		f.set("ename", o.ename)
		f.set("evalue", o.evalue)
		list := make([]any, len(o.traceback))
		for i, s := range o.traceback {
			list[i] = s
		}
		f.set("traceback", list)
	default:
		f.set("data", bundleLines(o.data))
		f.set("metadata", o.metadata.sorted())
		if o.kind == "execute_result" {
			f.set("execution_count", o.count)
		}
	}
	return f
}

// bundleLines sorts a MIME bundle by type and splits its texts into lines.
// JSON types are structures, and kept as they are.
func bundleLines(data *object) *object {
	out := data.sorted()
	for i, m := range out.members {
		if s, ok := m.value.(string); ok && m.key != "application/json" && !strings.HasSuffix(m.key, "+json") {
			out.members[i].value = lines(s)
		}
	}
	return out
}

// collector gathers the outputs of all cells of one run. It is told each
// message that a cell publishes.
type collector struct {
	paths redactor
	// cells holds the outputs of each cell executed so far, by cell index.
	cells map[int][]*output
	// displays holds the outputs that can be updated, by display id.
	displays map[string][]*output
	// clearNext is set when the outputs of a cell are to be cleared as soon
	// as the next one arrives.
	clearNext map[int]bool
}

func newCollector(paths redactor) *collector {
	return &collector{
		paths:     paths,
		cells:     map[int][]*output{},
		displays:  map[string][]*output{},
		clearNext: map[int]bool{},
	}
}

// add takes one published message of a cell. Messages that are not outputs
// are ignored; a message that cannot be read is an error.
func (c *collector) add(cell int, m message) error {
	switch m.header.MsgType {
	case "stream", "display_data", "execute_result", "update_display_data", "error", "clear_output":
	default:
		return nil
	}
	v, err := parseJSON(m.content)
	if err != nil {
		return err
	}
	content, _ := v.(*object)
	switch m.header.MsgType {
	case "stream":
		c.stream(cell, content)
	case "display_data", "execute_result":
		c.display(cell, m.header.MsgType, content)
	case "update_display_data":
		c.update(content)
	case "error":
		c.fail(cell, content)
	case "clear_output":
		wait, _ := content.get("wait").(bool)
		c.clear(cell, wait)
	}
	return nil
}

// append adds an output, carrying out a clear that was waiting for it.
func (c *collector) append(cell int, o *output) {
	if c.clearNext[cell] {
		c.clear(cell, false)
	}
	c.cells[cell] = append(c.cells[cell], o)
}

// stream merges chunks of one stream that follow each other.
func (c *collector) stream(cell int, content *object) {
	name, _ := content.get("name").(string)
	chunk, _ := content.get("text").(string)
	if chunk == "" {
		return
	}
	if outs := c.cells[cell]; len(outs) > 0 && !c.clearNext[cell] {
		if last := outs[len(outs)-1]; last.kind == "stream" && last.name == name {
			last.text.WriteString(chunk)
			return
		}
	}
	o := &output{kind: "stream", name: name}
	o.text.WriteString(chunk)
	c.append(cell, o)
}

func (c *collector) display(cell int, kind string, content *object) {
	o := &output{kind: kind, displayID: displayID(content)}
	o.data, o.metadata = c.bundle(content)
	if o.count = "0"; kind == "execute_result" {
		if n, ok := content.get("execution_count").(json.Number); ok {
			o.count = n
		}
	}
	if o.displayID != "" {
		c.displays[o.displayID] = append(c.displays[o.displayID], o)
	}
	c.append(cell, o)
}

// update replaces what is shown under a display id, in whichever cell it is.
func (c *collector) update(content *object) {
	for _, o := range c.displays[displayID(content)] {
		o.data, o.metadata = c.bundle(content)
	}
}

func (c *collector) bundle(content *object) (data, metadata *object) {
	data, _ = content.get("data").(*object)
	metadata, _ = content.get("metadata").(*object)
	if data == nil {
		data = &object{}
	}
	for i, m := range data.members {
		if s, ok := m.value.(string); ok {
			data.members[i].value = c.paths.output(s)
		}
	}
	return data, metadata
}

func (c *collector) fail(cell int, content *object) {
	o := &output{kind: "error"}
	o.ename, _ = content.get("ename").(string)
	evalue, _ := content.get("evalue").(string)
	o.evalue = c.paths.error(evalue)
	list, _ := content.get("traceback").([]any)
	for _, item := range list {
		if s, ok := item.(string); ok {
			o.traceback = append(o.traceback, c.paths.error(s))
		}
	}
	c.append(cell, o)
}

func (c *collector) clear(cell int, wait bool) {
	c.clearNext[cell] = wait
	if !wait {
		c.cells[cell] = nil
	}
}

// fields returns the outputs of a cell in the form of nbformat 4. Streams are
// cleaned here and not as chunks arrive, since a path may span two chunks.
func (c *collector) fields(cell int) []any {
	list := []any{}
	for _, o := range c.cells[cell] {
		f := o.fields()
		if o.kind == "stream" {
			f.set("text", lines(c.cleanStream(o)))
		}
		list = append(list, f)
	}
	return list
}

func (c *collector) cleanStream(o *output) string {
	if o.name == "stderr" {
		return c.paths.error(o.text.String())
	}
	return c.paths.output(o.text.String())
}

// stderr returns what a cell printed to its standard error.
func (c *collector) stderr(cell int) string {
	var b strings.Builder
	for _, o := range c.cells[cell] {
		if o.kind == "stream" && o.name == "stderr" {
			b.WriteString(c.cleanStream(o))
		}
	}
	return b.String()
}

// error returns the error a cell published, or nil.
func (c *collector) error(cell int) *output {
	for _, o := range c.cells[cell] {
		if o.kind == "error" {
			return o
		}
	}
	return nil
}

func displayID(content *object) string {
	transient, _ := content.get("transient").(*object)
	id, _ := transient.get("display_id").(string)
	return id
}

// countField is the form of an execution count in a document.
func countField(n int) any {
	if n <= 0 {
		return nil
	}
	return json.Number(strconv.Itoa(n))
}
