package tables_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/calibration/internal/synthetic"
	"github.com/inferlab/inferlab/calibration/tables"
)

func fitted(t *testing.T) *calibration.Result {
	t.Helper()
	r, err := calibration.Fit(synthetic.Measure(1, 0, 3, 1, 6, 40))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTablesHoldTheDiagnosis(t *testing.T) {
	r := fitted(t)
	rows := map[string]int64{}
	for _, table := range tables.All(r, arrowio.Options{}) {
		rows[table.Name()] = table.NumRows()
		for _, c := range table.Columns() {
			if c.Unit == "" || c.Description == "" {
				t.Errorf("%s.%s has no unit or no meaning", table.Name(), c.Name)
			}
		}
		if p := arrowio.ProvenanceOf(table.Schema()); p.ScenarioFingerprint != r.Fingerprint || p.Command != "calibrate" {
			t.Errorf("%s does not say what it rests on: %+v", table.Name(), p)
		}
		table.Release()
	}
	want := map[string]int64{
		"calibration_groups": 15, "calibration_points": 3 + 3*4*3, "calibration_transports": 2,
		"calibration_sizes": 4, "calibration_samples": 3*(3+36) + 3*4, "calibration_refusals": 0,
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
	groups := tables.Groups(r, arrowio.Options{})
	defer groups.Release()
	row := []string{"gpu", "attention", "3", "9", "1", "40", "27100", "118000", "0", "0", "0", "passed", "0", "passed"}
	if d := cmp.Diff(row, groups.Cells(6, 7)[0]); d != "" {
		t.Error(d)
	}
	transports := tables.Transports(r, arrowio.Options{})
	defer transports.Release()
	if cells := transports.Cells(0, 1)[0]; cells[3] != "all_reduce_ring" || cells[5] != "node0:nvlink:forward node0:nvlink:reverse" || cells[6] != "" {
		t.Errorf("%q", cells)
	}
}

func TestRefusedPointsAreRows(t *testing.T) {
	d := synthetic.Measure(4, 0.001, 5, 1, 6, 40)
	d.Quality.MaxP95RelativeError = 0.05
	for i := range d.Observations {
		if o := &d.Observations[i]; o.ID == "gpu-ffn-6" {
			for k := range o.DurationsNs {
				o.DurationsNs[k] = o.DurationsNs[k] * 3 / 2
			}
		}
	}
	r, err := calibration.Fit(d)
	if err == nil {
		t.Fatal("a point 50 % off passed")
	}
	refusals := tables.Refusals(r, arrowio.Options{})
	defer refusals.Release()
	cells := refusals.Cells(0, 1)[0]
	if cells[0] != "gpu ffn" || cells[1] != "p95RelativeError" || cells[3] != "0.05" || cells[4] != "gpu-ffn-6" || cells[5] != "6" {
		t.Errorf("%q", cells)
	}
}

// More rows than a batch holds keep one dictionary, so that files of them can be
// written and read, and the same result gives the same bytes.
func TestManySamplesRoundTrip(t *testing.T) {
	d := synthetic.Measure(1, 0.01, 3, 1, 6, 40)
	for i := 0; len(d.Observations) < 30000; i++ {
		o := d.Observations[i%39]
		o.ID = fmt.Sprintf("%s-%d", o.ID, i)
		d.Observations = append(d.Observations, o)
	}
	r, err := calibration.Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	var files [2]bytes.Buffer
	for i := range files {
		samples := tables.Samples(r, arrowio.Options{})
		if samples.NumRows() <= arrowio.BatchRows {
			t.Fatalf("%d rows fit one batch", samples.NumRows())
		}
		if err := arrowio.WriteIPC(&files[i], samples); err != nil {
			t.Fatal(err)
		}
		samples.Release()
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("the same samples gave different bytes")
	}
	back, err := arrowio.ReadIPC(bytes.NewReader(files[0].Bytes()), memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Release()
	again := tables.Samples(r, arrowio.Options{})
	defer again.Release()
	last := again.NumRows()
	if d := cmp.Diff(again.Cells(last-3, last), back.Cells(last-3, last)); d != "" {
		t.Error(d)
	}
}

func TestPlainStrings(t *testing.T) {
	r := fitted(t)
	a, b := tables.Points(r, arrowio.Options{}), tables.Points(r, arrowio.Options{PlainStrings: true})
	defer a.Release()
	defer b.Release()
	if d := cmp.Diff(a.Cells(0, 39), b.Cells(0, 39)); d != "" {
		t.Error(d)
	}
	if b.Schema().Field(0).Type.Name() != "utf8" {
		t.Errorf("plain strings are %s", b.Schema().Field(0).Type)
	}
}
