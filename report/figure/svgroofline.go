package figure

import (
	"gonum.org/v1/plot/vg"
)

// openPlane starts the part of a doubly logarithmic figure that a page may zoom and
// pan: a nested drawing that shows exactly its own rectangle, with the decimal
// logarithms of its ends.
func (s *svgCanvas) openPlane(r vg.Rectangle, x0, x1, y0, y1 float64) {
	left, top := s.at(vg.Point{X: r.Min.X, Y: r.Max.Y})
	right, bottom := s.at(vg.Point{X: r.Max.X, Y: r.Min.Y})
	box := func() {
		for i, v := range []float64{left, top, right - left, bottom - top} {
			if i > 0 {
				s.body.WriteByte(' ')
			}
			s.number(v)
		}
	}
	s.body.WriteString(`<svg class="plane" data-log="` + exact(x0) + " " + exact(x1) + " " + exact(y0) + " " + exact(y1) + `" data-box="`)
	box()
	s.body.WriteString(`" x="`)
	s.number(left)
	s.body.WriteString(`" y="`)
	s.number(top)
	s.body.WriteString(`" width="`)
	s.number(right - left)
	s.body.WriteString(`" height="`)
	s.number(bottom - top)
	s.body.WriteString(`" viewBox="`)
	box()
	s.body.WriteString(`" preserveAspectRatio="none">` + "\n")
}

// openTagged starts a group with a class and data that a page's script reads.
// Values are escaped; names are ours.
func (s *svgCanvas) openTagged(class string, data ...string) {
	s.body.WriteString(`<g class="` + class + `"`)
	for i := 0; i+1 < len(data); i += 2 {
		s.body.WriteString(` data-` + data[i] + `="`)
		escapeXML(&s.body, data[i+1])
		s.body.WriteByte('"')
	}
	s.body.WriteString(">\n")
}
