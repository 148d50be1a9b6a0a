package resultdoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/simcore/result"
)

// TestAnyPieces: it makes no difference in which pieces the text arrives, nor how
// much white space stands between its tokens.
func TestAnyPieces(t *testing.T) {
	text := written(t, simulated(t, 12), result.Full)
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		t.Fatal(err)
	}
	cells := func(r io.Reader) (all [][][]string) {
		t.Helper()
		tables, err := Serving(r, arrowio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range tables.All() {
			all = append(all, table.Cells(0, table.NumRows()))
		}
		return all
	}
	want := cells(bytes.NewReader(text))
	for name, r := range map[string]io.Reader{
		"byte by byte": iotest.OneByteReader(bytes.NewReader(text)),
		"halves":       iotest.HalfReader(bytes.NewReader(text)),
		"data and EOF": iotest.DataErrReader(bytes.NewReader(text)),
		"compact":      iotest.OneByteReader(&compact),
	} {
		if diff := cmp.Diff(want, cells(r)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestReaderFails: an error of the reader is the error, not the end of the text.
func TestReaderFails(t *testing.T) {
	text := written(t, simulated(t, 2), result.Full)
	_, err := Serving(io.MultiReader(bytes.NewReader(text[:len(text)/2]), iotest.ErrReader(io.ErrClosedPipe)), arrowio.Options{})
	if err == nil || !strings.Contains(err.Error(), io.ErrClosedPipe.Error()) {
		t.Errorf("error %v; want one that says %q", err, io.ErrClosedPipe)
	}
	if err := newScanner(silent{}).skip(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error %v of a reader that never reads; want %v", err, io.ErrNoProgress)
	}
}

// silent reads nothing, for ever.
type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

// TestIntegers: a number with a fraction, an exponent, leading zeros or more than 64
// bits is refused; all others are exact.
func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"-0", 0, true}, {"7", 7, true}, {"-12", -12, true}, {"9007199254740993", 9007199254740993, true},
		{"9223372036854775807", 9223372036854775807, true}, {"9223372036854775808", 0, false}, {"99999999999999999999", 0, false},
		{"-", 0, false}, {"01", 0, false}, {"1.0", 0, false}, {"1e3", 0, false}, {"+1", 0, false}, {"null", 0, false}, {`"1"`, 0, false}, {"", 0, false},
	} {
		for _, after := range []string{",", " ", "}"} {
			var got int64
			err := newScanner(iotest.OneByteReader(strings.NewReader(c.text + after))).integer(&got)
			if (err == nil) != c.ok || err == nil && got != c.want {
				t.Errorf("%q: read %d, error %v; want %d, accepted %v", c.text, got, err, c.want, c.ok)
			}
		}
	}
}

// FuzzScan: the scanner accepts what is JSON and nothing else, and finds its end.
func FuzzScan(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.5e3,{}],"b":"\"\\"}`, `[]`, `[,]`, `{"a"}`, `"\u00e9é`, `[tru]`, `{"a":1,}`, `[1 2]`, `{"":[[]]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if strings.Count(string(text), "[")+strings.Count(string(text), "{") >= 1000 {
			return // the one limit that the library sets elsewhere
		}
		s := newScanner(iotest.OneByteReader(io.MultiReader(bytes.NewReader(text), strings.NewReader("]"))))
		err := s.skip()
		last, after := s.peek()
		whole := err == nil && last == ']' && after == nil && s.offset() >= int64(len(bytes.TrimRight(text, " \n\r\t")))
		if want := json.Valid(text); whole != want {
			t.Errorf("%s: read whole is %v (%v, offset %d); valid is %v", strconv.Quote(string(text)), whole, err, s.offset(), want)
		}
	})
}
