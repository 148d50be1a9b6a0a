// Package notebooks holds the committed notebooks, so that a built command can
// hand them out: plain data, executed by notebooks/run or by Jupyter.
package notebooks

import "embed"

// QuickstartName is the file name of the first notebook.
const QuickstartName = "quickstart.ipynb"

// Quickstart is the first notebook, as committed: simulate, look at the table,
// draw TTFT and ITL, save.
//
//go:embed quickstart.ipynb
var Quickstart []byte

// Files holds all notebooks by file name.
//
//go:embed *.ipynb
var Files embed.FS

// Requirements names the Python packages, with versions, that a JupyterLab of
// inferlab's own is made of.
//
//go:embed requirements.txt
var Requirements []byte
