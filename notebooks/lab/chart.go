package lab

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Axis says what a direction of a Chart measures.
type Axis struct {
	// Name says what, Unit in which unit; both stand at the axis.
	Name, Unit string
	// Log spaces decades evenly; values that are not positive are left out.
	Log bool
}

// Series is one line of a Chart: points in the order they are joined.
type Series struct {
	Name string
	X, Y []float64
}

// Bar is one bar of a Chart.
type Bar struct {
	Name  string
	Value float64
}

// Chart is a picture of numbers of your own: lines over a number, or one bar a
// name. Show draws it; Interactive also lets a reader point, pan and zoom.
type Chart struct {
	// Title says what the numbers show, What which numbers they are.
	Title, What string
	// X and Y are the axes. Of a chart with bars, Y measures them.
	X, Y Axis
	// Series are the lines; up to seven are told apart.
	Series []Series
	// Bars are drawn when there are no lines.
	Bars []Bar
	// Limit, when not 0, is a value of Y marked by a dashed line; LimitName
	// stands on it.
	Limit     float64
	LimitName string
}

// chartInks are the colours of series, told apart by the common colour-vision
// deficiencies; each line also carries its name.
var chartInks = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8A6D00", "#56B4E9", "#5F6368"}

const (
	chartWidth  = 760.0
	chartHeight = 360.0
	chartLeft   = 72.0
	chartTop    = 64.0
	chartBottom = 52.0
	barLine     = 26.0
)

// SVG draws the chart as one SVG element 760 px wide.
func (c *Chart) SVG() ([]byte, error) {
	if len(c.Series) == 0 && len(c.Bars) > 0 {
		return []byte(c.bars()), nil
	}
	return []byte(c.lines()), nil
}

