package arrowio

import (
	"encoding/binary"
	"errors"
	"io"
)

// The library believes the lengths that an Arrow file or stream states and
// allocates what they ask for, so that a few damaged bytes can end the process for
// want of memory. What follows checks the lengths that it would act on first:
// those of messages and of the schema's vectors.

var errDamaged = errors.New("malformed data: a stated length or offset leaves the data")

// maxFieldDepth bounds the nesting of fields, and maxSchemaParts their number with
// all their metadata: a damaged schema can refer to one part many times.
const (
	maxFieldDepth  = 64
	maxSchemaParts = 1 << 20
)

// CheckSchemaMessage checks a serialized schema, as Parquet files carry one, before the
// library reads it.
func CheckSchemaMessage(message []byte) error { return checkStream(message) }

// checkStream walks over the messages of a stream. A message is a continuation
// marker, the length of its metadata, the metadata (a flatbuffer padded to 8
// bytes), and a body whose length the metadata state; a metadata length of 0 ends
// the stream.
func checkStream(data []byte) error {
	const marker, prefix = 0xFFFFFFFF, 8
	for len(data) > 0 {
		if len(data) < prefix || binary.LittleEndian.Uint32(data) != marker {
			return errors.New("malformed data: a message does not begin with a continuation marker")
		}
		size := int64(int32(binary.LittleEndian.Uint32(data[4:])))
		data = data[prefix:]
		if size == 0 {
			return nil
		}
		if size < 0 || size > int64(len(data)) {
			return errDamaged
		}
		body, err := checkMessage(data[:size])
		data = data[size:]
		if err != nil || body > int64(len(data)) {
			return errDamaged
		}
		data = data[body:]
	}
	return nil
}

// checkMessage returns the length of a message's body, and checks the schema of a
// schema message.
func checkMessage(metadata []byte) (body int64, err error) {
	const slotHeaderType, slotHeader, slotBodyLength, schemaHeader = 1, 2, 3, 1
	b := flatbuffer(metadata)
	root, ok := b.follow(0)
	if !ok {
		return 0, errDamaged
	}
	if at, ok := b.slot(root, slotBodyLength); ok {
		if at+8 > int64(len(b)) {
			return 0, errDamaged
		}
		body = int64(binary.LittleEndian.Uint64(b[at:]))
	}
	if at, ok := b.slot(root, slotHeaderType); ok && at < int64(len(b)) && b[at] == schemaHeader {
		if err := b.checkSchema(root, slotHeader); err != nil {
			return 0, err
		}
	}
	if body < 0 {
		return 0, errDamaged
	}
	return body, nil
}

// checkFile checks the schema in the footer of a file: the footer, its length as
// four bytes and the magic end the file.
func checkFile(r interface {
	io.ReaderAt
	io.Seeker
}) error {
	const tail, slotSchema = 10, 1
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	end := make([]byte, tail)
	if size < tail {
		return errDamaged
	}
	if _, err := r.ReadAt(end, size-tail); err != nil {
		return err
	}
	length := int64(int32(binary.LittleEndian.Uint32(end)))
	if length <= 0 || length > size-tail {
		return errDamaged
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-tail-length); err != nil {
		return err
	}
	b := flatbuffer(footer)
	root, ok := b.follow(0)
	if !ok {
		return errDamaged
	}
	return b.checkSchema(root, slotSchema)
}

// flatbuffer gives checked access to tables and vectors. Positions are absolute.
type flatbuffer []byte

func (b flatbuffer) uint32(at int64) (uint32, bool) {
	if at < 0 || at+4 > int64(len(b)) {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b[at:]), true
}

func (b flatbuffer) uint16(at int64) (uint16, bool) {
	if at < 0 || at+2 > int64(len(b)) {
		return 0, false
	}
	return binary.LittleEndian.Uint16(b[at:]), true
}

// follow reads the offset at a position and goes there.
func (b flatbuffer) follow(at int64) (int64, bool) {
	offset, ok := b.uint32(at)
	return at + int64(offset), ok && at+int64(offset) < int64(len(b))
}

// slot finds a field of a table by its number; false when it is absent.
func (b flatbuffer) slot(table, number int64) (int64, bool) {
	back, ok := b.uint32(table)
	if !ok {
		return 0, false
	}
	vtable, entry := table-int64(int32(back)), 4+2*number
	size, ok := b.uint16(vtable)
	if !ok || int64(size) < entry+2 {
		return 0, false
	}
	offset, ok := b.uint16(vtable + entry)
	return table + int64(offset), ok && offset != 0
}

// checkSchema checks the schema that a table refers to.
func (b flatbuffer) checkSchema(table, slot int64) error {
	const slotFields, slotMetadata = 1, 2
	at, ok := b.slot(table, slot)
	if !ok {
		return errDamaged
	}
	schema, ok := b.follow(at)
	if !ok {
		return errDamaged
	}
	parts := maxSchemaParts
	if err := b.checkVector(schema, slotMetadata, &parts, nil); err != nil {
		return err
	}
	return b.checkVector(schema, slotFields, &parts, func(field int64) error {
		return b.checkField(field, 0, &parts)
	})
}

func (b flatbuffer) checkField(field int64, depth int, parts *int) error {
	const slotChildren, slotMetadata = 5, 6
	if depth > maxFieldDepth {
		return errDamaged
	}
	if err := b.checkVector(field, slotMetadata, parts, nil); err != nil {
		return err
	}
	return b.checkVector(field, slotChildren, parts, func(child int64) error {
		return b.checkField(child, depth+1, parts)
	})
}

// checkVector checks that a table's vector of tables lies in the buffer and visits
// its elements.
func (b flatbuffer) checkVector(table, slot int64, parts *int, visit func(element int64) error) error {
	at, ok := b.slot(table, slot)
	if !ok {
		return nil // absent: empty
	}
	vector, ok := b.follow(at)
	if !ok {
		return errDamaged
	}
	n, ok := b.uint32(vector)
	if *parts -= int(n); !ok || *parts < 0 || vector+4+4*int64(n) > int64(len(b)) {
		return errDamaged
	}
	for i := range int64(n) {
		element, ok := b.follow(vector + 4 + 4*i)
		if !ok {
			return errDamaged
		}
		if visit != nil {
			if err := visit(element); err != nil {
				return err
			}
		}
	}
	return nil
}
