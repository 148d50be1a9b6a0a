package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// purposes are the memory categories in stacking order with their inks; any other
// purpose follows by id, free comes last.
var purposes = []struct {
	id  string
	ink Ink
}{
	{"weights", Weights}, {"kv", KVCache}, {"cache", Cache}, {"backing", Backing}, {"workspace", Workspace},
	{"staging", Staging}, {"checkpoint", Checkpoint}, {"sidecar", Sidecar},
}

func purposeInk(id string) Ink {
	for _, p := range purposes {
		if p.id == id {
			return p.ink
		}
	}
	return Waiting
}

// purposeName is how a purpose is written in legends.
func purposeName(id string) string {
	switch id {
	case "kv":
		return "KV"
	case "cache":
		return "expert cache"
	case "backing":
		return "expert backing"
	}
	return id
}

// comparePurposes sorts by the fixed order, then by id.
func comparePurposes(a, b string) int {
	rank := func(id string) int {
		for i, p := range purposes {
			if p.id == id {
				return i
			}
		}
		return len(purposes)
	}
	if ra, rb := rank(a), rank(b); ra != rb {
		return ra - rb
	}
	return quantity.CompareIDs(a, b)
}

// Part is a share of a domain's memory by purpose.
type Part struct {
	Purpose string
	Bytes   int64
}

// MemoryDomains shows what is reserved of each memory domain: one bar a domain,
// normalised to its own allocatable limit, split by purpose (contract 09, V4).
type MemoryDomains struct {
	Source
	Rows     []DomainUse
	Disabled []string // domains that are switched off, by id
}

// DomainUse is one row of MemoryDomains; Parts are in stacking order.
type DomainUse struct {
	ID                   string
	LimitBytes, Physical int64
	Parts                []Part
}

func (d DomainUse) reserved() (sum int64) {
	for _, p := range d.Parts {
		sum += p.Bytes
	}
	return sum
}

func (d DomainUse) share() float64 {
	return float64(d.reserved()) / math.Max(1, float64(d.LimitBytes))
}

// Memory shows the reservations of a scenario's memory domains.
func Memory(s *topology.Scenario) MemoryDomains {
	if s == nil {
		return MemoryDomains{}
	}
	f := MemoryDomains{Source: Source{Run: s.ID(), Confidence: evidence.Exact}}
	for _, e := range s.Ledger() {
		if !e.Enabled {
			f.Disabled = append(f.Disabled, e.DomainID)
			continue
		}
		f.Rows = append(f.Rows, DomainUse{ID: e.DomainID, LimitBytes: e.CapacityBytes,
			Physical: e.PhysicalCapacityBytes, Parts: partsOf(s, e.DomainID)})
	}
	return f
}

// partsOf sums a domain's allocations by purpose, in stacking order.
func partsOf(s *topology.Scenario, domain string) []Part {
	var parts []Part
	spec := s.Spec()
	for i := range spec.Placements {
		for _, a := range spec.Placements[i].Allocations {
			if a.DomainID != domain || a.Bytes == 0 {
				continue
			}
			at := slices.IndexFunc(parts, func(p Part) bool { return p.Purpose == string(a.Purpose) })
			if at < 0 {
				at = len(parts)
				parts = append(parts, Part{Purpose: string(a.Purpose)})
			}
			parts[at].Bytes += a.Bytes
		}
	}
	slices.SortFunc(parts, func(a, b Part) int { return comparePurposes(a.Purpose, b.Purpose) })
	return parts
}

// Text gives the figure's words. Capacities are exact, whatever the timing is.
func (f MemoryDomains) Text() Text {
	t := Text{Run: f.Run, Confidence: f.Confidence, What: "Reserved memory of each domain, as a share of its own limit"}
	if len(f.Rows) == 0 {
		t.Title, t.Empty = "No memory domain", "No memory domain of this scenario is enabled."
		return t
	}
	tight := f.Rows[0]
	for _, r := range f.Rows {
		if r.share() > tight.share() {
			tight = r
		}
	}
	free := tight.LimitBytes - tight.reserved()
	switch {
	case free < 0:
		t.Title = fmt.Sprintf("%s is overcommitted by %s", brief(tight.ID), unit.Bytes(float64(-free)))
	default:
		t.Title = fmt.Sprintf("%s is fullest: %s of %s reserved, %s free", brief(tight.ID),
			unit.Bytes(float64(tight.reserved())), unit.Bytes(float64(tight.LimitBytes)), unit.Bytes(float64(free)))
	}
	t.Alt = fmt.Sprintf("%s; the fullest, %s, has %s (%s) of %s reserved.", unit.Plural(int64(len(f.Rows)), "memory domain"),
		brief(tight.ID), unit.Bytes(float64(tight.reserved())), unit.Percent(tight.share()), unit.Bytes(float64(tight.LimitBytes)))
	if len(f.Disabled) > 0 {
		t.Caption = "Disabled: " + enumerate(f.Disabled, 12) + "."
	}
	return t
}

