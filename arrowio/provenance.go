package arrowio

import (
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// Provenance says which run a table comes from. It stands in the schema metadata
// of every table of the run, so that a file that travels alone still says what it
// rests on. Nothing in it depends on the machine or the hour.
type Provenance struct {
	Command             string // what produced the run, for example "serving"
	ScenarioID          string
	ScenarioFingerprint string // fingerprint of the scenario document (contract 03 section 4)
	Confidence          evidence.Class
	Revisions           []jsondoc.Revision // contract revisions on the execution path
}

// appendMetadata appends the run's keys; empty facts are left out.
func (p Provenance) appendMetadata(keys, values []string) ([]string, []string) {
	add := func(key, value string) {
		if value != "" {
			keys, values = append(keys, "inferlab."+key), append(values, value)
		}
	}
	add("command", p.Command)
	add("scenario_id", p.ScenarioID)
	add("scenario_fingerprint", p.ScenarioFingerprint)
	add("confidence", string(p.Confidence))
	add("contract_revisions", p.revisions())
	return keys, values
}

// revisions spells the contract map as "name=revision" words in the given order.
func (p Provenance) revisions() string {
	words := make([]string, len(p.Revisions))
	for i, r := range p.Revisions {
		words[i] = r.Name + "=" + strconv.FormatInt(r.Revision, 10)
	}
	return strings.Join(words, " ")
}

// ProvenanceOf reads the provenance back from a table's schema metadata. Keys that
// are absent give empty facts.
func ProvenanceOf(schema *arrow.Schema) Provenance {
	get := func(key string) string {
		v, _ := schema.Metadata().GetValue("inferlab." + key)
		return v
	}
	p := Provenance{
		Command:             get("command"),
		ScenarioID:          get("scenario_id"),
		ScenarioFingerprint: get("scenario_fingerprint"),
		Confidence:          evidence.Class(get("confidence")),
	}
	for _, word := range strings.Fields(get("contract_revisions")) {
		name, text, _ := strings.Cut(word, "=")
		if revision, err := strconv.ParseInt(text, 10, 64); err == nil {
			p.Revisions = append(p.Revisions, jsondoc.Revision{Name: name, Revision: revision})
		}
	}
	return p
}
