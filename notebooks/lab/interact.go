package lab

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
)

// controlScript is the page's side of the controls.
//
//go:embed interact.js
var controlScript string

const (
	// answerLimit is how long the page has to answer before the controls are
	// given up; meanwhile the connection is asked for again and again, since a
	// busy page misses the first time.
	answerLimit = 45 * time.Second
	answerPause = 5 * time.Second
	// silenceLimit ends controls whose page has gone. A hidden page sends about
	// once a minute.
	silenceLimit = 5 * time.Minute
	// idleLimit ends controls that nobody has touched for so long, so that a
	// forgotten cell does not hold the kernel for ever.
	idleLimit = 30 * time.Minute
)

// HeadlessEnv is the environment variable by which a runner says that nobody is
// there to touch controls.
const HeadlessEnv = "INFERLAB_HEADLESS"

// Interact shows what draw returns, with controls above it, and draws anew
// whenever a reader changes one:
//
//	batch := lab.Slider("sequences in a batch", 1, 64, 16)
//	lab.Interact(func() any { return figure.TTFT(simulate(batch.Value())) }, batch)
//
// What draw returns is shown as Show does; the calls come one after the other.
// An error it returns is shown in place of the figure.
//
// In JupyterLab the cell goes on running while the controls are there: until
// the reader presses Done or interrupts it, or leaves them alone for half an
// hour. So a cell with controls is best the last one of a notebook. Anywhere
// else, in a headless run for instance, the figure is drawn once with the values
// that the controls start with, and the cell ends. Either way the saved notebook
// keeps the last figure and a line with the values.
func Interact(draw func() any, controls ...Control) {
	if !someoneWatches() {
		plainText(valuesLine(controls)).send()
		showAll(draw())
		return
	}
	p := newPlay(draw, controls)
	p.run()
}

// someoneWatches reports whether a Jupyter server, and so probably a browser,
// started the kernel: servers name the session, other clients do not.
func someoneWatches() bool {
	return gonbui.IsNotebook && os.Getenv("JPY_SESSION_NAME") != "" && os.Getenv(HeadlessEnv) == ""
}

func showAll(v any) {
	for _, b := range bundles(v) {
		b.send()
	}
}

// valuesLine is the controls in words, as they stand.
func valuesLine(controls []Control) string {
	var parts []string
	for _, c := range controls {
		if c.label() != "" {
			parts = append(parts, c.label()+" = "+c.text())
		}
	}
	return strings.Join(parts, ", ")
}

// event is what the page sends.
type event struct {
	// Seq counts the events of a page; values may arrive out of order.
	Seq int `json:"seq"`
	// What is "here", "change", "run" or "done".
	What string `json:"what"`
	// Values are those of the controls in order.
	Values []string `json:"values"`
}

// play is one Interact while a reader is there.
type play struct {
	draw     func() any
	controls []Control
	button   bool // only the run button draws
	id       string
	shown    int // displays of the figure

	mu     sync.Mutex
	latest event
	wake   chan struct{}
}

func newPlay(draw func() any, controls []Control) *play {
	p := &play{draw: draw, controls: controls, id: gonbui.UniqueId(), wake: make(chan struct{}, 1)}
	for _, c := range controls {
		_, isButton := c.(*RunButtonControl)
		p.button = p.button || isButton
	}
	return p
}

// address is where the page sends to.
func (p *play) address() string { return "/inferlab/" + p.id }

// receive notes an event; of several that wait, the last counts. A press of the
// run button or of Done is not lost under a change that follows it.
func (p *play) receive(text string) {
	var e event
	if json.Unmarshal([]byte(text), &e) != nil {
		return
	}
	p.mu.Lock()
	if e.Seq > p.latest.Seq {
		if p.latest.What == "done" || (p.latest.What == "run" && e.What != "done") {
			e.What = p.latest.What
		}
		p.latest = e
	}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// take returns the event that waits and forgets what it asked for.
func (p *play) take() event {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.latest
	p.latest.What = ""
	return e
}

func (p *play) run() {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	p.form().sendAs("inferlab_controls_" + p.id)
	p.redraw()
	comms.Subscribe(p.address(), func(_ string, text string) { p.receive(text) })
	p.listen(interrupts, comms.Start)
	plainText(valuesLine(p.controls)).sendAs("inferlab_controls_" + p.id)
}

// listen draws anew as events come, until there is a reason to end. Until the
// first event it calls connect now and then.
func (p *play) listen(interrupts <-chan os.Signal, connect func()) {
	silence, idle := time.NewTimer(answerLimit), time.NewTimer(idleLimit)
	again := time.NewTicker(answerPause)
	defer silence.Stop()
	defer idle.Stop()
	defer again.Stop()
	for {
		select {
		case <-interrupts:
			return
		case <-silence.C:
			return
		case <-idle.C:
			return
		case <-again.C:
			connect()
		case <-p.wake:
			again.Stop()
			silence.Reset(silenceLimit)
			if e := p.take(); p.follow(e) {
				idle.Reset(idleLimit)
			} else if e.What == "done" {
				return
			}
		}
	}
}

// follow does what an event asks for and reports whether the controls go on
// being used.
func (p *play) follow(e event) bool {
	changed := p.apply(e.Values)
	if e.What == "run" || (changed && !p.button) {
		p.redraw()
	}
	return e.What != "done" && (changed || e.What == "run")
}

// apply gives the controls their values and reports whether one changed.
func (p *play) apply(values []string) bool {
	if len(values) != len(p.controls) {
		return false
	}
	before := valuesLine(p.controls)
	for i, c := range p.controls {
		c.set(values[i])
	}
	return valuesLine(p.controls) != before
}

// redraw replaces the displays of the figure. Displays that the new figure does
// not need become empty.
func (p *play) redraw() {
	all := bundles(p.draw())
	for i, b := range all {
		b.sendAs(p.display(i))
	}
	for i := len(all); i < p.shown; i++ {
		plainText("").sendAs(p.display(i))
	}
	p.shown = max(p.shown, len(all))
}

func (p *play) display(i int) string { return fmt.Sprintf("inferlab_figure_%s_%d", p.id, i) }

// form is the controls with their script.
func (p *play) form() bundle {
	var b strings.Builder
	fmt.Fprintf(&b, `<div id="inferlab-%s" data-lm-suppress-shortcuts="true" style="display:flex;flex-wrap:wrap;gap:8px 24px;align-items:center;font-size:13px">`, p.id)
	for _, c := range p.controls {
		b.WriteString(`<label style="display:flex;gap:8px;align-items:center">` + html.EscapeString(c.label()) + " " + c.html() + "</label>")
	}
	b.WriteString(`<button data-done type="button">Done</button></div>`)
	script := strings.NewReplacer("ROOT_ID", "inferlab-"+p.id, "ADDRESS", p.address()).Replace(controlScript)
	b.WriteString("<script>" + script + "</script>")
	return bundle{mimeHTML: b.String(), mimeText: valuesLine(p.controls)}
}