func (c *Chart) open(height float64) *strings.Builder {
	b := &strings.Builder{}
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="%s" viewBox="0 0 %g %g" width="%g" height="%g" font-family="Liberation Sans,Arial,Helvetica,sans-serif" font-size="12" fill="#1A1C1E">`,
		html.EscapeString(shorten(c.Title)), chartWidth, height, chartWidth, height)
	fmt.Fprintf(b, `<rect width="%g" height="%g" fill="#FFFFFF"/>`, chartWidth, height)
	fmt.Fprintf(b, `<text x="16" y="26" font-size="15" font-weight="bold">%s</text>`, html.EscapeString(c.Title))
	fmt.Fprintf(b, `<text x="16" y="45" fill="#5F6368">%s</text>`, html.EscapeString(c.What))
	return b
}

// scale maps values of an axis to px.
type scale struct {
	log      bool
	low, top float64
	from, to float64
}

func (s scale) at(v float64) float64 {
	low, top := s.low, s.top
	if s.log {
		v, low, top = math.Log10(v), math.Log10(low), math.Log10(top)
	}
	return s.from + (v-low)/(top-low)*(s.to-s.from)
}

// drawn reports whether a value has a place on the axis.
func (a Axis) drawn(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.Log || v > 0)
}

// scaleOf spans the values and ends at labelled ticks; linear axes of sizes
// start at zero.
func (a Axis) scaleOf(values []float64, from, to float64, zero bool) (scale, []float64) {
	low, top := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if a.drawn(v) {
			low, top = math.Min(low, v), math.Max(top, v)
		}
	}
	if low > top {
		low, top = 1, 2
	}
	if a.Log {
		return logScale(low, top, from, to)
	}
	if zero {
		low, top = math.Min(low, 0), math.Max(top, 0)
	}
	if low == top {
		low, top = low-0.5, top+0.5
	}
	step := niceStep((top - low) / 5)
	first, last := math.Floor(low/step), math.Ceil(top/step)
	if !zero { // where a number runs along x, the data may start at the edge
		first, last = math.Ceil(low/step), math.Floor(top/step)
	} else {
		low, top = float64(first*step), float64(last*step)
	}
	var ticks []float64
	for k := first; k <= last; k++ {
		ticks = append(ticks, float64(k*step))
	}
	return scale{false, low, top, from, to}, ticks
}

func logScale(low, top, from, to float64) (scale, []float64) {
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(top))
	if first == last {
		last++
	}
	var ticks []float64
	for e := first; e <= last; e++ {
		ticks = append(ticks, math.Pow(10, e))
	}
	return scale{true, math.Pow(10, first), math.Pow(10, last), from, to}, ticks
}

// niceStep rounds up to 1, 2 or 5 times a power of ten.
func niceStep(step float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= step*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

func (a Axis) title() string {
	s := a.Name
	if a.Unit != "" {
		s += ", " + a.Unit
	}
	if a.Log {
		s += " (log)"
	}
	return s
}

func tickText(v float64) string {
	if v != 0 && (math.Abs(v) >= 1e6 || math.Abs(v) < 1e-3) {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return readable(strconv.FormatFloat(v, 'g', 6, 64))
}

func (c *Chart) lines() string {
	var xs, ys []float64
	for _, s := range c.Series {
		for i := range min(len(s.X), len(s.Y)) {
			if c.X.drawn(s.X[i]) && c.Y.drawn(s.Y[i]) {
				xs, ys = append(xs, s.X[i]), append(ys, s.Y[i])
			}
		}
	}
	b := c.open(chartHeight)
	if len(xs) == 0 {
		fmt.Fprintf(b, `<text x="16" y="90" fill="#5F6368">There are no numbers to draw.</text></svg>`)
		return b.String()
	}
	if c.Limit != 0 {
		ys = append(ys, c.Limit)
	}
	right := chartWidth - 16
	for _, s := range c.Series {
		right = math.Min(right, chartWidth-24-6.4*float64(len([]rune(shorten(s.Name)))))
	}
	x, xt := c.X.scaleOf(xs, chartLeft, math.Max(right, chartWidth/2), false)
	y, yt := c.Y.scaleOf(ys, chartHeight-chartBottom, chartTop, true)
	c.grid(b, x, y, xt, yt)
	c.limit(b, x, y)
	c.paths(b, x, y)
	b.WriteString("</svg>")
	return b.String()
}

// grid draws hairlines, tick labels and the names of the axes.
func (c *Chart) grid(b *strings.Builder, x, y scale, xt, yt []float64) {
	for _, v := range yt {
		fmt.Fprintf(b, `<path d="M%.1f %.1fH%.1f" stroke="#DADCE0"/>`, x.from, y.at(v), x.to)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end" fill="#5F6368">%s</text>`, x.from-8, y.at(v)+4, tickText(v))
	}
	for _, v := range xt {
		if v < x.low || v > x.top {
			continue
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#5F6368">%s</text>`, x.at(v), y.from+18, tickText(v))
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#5F6368">%s</text>`, (x.from+x.to)/2, y.from+38, html.EscapeString(c.X.title()))
	fmt.Fprintf(b, `<text x="16" y="%.1f" transform="rotate(-90 16 %.1f)" text-anchor="middle" fill="#5F6368">%s</text>`, (y.from+y.to)/2, (y.from+y.to)/2, html.EscapeString(c.Y.title()))
}

func (c *Chart) limit(b *strings.Builder, x, y scale) {
	if c.Limit == 0 || !c.Y.drawn(c.Limit) {
		return
	}
	fmt.Fprintf(b, `<path d="M%.1f %.1fH%.1f" stroke="#B3261E" stroke-dasharray="4 3"/>`, x.from, y.at(c.Limit), x.to)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="#B3261E">%s</text>`, x.from+6, y.at(c.Limit)-5, html.EscapeString(c.LimitName))
}

// paths draws the lines with their points and names, names apart from each
// other.
func (c *Chart) paths(b *strings.Builder, x, y scale) {
	var taken []float64
	for i, s := range c.Series {
		ink := chartInks[i%len(chartInks)]
		var path, points strings.Builder
		lastX, lastY, n := 0.0, 0.0, 0
		for k := range min(len(s.X), len(s.Y)) {
			if !c.X.drawn(s.X[k]) || !c.Y.drawn(s.Y[k]) {
				continue
			}
			lastX, lastY = x.at(s.X[k]), y.at(s.Y[k])
			letter := "L"
			if n == 0 {
				letter = "M"
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", letter, lastX, lastY)
			fmt.Fprintf(&points, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, lastX, lastY, ink)
			n++
		}
		if n == 0 {
			continue
		}
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`, path.String(), ink)
		if n <= 40 {
			b.WriteString(points.String())
		}
		at := free(lastY+4, taken)
		taken = append(taken, at)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s">%s</text>`, lastX+8, at, ink, html.EscapeString(shorten(s.Name)))
	}
}

