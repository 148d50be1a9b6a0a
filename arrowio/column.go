package arrowio

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/arrowio/internal/recycle"
)

// column produces the cells of one field for any range of rows. Exactly one
// producer is set, the one of the field's kind. Producers are called with whole
// ranges, so that filling a column is one loop over flat memory.
type column struct {
	ints   func(dst []int64, from int64)              // Int64
	opt    func(dst []int64, ok []bool, from int64)   // Int64, nullable
	floats func(dst []float64, ok []bool, from int64) // Float64; ok is nil when the field is not nullable
	texts  func(row int64) string                     // Text
	codes  func(dst []int32, from int64)              // Label: positions in words, -1 for null
	words  []string                                   // dictionary of Label and Labels

	intList  func(row int64) (list []int64, ok bool) // Int64s
	codeList func(row int64) (list []int32, ok bool) // Labels
}

// builder turns columns into record batches. It belongs to one pass over a table
// and holds the dictionaries and the scratch that all batches of the pass share.
type builder struct {
	mem    memory.Allocator
	schema *arrow.Schema
	decl   *Declaration
	cols   []column

	dicts []arrow.Array // by column; nil for columns without a dictionary
	ok    []bool
	codes []int32
}

func newBuilder(mem memory.Allocator, schema *arrow.Schema, decl *Declaration, cols []column) *builder {
	b := &builder{mem: mem, schema: schema, decl: decl, cols: cols, dicts: make([]arrow.Array, len(cols))}
	for i := range cols {
		if carriesDictionary(schema.Field(i).Type) {
			b.dicts[i] = newStrings(mem, cols[i].words)
		}
	}
	return b
}

func carriesDictionary(t arrow.DataType) bool {
	if list, ok := t.(*arrow.ListType); ok {
		t = list.Elem()
	}
	return t.ID() == arrow.DICTIONARY
}

func (b *builder) release() {
	for _, d := range b.dicts {
		if d != nil {
			d.Release()
		}
	}
}

// record builds the batch of rows [from, from+n).
func (b *builder) record(from, n int64) arrow.RecordBatch {
	arrays := make([]arrow.Array, len(b.cols))
	for i := range b.cols {
		arrays[i] = b.array(i, from, int(n))
	}
	rec := array.NewRecordBatch(b.schema, arrays, n)
	for _, a := range arrays {
		a.Release()
	}
	return rec
}

func (b *builder) array(i int, from int64, n int) arrow.Array {
	c, t := &b.cols[i], b.schema.Field(i).Type
	switch b.decl.Fields[i].Kind {
	case Int64:
		return b.int64s(c, from, n)
	case Float64:
		return b.float64s(c, from, n)
	case Text:
		return b.texts(c, from, n)
	case Label:
		codes := b.scratchCodes(n)
		c.codes(codes, from)
		return b.labels(b.dicts[i], c.words, t, codes)
	case Int64s:
		return b.intLists(c, t, from, n)
	}
	return b.labelLists(i, t, from, n)
}

func (b *builder) int64s(c *column, from int64, n int) arrow.Array {
	if c.opt == nil {
		buf := b.buffer(n * arrow.Int64SizeBytes)
		defer buf.Release()
		c.ints(arrow.Int64Traits.CastFromBytes(buf.Bytes()), from)
		return newPrimitive(arrow.PrimitiveTypes.Int64, n, nil, buf, 0)
	}
	buf, ok := b.zeros(n*arrow.Int64SizeBytes), b.scratchOK(n)
	defer buf.Release()
	c.opt(arrow.Int64Traits.CastFromBytes(buf.Bytes()), ok, from)
	valid, nulls := b.bitmap(ok)
	defer releaseBuffer(valid)
	return newPrimitive(arrow.PrimitiveTypes.Int64, n, valid, buf, nulls)
}

func (b *builder) float64s(c *column, from int64, n int) arrow.Array {
	buf := b.zeros(n * arrow.Float64SizeBytes)
	defer buf.Release()
	ok := b.scratchOK(n)
	c.floats(arrow.Float64Traits.CastFromBytes(buf.Bytes()), ok, from)
	valid, nulls := b.bitmap(ok)
	defer releaseBuffer(valid)
	return newPrimitive(arrow.PrimitiveTypes.Float64, n, valid, buf, nulls)
}

func (b *builder) texts(c *column, from int64, n int) arrow.Array {
	sb := array.NewStringBuilder(b.mem)
	defer sb.Release()
	sb.Reserve(n)
	for i := range int64(n) {
		sb.Append(c.texts(from + i))
	}
	return sb.NewArray()
}

// labels makes a dictionary array, or a plain string array when the schema asks
// for one. Code -1 is null.
func (b *builder) labels(dict arrow.Array, words []string, t arrow.DataType, codes []int32) arrow.Array {
	if dict == nil {
		return b.plainLabels(words, codes)
	}
	n := len(codes)
	buf := b.buffer(n * arrow.Int32SizeBytes)
	defer buf.Release()
	copy(arrow.Int32Traits.CastFromBytes(buf.Bytes()), codes)
	valid, nulls := b.codeBitmap(codes, arrow.Int32Traits.CastFromBytes(buf.Bytes()))
	defer releaseBuffer(valid)
	indices := newPrimitive(labelType.IndexType, n, valid, buf, nulls)
	defer indices.Release()
	return array.NewDictionaryArray(t, indices, dict)
}

