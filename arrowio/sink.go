package arrowio

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/internal/wholefile"
)

// Sink takes the record batches of several tables while a run goes on.
type Sink interface {
	// Create announces a table. A table without rows is announced too.
	Create(name string, s *arrow.Schema) error
	// Write hands over a batch of an announced table. It returns when the sink has
	// room for it, so a run never gets ahead of the disk by more than a batch or
	// two. The sink keeps a reference of its own for as long as it needs one.
	Write(name string, rec arrow.RecordBatch) error
}

// DirSink writes every table into a file NAME.EXT of one directory. Each file is
// written by a goroutine of its own. The files appear together on Commit; until
// then they stand under hidden names, and Abort removes them.
//
// A DirSink is used by one goroutine at a time.
type DirSink struct {
	dir, ext string
	open     Opener
	mem      memory.Allocator
	files    []*sinkFile
	done     bool
}

// NewDirSink makes a sink for a directory that exists. The files' buffers come
// from mem.
func NewDirSink(dir, ext string, open Opener, mem memory.Allocator) *DirSink {
	return &DirSink{dir: dir, ext: strings.TrimPrefix(ext, "."), open: open, mem: mem}
}

// errSinkDone answers use after Commit or Abort.
var errSinkDone = errors.New("the tables are already committed or aborted")

// Create opens the file of a table.
func (d *DirSink) Create(name string, s *arrow.Schema) error {
	if d.done {
		return errSinkDone
	}
	if d.file(name) != nil {
		return fmt.Errorf("table %s is announced twice", name)
	}
	path := filepath.Join(d.dir, name+"."+d.ext)
	f, err := wholefile.Create(path)
	if err != nil {
		return err
	}
	file := &sinkFile{name: name, path: path, file: f, buffered: bufio.NewWriterSize(f, fileBuffer)}
	d.files = append(d.files, file)
	if file.writer, err = d.open(file.buffered, s, d.mem); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	file.start()
	return nil
}

// Write hands a batch to the goroutine of its file. An error that the goroutine
// met with an earlier batch is returned here.
func (d *DirSink) Write(name string, rec arrow.RecordBatch) error {
	if d.done {
		return errSinkDone
	}
	f := d.file(name)
	if f == nil {
		return fmt.Errorf("table %s was not announced", name)
	}
	return f.put(rec)
}

// Commit waits for all batches, syncs the files to disk and gives them their
// names. On an error nothing of this sink is left, but for files that have taken
// their names before a later rename failed.
func (d *DirSink) Commit() error {
	if d.done {
		return errSinkDone
	}
	defer d.Abort()
	for _, f := range d.files {
		if err := f.finish(); err != nil {
			return err
		}
	}
	for _, f := range d.files {
		if err := f.file.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// Abort stops writing and removes the files. It does nothing after Commit.
func (d *DirSink) Abort() {
	if d.done {
		return
	}
	d.done = true
	for _, f := range d.files {
		f.stop()
		f.file.Abort()
	}
}

func (d *DirSink) file(name string) *sinkFile {
	for _, f := range d.files {
		if f.name == name {
			return f
		}
	}
	return nil
}

// sinkFile is one file and the goroutine that writes it.
type sinkFile struct {
	name, path string
	file       *wholefile.File
	buffered   *bufio.Writer
	writer     BatchWriter

	batches chan arrow.RecordBatch // to the goroutine; nil when it does not run
	failed  chan struct{}          // closed when err is set
	stopped chan struct{}          // closed when the goroutine has ended
	err     error
}

func (f *sinkFile) start() {
	f.batches, f.failed, f.stopped = make(chan arrow.RecordBatch), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(f.stopped)
		for rec := range f.batches {
			if f.err == nil {
				if f.err = f.writer.Write(rec); f.err != nil {
					close(f.failed)
				}
			}
			rec.Release()
		}
	}()
}

func (f *sinkFile) put(rec arrow.RecordBatch) error {
	select {
	case <-f.failed: // first, because the goroutine goes on to drain batches
		return f.explain(f.err)
	default:
	}
	rec.Retain()
	select {
	case <-f.failed:
		rec.Release()
		return f.explain(f.err)
	case f.batches <- rec:
		return nil
	}
}

// stop ends the goroutine and the file of its format.
func (f *sinkFile) stop() {
	if f.batches == nil {
		return
	}
	close(f.batches)
	<-f.stopped
	f.batches = nil
	if err := f.writer.Close(); f.err == nil {
		f.err = err
	}
}

// finish brings everything to disk.
func (f *sinkFile) finish() error {
	f.stop()
	if f.err == nil {
		f.err = f.buffered.Flush()
	}
	if f.err == nil {
		f.err = f.file.Sync()
	}
	return f.explain(f.err)
}

func (f *sinkFile) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write %s: %w", f.path, err)
}
