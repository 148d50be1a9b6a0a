// Package run executes Jupyter notebooks on the GoNB kernel without Jupyter:
// only Go is needed on the machine.
//
// In goes a notebook document (nbformat 4, minor revisions 0 to 5) and the
// directory of an inferlab checkout; out comes the same document with the
// outputs of every code cell written back, a report of how long each cell
// took, or one typed error that says which cell failed and why.
//
//	nb, err := run.ReadFile("notebooks/quickstart.ipynb")
//	…
//	report, err := run.Execute(ctx, nb, run.Options{Dir: "notebooks", CellTimeout: time.Minute})
//	if saveErr := nb.WriteFile("out/quickstart.ipynb"); saveErr != nil { … }
//
// Execute starts the kernel itself: it builds gonb and goimports from the
// versions that the checkout's go.mod names (once, into the user's cache
// directory), writes a private connection file, speaks revision 5 of the
// Jupyter messaging protocol over ZeroMQ on 127.0.0.1, and shuts the kernel
// down again with all it started. Cells can import every package of the
// checkout; with a warm module cache nothing is fetched from the network.
//
// # Errors
//
// A cell that fails ends the run with a *CellError, a kernel that dies or does
// not start with a *KernelError, a document that is not a notebook with a
// *FormatError, and tools that cannot be built with a *ToolError. Outputs
// received up to the failure stay in the document.
//
// # What is kept of the document
//
// Fields that this package does not know are kept, as are the order of keys
// and the text of numbers. A document that Jupyter saved is written back
// byte for byte, except for the outputs and execution counts of its code
// cells (and their recorded execution times, which belong to an earlier run).
// Paths of the kernel's temporary directory are taken out of outputs, so that
// executing a committed notebook twice changes nothing.
package run
