package des_test

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/inferlab/inferlab/simcore/des"
	"github.com/inferlab/inferlab/simcore/quantity"
	"pgregory.net/rapid"
)

// action is a payload of the transcripts: what the event's handler does.
type action struct {
	label string
	then  []string // commands of the transcript language, run when it fires
}

// TestTranscripts replays testdata/kernel. Commands:
//
//	at=T after=D id=N label=X then=(cmd;cmd)   schedule
//	cancel id=N
//	run [until=T] [max=N]
//	step
func TestTranscripts(t *testing.T) {
	datadriven.RunTest(t, "testdata/kernel", func(t *testing.T, d *datadriven.TestData) string {
		k := des.New[action]()
		var out strings.Builder
		for line := range strings.Lines(d.Input) {
			if !command(k, strings.TrimSpace(line), &out) {
				break
			}
		}
		return out.String()
	})
}

// command executes one line and reports whether the script may go on.
func command(k *des.Kernel[action], line string, out *strings.Builder) bool {
	verb, rest, _ := strings.Cut(line, " ")
	args := map[string]string{}
	if i := strings.Index(rest, "then=("); i >= 0 {
		args["then"] = strings.TrimSuffix(rest[i+len("then=("):], ")")
		rest = rest[:i]
	}
	for field := range strings.FieldsSeq(rest) {
		key, value, _ := strings.Cut(field, "=")
		args[key] = value
	}
	err := verbs[verb](k, args, out)
	if err != nil {
		fmt.Fprintf(out, "fatal: %v\n", err)
	}
	return err == nil
}

var verbs map[string]func(*des.Kernel[action], map[string]string, *strings.Builder) error

func init() { // the verbs schedule handlers that run verbs
	verbs = map[string]func(*des.Kernel[action], map[string]string, *strings.Builder) error{
		"schedule": schedule, "cancel": cancel, "run": run, "step": step,
	}
}

func schedule(k *des.Kernel[action], args map[string]string, out *strings.Builder) error {
	a := action{label: args["label"]}
	if args["then"] != "" {
		a.then = strings.Split(args["then"], ";")
	}
	if args["id"] != "" {
		if err := k.ScheduleAs(number(args["id"]), number(args["at"]), a); err != nil {
			return err
		}
		fmt.Fprintf(out, "scheduled %s\n", args["id"])
		return nil
	}
	var id int64
	var err error
	if args["after"] != "" {
		id, err = k.ScheduleAfter(number(args["after"]), a)
	} else {
		id, err = k.ScheduleAt(number(args["at"]), a)
	}
	if err == nil {
		fmt.Fprintf(out, "scheduled %d\n", id)
	}
	return err
}

func cancel(k *des.Kernel[action], args map[string]string, out *strings.Builder) error {
	done, err := k.Cancel(number(args["id"]))
	if err == nil {
		fmt.Fprintf(out, "cancelled %s: %v\n", args["id"], done)
	}
	return err
}

func run(k *des.Kernel[action], args map[string]string, out *strings.Builder) error {
	b := des.Bounds{MaxEvents: number(args["max"])}
	if args["until"] != "" {
		b.UntilNs, b.HasDeadline = number(args["until"]), true
	}
	r, err := k.Run(b, handler(k, out))
	fmt.Fprintf(out, "run: processed %d skipped %d now %d pending %d\n",
		r.ProcessedEvents, r.SkippedCancelledEvents, r.NowNs, r.PendingEvents)
	return err
}

func step(k *des.Kernel[action], _ map[string]string, out *strings.Builder) error {
	advanced, r, err := k.Step(handler(k, out))
	fmt.Fprintf(out, "step: %v processed %d skipped %d now %d pending %d\n",
		advanced, r.ProcessedEvents, r.SkippedCancelledEvents, r.NowNs, r.PendingEvents)
	return err
}

func handler(k *des.Kernel[action], out *strings.Builder) func(des.Event[action]) error {
	return func(e des.Event[action]) error {
		fmt.Fprintf(out, "%d ns: %s (event %d, sequence %d)\n", e.TimestampNs, e.Payload.label, e.ID, e.Sequence)
		for _, line := range e.Payload.then {
			if !command(k, strings.TrimSpace(line), out) {
				return errors.New("handler failed")
			}
		}
		return nil
	}
}

