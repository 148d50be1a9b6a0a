package lab

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
)

// Control is one thing a reader can change beside a figure: what Slider,
// Select, Toggle and RunButton make. A control holds a value from the start, so
// a cell that nobody touches draws with it.
type Control interface {
	// label is what stands beside it.
	label() string
	// text is its value in words.
	text() string
	// html is its form; the page reads its value from the element that carries
	// data-control.
	html() string
	// set takes the value that the page sent and reports whether it can be.
	set(value string) bool
}

// SliderControl holds a whole number within limits.
type SliderControl struct {
	name            string
	low, high, step int64
	value           int64
}

// Slider makes a control for a whole number from low to high, in steps of one.
// A start outside the limits is moved to the nearer one.
func Slider(name string, low, high, start int64) *SliderControl {
	high = max(low, high)
	return &SliderControl{name: name, low: low, high: high, step: 1, value: min(max(start, low), high)}
}

// Step sets the distance between two values, at least 1, and returns the
// control.
func (s *SliderControl) Step(step int64) *SliderControl {
	s.step = max(step, 1)
	return s
}

// Value returns the number the slider stands at.
func (s *SliderControl) Value() int64 { return s.value }

func (s *SliderControl) label() string { return s.name }
func (s *SliderControl) text() string  { return strconv.FormatInt(s.value, 10) }

func (s *SliderControl) html() string {
	return fmt.Sprintf(`<input data-control type="range" min="%d" max="%d" step="%d" value="%d" style="width:240px"><output style="font-variant-numeric:tabular-nums">%d</output>`,
		s.low, s.high, s.step, s.value, s.value)
}

func (s *SliderControl) set(value string) bool {
	v, err := strconv.ParseInt(value, 10, 64)
	if err != nil || v < s.low || v > s.high {
		return false
	}
	s.value = v
	return true
}

// SelectControl holds one of several words.
type SelectControl struct {
	name    string
	options []string
	value   string
}

// Select makes a control for one of several words; it starts with the first.
func Select(name string, options ...string) *SelectControl {
	s := &SelectControl{name: name, options: options}
	if len(options) > 0 {
		s.value = options[0]
	}
	return s
}

// Value returns the chosen word, "" when there are none.
func (s *SelectControl) Value() string { return s.value }

func (s *SelectControl) label() string { return s.name }
func (s *SelectControl) text() string  { return s.value }

func (s *SelectControl) html() string {
	var b strings.Builder
	b.WriteString("<select data-control>")
	for _, o := range s.options {
		chosen := ""
		if o == s.value {
			chosen = " selected"
		}
		fmt.Fprintf(&b, `<option value="%s"%s>%s</option>`, html.EscapeString(o), chosen, html.EscapeString(o))
	}
	return b.String() + "</select>"
}

func (s *SelectControl) set(value string) bool {
	if !slices.Contains(s.options, value) {
		return false
	}
	s.value = value
	return true
}

// ToggleControl is on or off.
type ToggleControl struct {
	name  string
	value bool
}

// Toggle makes a control that is on or off.
func Toggle(name string, on bool) *ToggleControl { return &ToggleControl{name, on} }

// Value reports whether it is on.
func (t *ToggleControl) Value() bool { return t.value }

func (t *ToggleControl) label() string { return t.name }

func (t *ToggleControl) text() string {
	if t.value {
		return "on"
	}
	return "off"
}

func (t *ToggleControl) html() string {
	checked := ""
	if t.value {
		checked = " checked"
	}
	return `<input data-control type="checkbox"` + checked + ">"
}

func (t *ToggleControl) set(value string) bool {
	v, err := strconv.ParseBool(value)
	if err == nil {
		t.value = v
	}
	return err == nil
}

// RunButtonControl is a button that starts the simulation.
type RunButtonControl struct{ name string }

// RunButton makes a button. Where there is one among the controls, only it
// draws anew; without one, every change does. It suits simulations that take
// longer than a reader likes to wait for at every touch.
func RunButton(name string) *RunButtonControl { return &RunButtonControl{name} }

func (r *RunButtonControl) label() string   { return "" }
func (r *RunButtonControl) text() string    { return "" }
func (r *RunButtonControl) set(string) bool { return true }

func (r *RunButtonControl) html() string {
	return `<button data-control data-run type="button" value="">` + html.EscapeString(r.name) + "</button>"
}
