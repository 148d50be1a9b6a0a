package lab

import (
	"fmt"
	"html"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore"
)

// ProgressBar shows how far a long run is and lets it be stopped. All its methods may
// be called from several goroutines.
type ProgressBar struct {
	label string
	id    string

	interrupted atomic.Bool
	signals     chan os.Signal

	mu          sync.Mutex
	done, total int64
	shown       time.Time
	ended       bool
}

// barPause is the least time between two pictures of a bar.
const barPause = 100 * time.Millisecond

// bars are those that have not ended; a failing cell ends them.
var bars struct {
	sync.Mutex
	open []*ProgressBar
}

// Progress shows a live bar for a long run:
//
//	bar := lab.Progress("serving")
//	run := lab.Must(simcore.Serve(machine, config, bar.Serving()))
//	bar.End()
//
// The notebook's stop button (interrupt the kernel) stops the run at the next
// point where it asks; the cell then ends with the run's error. Outside a
// notebook nothing is shown until the end.
func Progress(label string) *ProgressBar {
	b := &ProgressBar{label: label, signals: make(chan os.Signal, 1)}
	if gonbui.IsNotebook {
		b.id = "inferlab_progress_" + gonbui.UniqueId()
	}
	signal.Notify(b.signals, os.Interrupt)
	go func() {
		for range b.signals {
			b.interrupted.Store(true)
		}
	}()
	bars.Lock()
	bars.open = append(bars.open, b)
	bars.Unlock()
	return b
}

// At tells the bar how much of the work is done. It may be called as often as
// is convenient; few calls draw.
func (b *ProgressBar) At(done, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done, b.total = done, total
	if b.ended || !gonbui.IsNotebook || time.Since(b.shown) < barPause {
		return
	}
	b.shown = time.Now()
	b.live().sendAs(b.id)
}

// Interrupted reports whether the reader asked to stop.
func (b *ProgressBar) Interrupted() bool { return b.interrupted.Load() }

// Serving returns options that let a serving run drive this bar and be stopped
// by it.
func (b *ProgressBar) Serving() simcore.ServingOptions {
	return simcore.ServingOptions{
		Progress:    func(done, total, _ int64) { b.At(done, total) },
		Interrupted: b.Interrupted,
	}
}

// End replaces the bar by one line that says how much was done. More calls do
// nothing.
func (b *ProgressBar) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	b.ended = true
	signal.Stop(b.signals)
	close(b.signals)
	plainText(b.line()).sendAs(b.id)
	bars.Lock()
	for i, open := range bars.open {
		if open == b {
			bars.open = append(bars.open[:i], bars.open[i+1:]...)
			break
		}
	}
	bars.Unlock()
}

// line is the bar in words.
func (b *ProgressBar) line() string {
	s := fmt.Sprintf("%s: %s of %s", b.label, unit.Count(b.done), unit.Count(b.total))
	if b.Interrupted() {
		s += ", then stopped"
	}
	return s
}

// live is the bar while the work goes on.
func (b *ProgressBar) live() bundle {
	return bundle{
		mimeText: b.line(),
		mimeHTML: fmt.Sprintf(`<div style="font-size:13px;font-variant-numeric:tabular-nums">%s <progress max="%d" value="%d" style="width:240px;vertical-align:middle"></progress> %s of %s</div>`,
			html.EscapeString(b.label), max(b.total, 1), b.done, unit.Count(b.done), unit.Count(b.total)),
	}
}

// endBars ends what a failing cell leaves open.
func endBars() {
	bars.Lock()
	open := append([]*ProgressBar(nil), bars.open...)
	bars.Unlock()
	for _, b := range open {
		b.End()
	}
}
