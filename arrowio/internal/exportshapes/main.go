// Command exportshapes writes a table with every shape of list and null into a
// directory, as Parquet and Arrow, for the tests of readers that are not written
// in Go. Row r of its columns follows from r alone:
//
//	row     int64                r
//	maybe   int64, nullable      null where r mod 3 is 1, otherwise -r
//	word    label, nullable      null where r mod 5 is 2, otherwise one of "", "ü", "\U0001F600"
//	ints    list<int64>, null    null where r mod 7 is 3, otherwise r mod 4 times the value r
//	words   list<label>, null    null where r mod 11 is 4, otherwise r mod 3 words
//
// except row 5, whose ints are longer than a page, and row 6, whose words are. The
// table shapes has labels as dictionaries, the table plain_shapes as plain strings.
package main

import (
	"fmt"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
)

const (
	batches  = 3
	rows     = 2000    // in a batch
	longList = 400_000 // values of a list that crosses pages of 1 MiB
)

var vocabulary = []string{"", "ü", "\U0001F600"}

func main() {
	if err := export(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func export(dir string) error {
	for name, opt := range map[string]arrowio.Options{"shapes": {}, "plain_shapes": {PlainStrings: true}} {
		table := shapes(name, opt)
		defer table.Release()
		if err := parquetio.WriteDir(dir, table); err != nil {
			return err
		}
		if err := arrowio.WriteDir(dir, arrowio.IPCExt, arrowio.WriteIPC, table); err != nil {
			return err
		}
	}
	return nil
}

// shapes builds the table.
func shapes(name string, opt arrowio.Options) *arrowio.Table {
	decl := arrowio.Declaration{Table: name, Fields: []arrowio.Field{
		{Name: "row", Kind: arrowio.Int64, Unit: arrowio.UnitCount},
		{Name: "maybe", Kind: arrowio.Int64, Nullable: true, Unit: arrowio.UnitCount},
		{Name: "word", Kind: arrowio.Label, Nullable: true, Unit: arrowio.UnitWord},
		{Name: "ints", Kind: arrowio.Int64s, Nullable: true, Unit: arrowio.UnitCount},
		{Name: "words", Kind: arrowio.Labels, Nullable: true, Unit: arrowio.UnitWord},
	}}
	schema := decl.Schema(arrowio.Provenance{}, opt)
	var out []arrow.RecordBatch
	for b := range batches {
		rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		insertVocabulary(rb)
		for i := range rows {
			appendRow(rb, int64(b*rows+i))
		}
		out = append(out, rb.NewRecordBatch())
		rb.Release()
	}
	return arrowio.FromBatches(name, schema, out)
}

// insertVocabulary gives the dictionaries of all batches the same contents, which
// the Arrow file format asks for.
func insertVocabulary(rb *array.RecordBuilder) {
	words := array.NewStringBuilder(memory.DefaultAllocator)
	defer words.Release()
	words.AppendValues(vocabulary, nil)
	dict := words.NewStringArray()
	defer dict.Release()
	for _, b := range []array.Builder{rb.Field(2), rb.Field(4).(*array.ListBuilder).ValueBuilder()} {
		if b, ok := b.(*array.BinaryDictionaryBuilder); ok {
			if err := b.InsertStringDictValues(dict); err != nil {
				panic(err)
			}
		}
	}
}

func appendRow(rb *array.RecordBuilder, r int64) {
	rb.Field(0).(*array.Int64Builder).Append(r)
	if r%3 == 1 {
		rb.Field(1).AppendNull()
	} else {
		rb.Field(1).(*array.Int64Builder).Append(-r)
	}
	appendWord(rb.Field(2), r%5 != 2, r)
	ints := rb.Field(3).(*array.ListBuilder)
	ints.Append(r%7 != 3)
	for range length(r%7 != 3, r == 5, r%4) {
		ints.ValueBuilder().(*array.Int64Builder).Append(r)
	}
	words := rb.Field(4).(*array.ListBuilder)
	words.Append(r%11 != 4)
	for i := range length(r%11 != 4, r == 6, r%3) {
		appendWord(words.ValueBuilder(), true, r+i)
	}
}

func length(valid, long bool, n int64) int64 {
	switch {
	case !valid:
		return 0
	case long:
		return longList
	}
	return n
}

func appendWord(b array.Builder, valid bool, r int64) {
	if !valid {
		b.AppendNull()
		return
	}
	word := vocabulary[r%int64(len(vocabulary))]
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(word)
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(word); err != nil {
			panic(err)
		}
	}
}