// SVG renders the figure.
func (f MemoryDomains) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f MemoryDomains) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f MemoryDomains) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a domain and purpose, free memory included.
func (f MemoryDomains) Table() Table {
	var rows [][]string
	for _, d := range f.Rows {
		for _, p := range append(slices.Clone(d.Parts), Part{"free", d.LimitBytes - d.reserved()}) {
			rows = append(rows, append([]string{d.ID, p.Purpose}, append(decimals(p.Bytes, d.LimitBytes, d.Physical, d.Physical-d.LimitBytes),
				strconv.FormatFloat(float64(p.Bytes)/math.Max(1, float64(d.LimitBytes)), 'f', -1, 64))...))
		}
	}
	return Table{
		Columns: []Column{{"domain", "", false}, {"purpose", "", false}, {"size", "bytes", true}, {"limit", "bytes", true},
			{"physical", "bytes", true}, {"withheld", "bytes", true}, {"share of limit", "", true}},
		Len: len(rows),
		Row: func(i int) []string { return rows[i] },
	}
}

const domainRow = 42.0

func (f MemoryDomains) plotHeight(width float64) float64 {
	return keyLineHeight*float64(len(keyRows(f.keys(), width))) + 10 + domainRow*float64(len(f.Rows)) + tickHeight + xNameSpace
}

func (f MemoryDomains) keys() []key {
	var ids []string
	for _, d := range f.Rows {
		for _, p := range d.Parts {
			if !slices.Contains(ids, p.Purpose) {
				ids = append(ids, p.Purpose)
			}
		}
	}
	slices.SortFunc(ids, comparePurposes)
	var keys []key
	for _, id := range ids {
		keys = append(keys, key{ink: purposeInk(id), label: purposeName(id)})
	}
	return append(keys, key{ink: Muted, label: "free", shape: keyOutline})
}

func (f MemoryDomains) paint(c draw.Canvas) {
	c = drawKeys(c, f.keys())
	width := (c.Max.X - c.Min.X).Points()
	top := 1.0
	for _, d := range f.Rows {
		top = math.Max(top, math.Min(d.share(), 2))
	}
	x := percentAxis("Share of the domain's allocatable limit", width-20, 60)
	if top > 1 {
		x.max = top * 1.02
		x.ticks = linearTicks(0, x.max, 0.01, width-20, 60, true)
	}
	p := panel{x: x, left: 1, right: 14, y: axis{max: 1}, noGridX: true}
	p.draw(c)
	area := draw.Crop(c, 1, -14, tickHeight+xNameSpace, -8)
	at := func(share float64) vg.Length { return area.Min.X + (area.Max.X-area.Min.X)*vg.Length(share/x.max) }
	for i, d := range f.Rows {
		f.drawDomain(area, d, area.Max.Y-vg.Length(domainRow*float64(i)), at)
	}
}