func (b *builder) plainLabels(words []string, codes []int32) arrow.Array {
	sb := array.NewStringBuilder(b.mem)
	defer sb.Release()
	bytes := 0
	for _, c := range codes {
		if c >= 0 {
			bytes += len(words[c])
		}
	}
	sb.Reserve(len(codes))
	sb.ReserveData(bytes)
	for _, c := range codes {
		if c < 0 {
			sb.AppendNull()
			continue
		}
		sb.Append(words[c])
	}
	return sb.NewArray()
}

func (b *builder) intLists(c *column, t arrow.DataType, from int64, n int) arrow.Array {
	shape := b.listShape(n, func(i int) (int, bool) {
		list, ok := c.intList(from + int64(i))
		return len(list), ok
	})
	buf := b.buffer(shape.total * arrow.Int64SizeBytes)
	defer buf.Release()
	dst := arrow.Int64Traits.CastFromBytes(buf.Bytes())[:0]
	for i := range n {
		list, ok := c.intList(from + int64(i))
		if ok {
			dst = append(dst, list...)
		}
	}
	return shape.list(t, newPrimitive(arrow.PrimitiveTypes.Int64, shape.total, nil, buf, 0))
}

func (b *builder) labelLists(i int, t arrow.DataType, from int64, n int) arrow.Array {
	c := &b.cols[i]
	shape := b.listShape(n, func(i int) (int, bool) {
		list, ok := c.codeList(from + int64(i))
		return len(list), ok
	})
	codes := b.scratchCodes(shape.total)[:0]
	for i := range n {
		list, ok := c.codeList(from + int64(i))
		if ok {
			codes = append(codes, list...)
		}
	}
	return shape.list(t, b.labels(b.dicts[i], c.words, t.(*arrow.ListType).Elem(), codes))
}

// listShape is what n lists are but for their elements.
type listShape struct {
	n, total, nulls int
	offsets, valid  *memory.Buffer
}

func (b *builder) listShape(n int, length func(i int) (int, bool)) listShape {
	s := listShape{n: n, offsets: b.buffer((n + 1) * arrow.Int32SizeBytes)}
	at := arrow.Int32Traits.CastFromBytes(s.offsets.Bytes())
	ok := b.scratchOK(n)
	at[0] = 0
	for i := range n {
		var count int
		count, ok[i] = length(i)
		if ok[i] {
			s.total += count
		}
		at[i+1] = int32(s.total)
	}
	s.valid, s.nulls = b.bitmap(ok)
	return s
}

// list joins the shape with its elements and takes over both.
func (s listShape) list(t arrow.DataType, child arrow.Array) arrow.Array {
	defer child.Release()
	defer s.offsets.Release()
	defer releaseBuffer(s.valid)
	data := array.NewData(t, s.n, []*memory.Buffer{s.valid, s.offsets}, []arrow.ArrayData{child.Data()}, s.nulls, 0)
	defer data.Release()
	return array.NewListData(data)
}

// bitmap packs ok into a validity bitmap; it is nil when nothing is null.
func (b *builder) bitmap(ok []bool) (*memory.Buffer, int) {
	nulls := 0
	for _, v := range ok {
		if !v {
			nulls++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	buf := b.buffer(int(bitutil.BytesForBits(int64(len(ok)))))
	bits := buf.Bytes()
	clear(bits)
	for i, v := range ok {
		if v {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return buf, nulls
}

// codeBitmap packs the validity of codes and writes 0 in place of -1, because the
// position under a null must still lie in the dictionary for strict readers.
func (b *builder) codeBitmap(codes, dst []int32) (*memory.Buffer, int) {
	nulls := 0
	for _, c := range codes {
		if c < 0 {
			nulls++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	ok := b.scratchOK(len(codes))
	for i, c := range codes {
		ok[i] = c >= 0
		dst[i] = max(c, 0)
	}
	return b.bitmap(ok)
}

// buffer is room for bytes that the caller sets, all of them.
func (b *builder) buffer(bytes int) *memory.Buffer {
	if mem, ok := b.mem.(*recycle.Allocator); ok {
		return memory.NewBufferWithAllocator(mem.AllocateUnset(bytes), mem)
	}
	return b.zeros(bytes)
}

// zeros is room for values of which the null ones need not be set.
func (b *builder) zeros(bytes int) *memory.Buffer {
	buf := memory.NewResizableBuffer(b.mem)
	buf.Resize(bytes)
	return buf
}

// scratchOK is n true values, valid until the next call.
func (b *builder) scratchOK(n int) []bool {
	if cap(b.ok) < n {
		b.ok = make([]bool, n)
	}
	ok := b.ok[:n]
	for i := range ok {
		ok[i] = true
	}
	return ok
}

// scratchCodes is room for n codes, valid until the next call.
func (b *builder) scratchCodes(n int) []int32 {
	if cap(b.codes) < n {
		b.codes = make([]int32, n)
	}
	return b.codes[:n]
}

func newPrimitive(t arrow.DataType, n int, valid, values *memory.Buffer, nulls int) arrow.Array {
	data := array.NewData(t, n, []*memory.Buffer{valid, values}, nil, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

func newStrings(mem memory.Allocator, words []string) arrow.Array {
	sb := array.NewStringBuilder(mem)
	defer sb.Release()
	sb.Reserve(len(words))
	for _, w := range words {
		sb.Append(w)
	}
	return sb.NewArray()
}

func releaseBuffer(b *memory.Buffer) {
	if b != nil {
		b.Release()
	}
}
