package servingreplay

import "github.com/inferlab/inferlab/simcore/trace"

// Windows checks a trace that comes in pieces, so that no more than one piece need
// be kept. The pieces together are the trace: ranges and references of each count
// within it, and each ends while no batch runs. The rules, and the first event that
// breaks one, are those of Check on the whole.
//
// After an error a Windows must not be used any more.
type Windows struct{ c *checker }

// NewWindows prepares a check. The trace of the input is not read.
func NewWindows(in Input) *Windows { return &Windows{newChecker(in)} }

// Check applies the events of the next window. The terminal figures are read in the
// window that holds the terminal event. Nothing of the window is kept. The error,
// when there is one, is a *Mismatch.
func (w *Windows) Check(window *trace.Serving) error {
	c := w.c
	if err := w.open(window); err != nil {
		return err
	}
	if err := c.events(); err != nil {
		return err
	}
	if c.running {
		return c.bad(BatchRange, "the window ends while batch %d runs", c.batches-1)
	}
	if err := c.everyRowUsed(); err != nil {
		return err
	}
	c.firstEvent, c.firstBatch = c.index, c.batches
	c.prefillAt, c.decodeAt, c.tokenAt, c.completedAt = 0, 0, 0, 0
	return nil
}

func (w *Windows) open(window *trace.Serving) error {
	first := w.c.tr == nil
	w.c.tr = window
	if first || len(window.RequestIDs) != len(w.c.cfg.Requests) {
		return w.c.checkTable()
	}
	return nil // the same table once more
}

// Finish answers after the last window.
func (w *Windows) Finish() (Result, error) {
	if w.c.tr == nil {
		w.c.tr = &trace.Serving{}
	}
	return w.c.result()
}

// Deadlock takes the last window of a trace that ends without a terminal because
// nothing can be selected any more, and confirms both as CheckDeadlock does.
func (w *Windows) Deadlock(last *trace.Serving) (Deadlock, error) {
	if err := w.open(last); err != nil {
		return Deadlock{}, err
	}
	if err := w.c.events(); err != nil {
		return Deadlock{}, err
	}
	return w.c.locked()
}
