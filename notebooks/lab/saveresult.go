package lab

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/calibration"
	calibrationtables "github.com/inferlab/inferlab/calibration/tables"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
)

// SaveResult writes all of a result into dir: every table of it, as SaveTables
// does, and its page, report.html.
//
//	lab.SaveResult("out", run, parquetio.Ext, parquetio.Write)
//
// A result is what Show tells a verdict of. Only cells that call this or save a
// page link what makes pages, and only those that name parquetio link Parquet. A
// failure ends the cell as Must does.
func SaveResult(dir string, result any, ext string, write func(io.Writer, *arrowio.Table) error) {
	tables, err := tablesOf(result)
	if err != nil {
		fail(err)
	}
	if err := saveTables(dir, ext, write, tables); err != nil {
		fail(err)
	}
	path := filepath.Join(dir, "report.html")
	if err := save(path, result); err != nil {
		fail(err)
	}
	line, err := savedLine(path)
	if err != nil {
		fail(err)
	}
	plainText("saved " + line).send()
}

// tablesOf makes all tables of a result that has a brief.
func tablesOf(result any) ([]*arrowio.Table, error) {
	opt := arrowio.Options{}
	if _, ok := report.BriefOf(storied(result)); !ok {
		return nil, fmt.Errorf("%T is no result with tables", result)
	}
	switch r := result.(type) {
	case *simcore.ServingRun:
		return arrowio.Serving(r, opt).All(), nil
	case *simcore.ExpertServingRun:
		return arrowio.Composed(r, opt).All(), nil
	case *serving.Comparison:
		return []*arrowio.Table{arrowio.ServingComparison(r, opt)}, nil
	case *run.Comparison:
		return nil, errors.New("a comparison of plans has no tables of its own; lab.Save writes its page")
	case *simcore.ExpertCacheRun:
		p := arrowio.Provenance{Command: experts.Command, Confidence: r.Confidence(),
			Revisions: []jsondoc.Revision{{Name: "expertCache", Revision: trace.ExpertsContractRevision}}}
		return arrowio.Experts(r.Trace, r.Snapshot.CurrentTimeNs, p, opt).All(), nil
	case *simcore.SpeculativeRun:
		return arrowio.Speculative(r, opt).All(), nil
	case *simcore.SpeculativeExecution:
		return arrowio.SpeculativeOn(r.Workload, r.Run, r.Speculation, opt).All(), nil
	case *simcore.Result:
		return arrowio.Run(r, opt).All(), nil
	case *simcore.Executed:
		return arrowio.PlanRun(r, opt).All(), nil
	case *simcore.FaultCampaign:
		return arrowio.FaultCampaign(r, opt).All(), nil
	case *simcore.ConcurrentCampaign:
		return arrowio.ConcurrentCampaign(r, opt).All(), nil
	case *simcore.NodeFailure:
		return arrowio.NodeFailure(r, opt).All(), nil
	case *simcore.Failover:
		return arrowio.Failover(r, opt).All(), nil
	case *calibration.Result:
		return calibrationtables.All(r, opt), nil
	}
	return nil, fmt.Errorf("%T is no result with tables", result)
}