func (f MemoryDomains) drawDomain(c draw.Canvas, d DomainUse, y vg.Length, at func(float64) vg.Length) {
	width := (c.Max.X - c.Min.X).Points()
	words := fmt.Sprintf("%s of %s reserved, %s", unit.Bytes(float64(d.reserved())), unit.Bytes(float64(d.LimitBytes)), unit.Percent(d.share()))
	if excess := d.reserved() - d.LimitBytes; excess > 0 {
		words = fmt.Sprintf("%s over the limit of %s", unit.Bytes(float64(excess)), unit.Bytes(float64(d.LimitBytes)))
	}
	w := widthOf(plain(textSize), words)
	put(c, plain(textSize), Muted, c.Max.X, y-13, right, words)
	put(c, plain(textSize), inkText, c.Min.X, y-13, left, elide(d.ID, plain(textSize), width-w-12))
	y0, y1 := y-32, y-18
	stroke(c, Muted, 1, rect(at(0), y0, at(1), y1))
	sum := int64(0)
	limit := math.Max(1, float64(d.LimitBytes))
	for _, p := range d.Parts {
		from, to := at(math.Min(2, float64(sum)/limit)), at(math.Min(2, float64(sum+p.Bytes)/limit))
		sum += p.Bytes
		hover := fmt.Sprintf("%s, %s: %s, %s of the limit", d.ID, purposeName(p.Purpose), unit.Bytes(float64(p.Bytes)), unit.Percent(float64(p.Bytes)/limit))
		marked(c, hover, func() { fill(c, purposeInk(p.Purpose), rect(from, y0, max(to, from+0.5), y1)) })
	}
	if sum > d.LimitBytes {
		hatch(c, Fault, at(1), y0, at(math.Min(2, float64(sum)/limit)), y1)
		stroke(c, Fault, 2, segment(at(1), y0-4, at(1), y1+4))
	}
}

// MemoryTimeline is the memory of one domain over a serving run: constant purposes
// below, KV on top, as stacked step areas (contract 09, V5.1; contract 08, B9 and
// C10). The KV level follows the counters of the lossless trace times the bytes a
// token reserves.
type MemoryTimeline struct {
	Source
	Window        Window
	Domain        string
	Constant      []Part // without KV
	KVReserved    int64  // bytes
	BudgetTokens  int64
	LimitBytes    int64
	Level         KVTimeline // in tokens
	HoldersOfKind int        // enabled domains that hold weights
}

// MemoryTimelines gives one timeline for each enabled domain that holds both
// weights and KV, in the order of ids.
func MemoryTimelines(s *topology.Scenario, level KVTimeline) []MemoryTimeline {
	var out []MemoryTimeline
	holders := 0
	for _, e := range s.Ledger() {
		if !e.Enabled {
			continue
		}
		m := MemoryTimeline{Source: level.Source, Domain: e.DomainID, LimitBytes: e.CapacityBytes,
			BudgetTokens: level.Budget, Level: level}
		weights := false
		for _, p := range partsOf(s, e.DomainID) {
			if p.Purpose == string(topology.KV) {
				m.KVReserved = p.Bytes
				continue
			}
			weights = weights || p.Purpose == string(topology.Weights)
			m.Constant = append(m.Constant, p)
		}
		if weights {
			holders++
		}
		if weights && m.KVReserved > 0 {
			out = append(out, m)
		}
	}
	for i := range out {
		out[i].HoldersOfKind = holders
	}
	return out
}

func (f MemoryTimeline) resident() (sum int64) {
	for _, p := range f.Constant {
		sum += p.Bytes
	}
	return sum
}

// perToken is the bytes that a token of the budget reserves in this domain.
func (f MemoryTimeline) perToken() float64 {
	if f.BudgetTokens == 0 {
		return 0
	}
	return float64(f.KVReserved) / float64(f.BudgetTokens)
}

func (f MemoryTimeline) peak() (bytes float64, atNs int64) {
	level, at := f.level().peak()
	return float64(f.resident()) + float64(float64(level)*f.perToken()), at
}

func (f MemoryTimeline) level() KVTimeline {
	l := f.Level
	l.Window = f.Window
	return l
}

// Text gives the figure's words.
func (f MemoryTimeline) Text() Text {
	t := f.words()
	t.What = f.Window.say() + "Memory held in " + brief(f.Domain) + " over time"
	bytes, at := f.peak()
	if len(f.Level.AtNs) < 2 {
		t.Title, t.Empty = "No memory timeline", "Fewer than two samples of the KV level."
		return t
	}
	share := bytes / math.Max(1, float64(f.LimitBytes))
	t.Title = fmt.Sprintf("%s peaks at %s, %s of its limit", brief(f.Domain), unit.Bytes(bytes), unit.Percent(share))
	t.Alt = fmt.Sprintf("%s peaks at %s of %s (%s) at %s of modeled time; %s of it is resident throughout.", brief(f.Domain),
		unit.Bytes(bytes), unit.Bytes(float64(f.LimitBytes)), unit.Percent(share), dur(at), unit.Bytes(float64(f.resident())))
	t.Caption = fmt.Sprintf("Peak %s at %s, %s of the allocatable %s.", unit.Bytes(bytes), dur(at), unit.Percent(share), unit.Bytes(float64(f.LimitBytes)))
	if f.HoldersOfKind > 1 {
		t.Caption += fmt.Sprintf(" 1 of %d domains holding weights; another may be closer to its limit.", f.HoldersOfKind)
	}
	if float64(f.LimitBytes) > f.top() {
		t.Caption += " The limit is above the range shown."
	}
	if _, reduced := f.level().columns(DefaultWidth); reduced {
		t.Caption += fmt.Sprintf(" %s level changes drawn in columns two pixels wide by their largest value.", unit.Count(int64(len(f.Level.AtNs))))
	}
	return t
}