// free returns the place nearest to y at which a name covers no other.
func free(y float64, taken []float64) float64 {
	const line = 14
	for d := 0.0; ; d += 2 {
		for _, at := range []float64{y - d, y + d} {
			clear := true
			for _, t := range taken {
				clear = clear && math.Abs(t-at) >= line
			}
			if clear {
				return at
			}
		}
	}
}

// bars draws one bar a name, from the top, each with its value.
func (c *Chart) bars() string {
	height := chartTop + barLine*float64(len(c.Bars)) + 44
	b := c.open(height)
	var values []float64
	longest := 0
	for _, r := range c.Bars {
		values = append(values, r.Value)
		longest = max(longest, len([]rune(shorten(r.Name))))
	}
	left := math.Min(24+6.6*float64(longest), chartWidth/2)
	axis := c.Y
	axis.Log = false
	x, ticks := axis.scaleOf(values, left, chartWidth-90, true)
	bottom := chartTop + barLine*float64(len(c.Bars))
	for _, v := range ticks {
		fmt.Fprintf(b, `<path d="M%.1f %.1fV%.1f" stroke="#DADCE0"/>`, x.at(v), chartTop, bottom)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#5F6368">%s</text>`, x.at(v), bottom+16, tickText(v))
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#5F6368">%s</text>`, (x.from+x.to)/2, bottom+34, html.EscapeString(axis.title()))
	for i, r := range c.Bars {
		top := chartTop + barLine*float64(i) + 5
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">%s</text>`, left-8, top+12, html.EscapeString(shorten(r.Name)))
		if !axis.drawn(r.Value) {
			continue
		}
		from, to := math.Min(x.at(0), x.at(r.Value)), math.Max(x.at(0), x.at(r.Value))
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="16" fill="%s"/>`, from, top, to-from, chartInks[0])
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f">%s</text>`, to+6, top+12, tickText(significant(r.Value)))
	}
	b.WriteString("</svg>")
	return b.String()
}

// significant rounds to four digits.
func significant(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// words is the chart as text: its words and its numbers.
func (c *Chart) words() string {
	t := &Table{Name: c.Title, Columns: []Column{{Name: "series"}, {Name: c.X.Name, Unit: c.X.Unit, Numeric: true}, {Name: c.Y.Name, Unit: c.Y.Unit, Numeric: true}}}
	for _, s := range c.Series {
		for i := range min(len(s.X), len(s.Y)) {
			t.Rows = append(t.Rows, []string{s.Name, cellText(s.X[i]), cellText(s.Y[i])})
		}
	}
	if len(c.Series) == 0 {
		t.Columns = []Column{{Name: "name"}, {Name: c.Y.Name, Unit: c.Y.Unit, Numeric: true}}
		for _, r := range c.Bars {
			t.Rows = append(t.Rows, []string{r.Name, cellText(r.Value)})
		}
	}
	return tableBundle(t).text(mimeText)
}

// chartBundle is the static form.
func chartBundle(c *Chart) bundle {
	b := drawingBundle(c)
	b[mimeText] = c.words()
	return b
}