func number(s string) int64 {
	if s == "" {
		return 0
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// TestOrderIsTimeThenInsertion compares the kernel with a sorted list under
// random schedules, cancellations and follow-ups at the current time.
func TestOrderIsTimeThenInsertion(t *testing.T) {
	type key struct{ at, seq int64 }
	rapid.Check(t, func(t *rapid.T) {
		k := des.New[bool]()
		var live []key
		n := rapid.IntRange(1, 60).Draw(t, "events")
		for i := range n {
			at := rapid.Int64Range(0, 8).Draw(t, "at")
			id, err := k.ScheduleAt(at, false)
			if err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 4).Draw(t, "cancel") == 0 {
				if done, err := k.Cancel(id); !done || err != nil {
					t.Fatalf("cancel %d: %v, %v", id, done, err)
				}
				continue
			}
			live = append(live, key{at, int64(i)})
		}
		sort.Slice(live, func(i, j int) bool {
			return live[i].at < live[j].at || live[i].at == live[j].at && live[i].seq < live[j].seq
		})
		var fired []key
		r, err := k.Run(des.Bounds{}, func(e des.Event[bool]) error {
			fired = append(fired, key{e.TimestampNs, e.Sequence})
			if k.Now() != e.TimestampNs {
				t.Fatalf("clock %d at an event of time %d", k.Now(), e.TimestampNs)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(fired) != fmt.Sprint(live) {
			t.Fatalf("fired %v, want %v", fired, live)
		}
		if int(r.SkippedCancelledEvents) != n-len(live) || r.PendingEvents != 0 {
			t.Fatalf("skipped %d pending %d of %d events with %d live", r.SkippedCancelledEvents, r.PendingEvents, n, len(live))
		}
	})
}

func TestNextLooksPastCancelledHeads(t *testing.T) {
	k := des.New[int]()
	first, _ := k.ScheduleAt(1, 0)
	if _, err := k.ScheduleAt(9, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Cancel(first); err != nil {
		t.Fatal(err)
	}
	if at, ok := k.Next(); !ok || at != 9 {
		t.Errorf("Next = %d, %v; want 9", at, ok)
	}
	if k.Pending() != 2 || k.Scheduled() != 2 || k.Fired() != 0 {
		t.Errorf("pending %d scheduled %d fired %d", k.Pending(), k.Scheduled(), k.Fired())
	}
}

func TestIdentityIsExhaustedAtTheLastSafeInteger(t *testing.T) {
	k := des.New[int]()
	if err := k.ScheduleAs(quantity.MaxSafe, 0, 0); err != nil {
		t.Fatal(err)
	}
	_, err := k.ScheduleAt(0, 0)
	var fatal *des.FatalError
	if !errors.As(err, &fatal) || fatal.Code != des.IdentityExhausted {
		t.Errorf("got %v", err)
	}
	if k.Fatal() != fatal {
		t.Errorf("the kernel does not remember its fatal error: %v", k.Fatal())
	}
	for name, call := range map[string]func() error{
		"schedule": func() error { _, err := k.ScheduleAt(1, 0); return err },
		"after":    func() error { _, err := k.ScheduleAfter(1, 0); return err },
		"as":       func() error { return k.ScheduleAs(5, 1, 0) },
		"cancel":   func() error { _, err := k.Cancel(quantity.MaxSafe); return err },
		"run":      func() error { _, err := k.Run(des.Bounds{}, nil); return err },
		"step":     func() error { _, _, err := k.Step(nil); return err },
	} {
		if err := call(); !errors.As(err, &fatal) || fatal.Code != des.KernelClosed {
			t.Errorf("%s on a closed kernel: %v", name, err)
		}
	}
}

func TestLanesChooseTheEarliestThenTheLowest(t *testing.T) {
	l := des.NewLanes(3)
	if lane, free := l.Earliest(); lane != 0 || free != 0 || l.Count() != 3 {
		t.Fatalf("lane %d free %d of %d", lane, free, l.Count())
	}
	l.Occupy(0, 10)
	l.Occupy(1, 4)
	l.Occupy(2, 4)
	if lane, free := l.Earliest(); lane != 1 || free != 4 {
		t.Errorf("lane %d free %d, want lane 1 free 4", lane, free)
	}
}

func BenchmarkKernel(b *testing.B) {
	b.ReportAllocs()
	const events = 100_000
	for b.Loop() {
		k := des.New[int32]()
		for i := range int64(64) {
			if _, err := k.ScheduleAt(i, 0); err != nil {
				b.Fatal(err)
			}
		}
		r, err := k.Run(des.Bounds{MaxEvents: 2 * events}, func(e des.Event[int32]) error {
			if k.Scheduled() < events {
				_, err := k.ScheduleAfter(e.ID%97, 0)
				return err
			}
			return nil
		})
		if err != nil || r.ProcessedEvents != events {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(events*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
