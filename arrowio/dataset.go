package arrowio

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
)

// RunDir is the directory of one run in a partitioned dataset: DATASET/run=NAME.
// Tables of many runs, written there under their usual names, open as one table
// with a column run in readers that know Hive partitions:
//
//	duckdb:  select * from read_parquet('DATASET/run=*/tokens.parquet', hive_partitioning = true)
//	polars:  polars.scan_parquet("DATASET/run=*/tokens.parquet", hive_partitioning=True)
//	pyarrow: pyarrow.dataset.dataset(files, partitioning="hive")
//
// Characters of the name other than letters, digits, '-', '.' and '_' are spelled
// as %XX. The directory is made and tried as PrepareDir does.
func RunDir(dataset, run string) (string, error) {
	if run == "" {
		return "", issue.New("run_name", "run", "is empty; expected a name for the run")
	}
	dir := filepath.Join(dataset, "run="+partitionValue(run))
	return dir, PrepareDir(dir)
}

func partitionValue(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._", c) >= 0
		if plain {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
