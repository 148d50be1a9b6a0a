package lab

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestControls(t *testing.T) {
	slider, choice, toggle, button := Slider("batch", 1, 64, 99).Step(4), Select("machine", "a", "b<"), Toggle("log", true), RunButton("go")
	tests := []struct {
		control Control
		value   string
		taken   bool
		text    string
	}{
		{slider, "", false, "64"}, {slider, "8", true, "8"}, {slider, "65", false, "8"}, {slider, "x", false, "8"},
		{choice, "", false, "a"}, {choice, "b<", true, "b<"}, {choice, "c", false, "b<"},
		{toggle, "", false, "on"}, {toggle, "false", true, "off"},
		{button, "anything", true, ""},
	}
	for _, tt := range tests {
		if taken := tt.control.set(tt.value); taken != tt.taken || tt.control.text() != tt.text {
			t.Errorf("%T set to %q: taken %t, then %q", tt.control, tt.value, taken, tt.control.text())
		}
	}
	if slider.Value() != 8 || choice.Value() != "b<" || toggle.Value() {
		t.Errorf("values %d, %q, %t", slider.Value(), choice.Value(), toggle.Value())
	}
	if got := Slider("x", 5, 1, 0).Value(); got != 5 {
		t.Errorf("a slider without room stands at %d", got)
	}
	form := newPlay(nil, []Control{slider, choice, toggle, button}).form().text(mimeHTML)
	for _, want := range []string{`min="1" max="64" step="4" value="8"`, `<option value="b&lt;" selected>b&lt;</option>`, `data-run type="button" value="">go<`, "data-done"} {
		if !strings.Contains(form, want) {
			t.Errorf("the form lacks %s:\n%s", want, form)
		}
	}
}

// Without a reader, the figure is drawn once with the values at the start.
func TestInteractWithoutReader(t *testing.T) {
	slider := Slider("batch", 1, 64, 16)
	shown, _, _ := captured(t, func() {
		Interact(func() any { return fmt.Sprint("figure of ", slider.Value()) }, slider, Toggle("log", false), RunButton("go"))
	})
	if want := "batch = 16, log = off\nfigure of 16\n"; shown != want {
		t.Errorf("shown %q, want %q", shown, want)
	}
}

// message is what the page sends.
func message(t *testing.T, seq int, what string, values ...string) string {
	t.Helper()
	data, err := json.Marshal(event{seq, what, values})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A play draws on change, ignores what is late or malformed, and ends on Done.
func TestPlay(t *testing.T) {
	slider := Slider("batch", 1, 64, 16)
	drawn := make(chan int64, 10)
	p := newPlay(func() any { drawn <- slider.Value(); return "x" }, []Control{slider})
	ended := make(chan string)
	go func() {
		shown, _, _ := captured(t, func() { p.listen(make(chan os.Signal), func() {}) })
		ended <- shown
	}()
	for _, m := range []string{"no JSON", message(t, 1, "here", "16"), message(t, 3, "change", "8")} {
		p.receive(m)
	}
	next := func() int64 {
		select {
		case v := <-drawn:
			return v
		case <-time.After(5 * time.Second):
			return -1
		}
	}
	if v := next(); v != 8 {
		t.Errorf("drawn with %d, want 8", v)
	}
	p.receive(message(t, 2, "change", "32")) // late
	p.receive(message(t, 4, "change", "4", "5"))
	p.receive(message(t, 5, "done", "64"))
	if v := next(); v != 64 {
		t.Errorf("at the end drawn with %d, want 64", v)
	}
	if diff := cmp.Diff("x\nx\n", <-ended); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// With a run button, changes wait for it; a press is not lost under a change
// that follows before it is taken.
func TestPlayWithRunButton(t *testing.T) {
	slider := Slider("batch", 1, 64, 16)
	drawn := 0
	p := newPlay(func() any { drawn++; return "x" }, []Control{slider, RunButton("go")})
	p.receive(message(t, 1, "change", "8", ""))
	p.receive(message(t, 2, "run", "8", ""))
	p.receive(message(t, 3, "change", "9", ""))
	if e := p.take(); e.What != "run" || e.Values[0] != "9" {
		t.Errorf("taken %+v, want the run with the last values", e)
	}
	interrupts := make(chan os.Signal, 1)
	p.receive(message(t, 4, "change", "10", ""))
	go func() {
		time.Sleep(200 * time.Millisecond)
		interrupts <- os.Interrupt
	}()
	captured(t, func() { p.listen(interrupts, func() {}) })
	if drawn != 0 || slider.Value() != 10 {
		t.Errorf("drawn %d times, slider at %d", drawn, slider.Value())
	}
}
