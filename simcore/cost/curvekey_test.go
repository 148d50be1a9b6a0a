package cost_test

import (
	"testing"

	"github.com/inferlab/inferlab/simcore/cost"
)

// Words that files choose cannot break the line of a message.
func TestCurveKeysQuoteWhatFilesChoose(t *testing.T) {
	key := cost.CurveKey{Operation: cost.CollectiveOperation, Algorithm: "ring\nall", ScenarioID: "a lab", LinkIDs: []string{"bus"}, ParticipantCount: 2}
	if got, want := key.String(), `collective "ring\nall" of 2 participants on scenario "a lab" over links [bus]`; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}
