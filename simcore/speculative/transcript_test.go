package speculative

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/inferlab/inferlab/simcore/workload"
)

// lines splits a transcript's input into the numbers of each line.
func lines(t *testing.T, input string) [][]int64 {
	var rows [][]int64
	for line := range strings.Lines(input) {
		var row []int64
		for _, f := range strings.Fields(strings.ReplaceAll(line, "/", " ")) {
			v, err := strconv.ParseInt(f, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestDraws(t *testing.T) {
	datadriven.RunTest(t, "testdata/draws", func(t *testing.T, d *datadriven.TestData) string {
		var stream string
		d.MaybeScanArgs(t, "stream", &stream) // the empty stream is not named
		hash := StreamHash(stream)
		out := fmt.Sprintf("hash %d\n", hash)
		for _, row := range lines(t, d.Input) {
			out += fmt.Sprintln(Draw(row[0], hash, row[1], row[2]))
		}
		return out
	})
}

func TestIterationArithmetic(t *testing.T) {
	datadriven.RunTest(t, "testdata/iterations", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		for _, row := range lines(t, d.Input) {
			if d.Cmd == "plan" {
				s := Plan(row[0], row[1], row[2])
				if len(row) == 4 {
					s = PlanWithin(row[0], row[1], row[2], row[3])
				}
				fmt.Fprintf(&out, "%d+%d=%d, %d\n", s.Guaranteed, s.ProposedAdditional, s.ProposedDraftTokens(), s.TargetTokenWidth())
				continue
			}
			e, err := Decide(Shape{row[0], row[1]}, row[2], row[3])
			if err != nil {
				fmt.Fprintln(&out, "refused")
				continue
			}
			fmt.Fprintf(&out, "%d %d %d %d %s\n", e.AcceptedDraft, e.RejectedDraft, e.Authoritative, e.Committed, e.Outcome)
		}
		return out.String()
	})
}

// parseGroups reads the groups of a transcript.
func parseGroups(t *testing.T, input string) []workload.StateGroup {
	var groups []workload.StateGroup
	for line := range strings.Lines(input) {
		f := strings.Fields(line)
		for i := range f {
			f[i] = strings.Trim(strings.ReplaceAll(f[i], `""`, ""), "-")
		}
		g := workload.StateGroup{ID: f[0], Owner: workload.StateOwner(f[1]), Role: workload.StateRole(f[2]), Lifetime: workload.StateLifetime(f[3])}
		var err error
		if g.CapacityTokens, err = strconv.ParseInt(f[4], 10, 64); err != nil {
			t.Fatal(err)
		}
		if bound := strings.Fields(line)[5]; bound != "tail" {
			g.Rollback.Bounded = true
			if g.Rollback.MaxRollbackTokens, err = strconv.ParseInt(bound, 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		groups = append(groups, g)
	}
	return groups
}

func lengths(tx *Transaction) string {
	var parts []string
	for _, g := range tx.Groups() {
		parts = append(parts, fmt.Sprintf("%s %d/%d", g.ID, g.LogicalLength, g.HighWaterLength))
	}
	return strings.Join(parts, " ") + "\n"
}

func TestTransactions(t *testing.T) {
	var tx *Transaction
	datadriven.RunTest(t, "testdata/transactions", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd == "sequence" {
			var initial int64
			d.ScanArgs(t, "initial", &initial)
			var err error
			if tx, err = NewTransaction(Binding{}, initial, parseGroups(t, d.Input)); err != nil {
				return "refused\n"
			}
			return "ok\n"
		}
		it := Iteration{AuthoritativeTokens: 1}
		d.ScanArgs(t, "draft", &it.DraftTokens)
		d.ScanArgs(t, "accepted", &it.AcceptedDraftTokens)
		it.LocalTokens = it.DraftTokens
		d.MaybeScanArgs(t, "local", &it.LocalTokens)
		d.MaybeScanArgs(t, "own", &it.AuthoritativeTokens)
		out, err := tx.Iterate(it)
		if err != nil {
			return fmt.Sprintf("refused at %d\n", tx.CommittedTokens()) + lengths(tx)
		}
		return fmt.Sprintf("iteration %d checkpoint %d: %d to %d, committed %d, rejected %d\n", out.IterationID, out.CheckpointID,
			out.BaseTokens, out.FinalTokens, out.Committed, out.RejectedDraft) + lengths(tx)
	})
}
