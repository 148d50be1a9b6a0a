// Package export is what a command needs to hand tables out: choose them by name,
// choose a format by name, and write them into a directory or one of them to a
// stream such as standard output.
//
// It imports every format, Parquet included; notebook cells import arrowio instead.
package export

import (
	"io"
	"strings"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
)

// Format is a form in which tables leave.
type Format struct {
	Name  string // as on a command line
	Ext   string // of files in a directory
	About string
	write func(w io.Writer, t *arrowio.Table) error
}

// Formats lists the formats in the order of the documentation.
func Formats() []Format {
	return []Format{
		{"parquet", parquetio.Ext, "Parquet, zstd", parquetio.Write},
		{"arrow", arrowio.IPCExt, "Arrow IPC file, which readers can map", arrowio.WriteIPC},
		{"arrow-stream", ".arrows", "Arrow IPC stream, readable while it is written", arrowio.WriteIPCStream},
		{"csv", arrowio.CSVExt, "CSV; types and units stand in the declaration only", arrowio.WriteCSV},
	}
}

// ParseFormat finds a format by name; an unknown name is refused with the known
// ones.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, issue.New("export_format", "format", "unknown format %q; known formats are %s%s",
		name, strings.Join(names, ", "), document.Suggest(name, names))
}

// Select picks tables by name, in the order of the names. No names pick all. An
// unknown or repeated name is refused.
func Select(tables []*arrowio.Table, names ...string) ([]*arrowio.Table, error) {
	if len(names) == 0 {
		return tables, nil
	}
	known := make([]string, len(tables))
	byName := make(map[string]*arrowio.Table, len(tables))
	for i, t := range tables {
		known[i], byName[t.Name()] = t.Name(), t
	}
	picked := make([]*arrowio.Table, 0, len(names))
	taken := map[string]bool{}
	for _, name := range names {
		switch {
		case byName[name] == nil:
			return nil, issue.New("export_table", "tables", "no table %q; there are %s%s",
				name, strings.Join(known, ", "), document.Suggest(name, known))
		case taken[name]:
			return nil, issue.New("export_table", "tables", "table %q is asked for twice", name)
		}
		taken[name] = true
		picked = append(picked, byName[name])
	}
	return picked, nil
}

// Dir writes tables into a directory that exists, all or none of them.
func (f Format) Dir(dir string, tables ...*arrowio.Table) error {
	return arrowio.WriteDir(dir, f.Ext, f.write, tables...)
}

// Stream writes one table to w. Tables do not share a stream, because no format
// holds two of them.
func (f Format) Stream(w io.Writer, tables ...*arrowio.Table) error {
	if len(tables) != 1 {
		return issue.New("export_stream", "tables", "%d tables for one stream; expected exactly one", len(tables))
	}
	return f.write(w, tables[0])
}
