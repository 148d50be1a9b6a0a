package export

import (
	"fmt"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/calibration/tables"
)

// Catalog lists the schema of every table that any command writes: those of runs,
// then those of a calibration.
func Catalog() []*arrowio.Declaration {
	all := arrowio.AllDeclarations()
	// A calibration builds its tables from declared columns; those of no dataset have
	// all the columns and no rows.
	for _, t := range tables.All(&calibration.Result{Dataset: &calibration.Dataset{}}, arrowio.Options{}) {
		d, err := arrowio.DeclarationOf(t.Schema())
		t.Release()
		if err != nil {
			panic(fmt.Sprintf("catalog: %v", err)) // a test builds the catalog
		}
		all = append(all, d)
	}
	return all
}
