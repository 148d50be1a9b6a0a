package cost

import (
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// SignaturePrefix opens every traffic signature of this revision.
const SignaturePrefix = "all_to_all_v_matrix_v1:"

// Matrix is traffic in bytes from rank (row) to rank (column), N x N in the
// communicator's rank order.
type Matrix [][]int64

// NewMatrix makes an n x n matrix of zeros over one backing array.
func NewMatrix(n int) Matrix {
	cells := make([]int64, n*n)
	m := make(Matrix, n)
	for r := range m {
		m[r] = cells[r*n : (r+1)*n : (r+1)*n]
	}
	return m
}

// Transpose returns the traffic of the way back.
func (m Matrix) Transpose() Matrix {
	t := NewMatrix(len(m))
	for r, row := range m {
		for c, v := range row {
			t[c][r] = v
		}
	}
	return t
}

// Signature is the canonical text of a traffic shape: all cells divided by the
// greatest common divisor of the positive ones, so that proportional traffic of
// any message size has one signature (contract 06 section 10.5).
func (m Matrix) Signature() (string, error) {
	if err := m.validate(); err != nil {
		return "", err
	}
	var divisor int64
	for _, row := range m {
		for _, v := range row {
			divisor = gcd(divisor, v)
		}
	}
	if divisor == 0 {
		return "", issue.New("empty_traffic", "", "a traffic matrix needs a positive cell")
	}
	b := append(make([]byte, 0, len(SignaturePrefix)+4*len(m)*len(m)), SignaturePrefix...)
	b = append(b, '[')
	for r, row := range m {
		if r > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for c, v := range row {
			if c > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, v/divisor, 10)
		}
		b = append(b, ']')
	}
	return string(append(b, ']')), nil
}

func (m Matrix) validate() error {
	if len(m) < 2 {
		return issue.New("matrix_shape", "", "a traffic matrix is at least 2 x 2, this one has %d rows", len(m))
	}
	for r, row := range m {
		if len(row) != len(m) {
			return issue.New("matrix_shape", "", "row %d of a %d x %d traffic matrix has %d cells", r, len(m), len(m), len(row))
		}
		for c, v := range row {
			if !quantity.IsCount(v) {
				return issue.New("matrix_cell", "", "traffic from rank %d to rank %d is %d, not a count", r, c, v)
			}
		}
	}
	return nil
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// ParseSignature reads a traffic signature and refuses every text that is not
// already canonical: another prefix, white space, a ragged or reducible matrix.
func ParseSignature(text string) (Matrix, error) {
	body, ok := strings.CutPrefix(text, SignaturePrefix)
	if !ok {
		return nil, issue.New("signature_prefix", "", "a traffic signature starts with %s", SignaturePrefix)
	}
	m, ok := parseMatrix(body)
	if !ok {
		return nil, issue.New("signature_syntax", "", "traffic signature %q holds no compact matrix of counts", text)
	}
	canonical, err := m.Signature()
	if err != nil {
		return nil, err
	}
	if canonical != text {
		return nil, issue.New("signature_reducible", "", "traffic signature %q is not canonical, expected %q", text, canonical)
	}
	return m, nil
}

// parseMatrix reads [[1,2],[3,4]] without white space.
func parseMatrix(s string) (Matrix, bool) {
	s, ok := cutBrackets(s, "[[", "]]")
	if !ok {
		return nil, false
	}
	rows := strings.Split(s, "],[")
	m := make(Matrix, len(rows))
	for r, row := range rows {
		cells := strings.Split(row, ",")
		m[r] = make([]int64, len(cells))
		for c, cell := range cells {
			v, err := strconv.ParseInt(cell, 10, 64)
			if err != nil {
				return nil, false
			}
			m[r][c] = v
		}
	}
	return m, true
}

func cutBrackets(s, left, right string) (string, bool) {
	s, ok := strings.CutPrefix(s, left)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, right)
}
