package lab

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
)

// Save writes content to path, whole or not at all, makes missing directories
// and shows what was written. Content is one of
//
//   - []byte or string: written as it is (a report page, for example);
//   - a figure: .svg, .png or .pdf by the extension of path;
//   - an *arrowio.Table: .csv or .arrow by the extension of path;
//   - a result, which is what Show tells a verdict of: its page, with .html
//     (SaveResult adds its tables);
//   - func(io.Writer) error: called with the file;
//   - an io.WriterTo.
//
// A failure ends the cell as Must does.
func Save(path string, content any) {
	if err := save(path, content); err != nil {
		fail(err)
	}
	line, err := savedLine(path)
	if err != nil {
		fail(err)
	}
	plainText("saved " + line).send()
}

func save(path string, content any) error {
	write, err := writerOf(strings.ToLower(filepath.Ext(path)), content)
	if err != nil {
		return fmt.Errorf("saving %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("saving %s: %w", path, err)
	}
	return wholefile.Write(path, write)
}

// writerOf chooses how content is written to a file with the given extension.
func writerOf(ext string, content any) (func(io.Writer) error, error) {
	switch c := content.(type) {
	case []byte:
		return func(w io.Writer) error { _, err := w.Write(c); return err }, nil
	case string:
		return func(w io.Writer) error { _, err := io.WriteString(w, c); return err }, nil
	case func(io.Writer) error:
		return c, nil
	case figure.Figure:
		return figureWriter(ext, c)
	case *arrowio.Table:
		return tableWriter(ext, c)
	case io.WriterTo:
		return func(w io.Writer) error { _, err := c.WriteTo(w); return err }, nil
	}
	if _, ok := report.BriefOf(storied(content)); ok {
		return pageWriter(ext, content)
	}
	return nil, fmt.Errorf("there is no way to write %T to a file", content)
}

func pageWriter(ext string, result any) (func(io.Writer) error, error) {
	if ext != ".html" {
		return nil, fmt.Errorf("the page of a result is written as .html, not as %q (its tables: lab.SaveResult)", ext)
	}
	return func(w io.Writer) error {
		page, err := report.PageOf(storied(result), report.Meta{})
		if err == nil {
			_, err = w.Write(page)
		}
		return err
	}, nil
}

func figureWriter(ext string, f figure.Figure) (func(io.Writer) error, error) {
	var draw func(figure.Options) ([]byte, error)
	switch ext {
	case ".svg":
		draw = f.SVG
	case ".png":
		draw = f.PNG
	case ".pdf":
		draw = f.PDF
	default:
		return nil, fmt.Errorf("a figure is written as .svg, .png or .pdf, not as %q", ext)
	}
	return func(w io.Writer) error {
		data, err := draw(figure.Options{})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}, nil
}

func tableWriter(ext string, t *arrowio.Table) (func(io.Writer) error, error) {
	switch ext {
	case ".csv":
		return func(w io.Writer) error { return arrowio.WriteCSV(w, t) }, nil
	case ".arrow":
		return func(w io.Writer) error { return arrowio.WriteIPC(w, t) }, nil
	case ".parquet":
		return nil, fmt.Errorf("for Parquet, import arrowio/parquetio and call lab.SaveTables(dir, parquetio.Ext, parquetio.Write, table)")
	}
	return nil, fmt.Errorf("a table is written as .csv, .arrow or .parquet, not as %q", ext)
}

// SaveTables writes tables into dir as NAME plus ext, all or none of them, makes
// the directory if need be, and shows what was written:
//
//	lab.SaveTables("out", parquetio.Ext, parquetio.Write, tables.All()...)
//
// It takes the writer instead of calling it so that only the cells that save
// Parquet link it. A failure ends the cell as Must does.
func SaveTables(dir, ext string, write func(io.Writer, *arrowio.Table) error, tables ...*arrowio.Table) {
	if err := saveTables(dir, ext, write, tables); err != nil {
		fail(err)
	}
}

// saveTables writes tables and shows the list of them.
func saveTables(dir, ext string, write func(io.Writer, *arrowio.Table) error, tables []*arrowio.Table) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := arrowio.WriteDir(dir, ext, write, tables...); err != nil {
		return err
	}
	saved := &Table{Name: "saved", Columns: []Column{{Name: "file"}, {Name: "rows", Numeric: true}, {Name: "size", Unit: "bytes", Numeric: true}}}
	for _, t := range tables {
		path := filepath.Join(dir, t.Name()+ext)
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		saved.Rows = append(saved.Rows, []string{filepath.ToSlash(path), fmt.Sprint(t.NumRows()), fmt.Sprint(info.Size())})
	}
	Show(saved)
	return nil
}

func savedLine(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s (%s)", filepath.ToSlash(path), unit.Bytes(float64(info.Size()))), nil
}