func (f MemoryTimeline) top() float64 {
	bytes, _ := f.peak()
	return math.Min(float64(f.LimitBytes), math.Max(1.25*bytes, 1.05*float64(f.resident())))
}

// SVG renders the figure.
func (f MemoryTimeline) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f MemoryTimeline) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f MemoryTimeline) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a change of the level.
func (f MemoryTimeline) Table() Table {
	cols := []Column{{"at", "ns", true}}
	for _, p := range f.Constant {
		cols = append(cols, Column{purposeName(p.Purpose), "bytes", true})
	}
	cols = append(cols, Column{"KV", "bytes", true}, Column{"total", "bytes", true})
	return Table{Columns: cols, Len: len(f.Level.AtNs), Row: func(i int) []string {
		row := decimals(f.Level.AtNs[i])
		for _, p := range f.Constant {
			row = append(row, decimals(p.Bytes)...)
		}
		kv := float64(f.Level.Level[i]) * f.perToken()
		return append(row, exact(kv), exact(float64(f.resident())+kv))
	}}
}

func (f MemoryTimeline) plotHeight(width float64) float64 {
	return 210 + keyLineHeight*float64(len(keyRows(f.keys(), width)))
}

func (f MemoryTimeline) keys() []key {
	var keys []key
	for _, p := range f.Constant {
		keys = append(keys, key{ink: purposeInk(p.Purpose), label: fmt.Sprintf("%s %s", purposeName(p.Purpose), unit.Bytes(float64(p.Bytes)))})
	}
	return append(keys, key{ink: KVCache, label: "KV"})
}

func (f MemoryTimeline) paint(c draw.Canvas) {
	c = drawKeys(c, f.keys())
	width := (c.Max.X - c.Min.X).Points()
	from, to := f.Window.over(f.Level.EndNs)
	p := panel{x: timeAxis(from, to, width), noGridX: true,
		y: bytesAxis("Bytes held", f.top(), (c.Max.Y-c.Min.Y).Points()-60, yTickSpace)}
	base := 0.0
	for _, part := range f.Constant {
		next := base + float64(part.Bytes)
		p.marks = append(p.marks, band{at: []float64{from}, low: []float64{base}, high: []float64{next}, end: to, ink: purposeInk(part.Purpose),
			about: fmt.Sprintf("%s: %s throughout", purposeName(part.Purpose), unit.Bytes(float64(part.Bytes)))})
		base = next
	}
	p.marks = append(p.marks, f.kvBand(from, to, base, width), reference{y: float64(f.LimitBytes), ink: Fault,
		dash: []vg.Length{5, 3}, label: "limit " + unit.Bytes(float64(f.LimitBytes)), below: true})
	p.draw(c)
}

// kvBand stacks the KV level on the resident bytes.
func (f MemoryTimeline) kvBand(from, to, base, width float64) plot.Plotter {
	var xs, ys []float64
	if columns, reduced := f.level().columns(width); reduced {
		e := reduce(f.Level.AtNs, f.Level.Level, 0, from, to, columns)
		xs, ys = e.at, e.high
	} else {
		xs, ys = stepsWithin(f.Level.AtNs, f.Level.Level, 0, from, to)
	}
	low, high := make([]float64, len(ys)), make([]float64, len(ys))
	for i, y := range ys {
		low[i], high[i] = base, base+float64(y*f.perToken())
	}
	about := ""
	if len(ys) > 0 {
		about = fmt.Sprintf("KV: up to %s on top of %s", unit.Bytes(float64(slices.Max(ys)*f.perToken())), unit.Bytes(base))
	}
	return band{at: xs, low: low, high: high, end: to, ink: KVCache, about: about}
}
