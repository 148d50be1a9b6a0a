package workload_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/workload"
)

func parse(t *testing.T, text string) document.Value {
	t.Helper()
	v, err := document.Parse([]byte(text), "work.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestReadRunPrecedence(t *testing.T) {
	for text, want := range map[string]workload.RunKind{
		"target_only: {token_count: 3}":                                      workload.RunTargetOnly,
		"target_only: {token_count: 3}\nexpert_cache: {}":                    workload.RunExpertCache,
		"target_only: {token_count: x}\nexpert_cache: {}\nspeculative: null": workload.RunSpeculative,
	} {
		c, err := workload.ReadRun(document.NewReader(parse(t, text), ""))
		if err != nil || c.Kind != want {
			t.Errorf("%q: %s, %v; want %s", text, c.Kind, err, want)
		}
	}
}

func TestReadRunTargetOnly(t *testing.T) {
	r := document.NewReader(parse(t, "target_only: {token_count: 3.0, token_cont: 4}\nnode_failure: {}\ntarget-only: 1"), "")
	c, err := workload.ReadRun(r)
	if err != nil || c.TokenCount != 3 {
		t.Fatalf("%d, %v", c.TokenCount, err)
	}
	var warned []string
	for _, w := range r.Warnings() {
		warned = append(warned, w.Path+" -> "+w.Nearest)
	}
	if d := cmp.Diff([]string{"target-only -> target_only", "target_only.token_cont -> token_count"}, warned); d != "" {
		t.Error(d)
	}
	for text, named := range map[string]string{
		"target_only: {}":                          "target_only.token_count",
		"target_only: {token_count: 0}":            "target_only.token_count",
		"target_only: {token_count: -1}":           "target_only.token_count",
		"target_only: {token_count: 2.5}":          "target_only.token_count",
		"target_only: {token_count: '4'}":          "target_only.token_count",
		"target_only: {token_count: true}":         "target_only.token_count",
		"target_only: {token_count: 1e300}":        "target_only.token_count",
		"target_only: 4":                           "target_only",
		"- 1":                                      "object",
		"targets: {token_count: 3}":                "expert_cache",
		"expert_cache: {placement_strategy: hash}": "placement_strategy",
	} {
		if _, err := workload.ReadRun(document.NewReader(parse(t, text), "")); err == nil || !strings.Contains(err.Error(), named) {
			t.Errorf("%q must be refused naming %s: %v", text, named, err)
		}
	}
}

const servingText = `
max_batch_size: 2
max_batch_tokens: 8
prefill_chunk_tokens: 4
max_kv_tokens: 30
requests:
- {id: ea, arrival_ns: 0, prompt_tokens: 5, output_tokens: 3}
- {id: eb, arrival_ns: 7, prompt_tokens: 4, output_tokens: 2, priority: -3}
`

func TestReadServing(t *testing.T) {
	nested := "serving:" + strings.ReplaceAll(servingText, "\n", "\n  ")
	for name, text := range map[string]string{"at the root": servingText, "below serving": nested, "serving is null": servingText + "serving: null\n"} {
		c, warnings, err := workload.ReadServing(parse(t, text), true)
		if err != nil || len(warnings) != 0 {
			t.Errorf("%s: %v, %v", name, err, warnings)
			continue
		}
		want := workload.Serving{MaxBatchSize: 2, MaxBatchTokens: 8, PrefillChunkTokens: 4, MaxKVTokens: 30, MaxEvents: workload.DefaultServingMaxEvents,
			Requests: []workload.Request{{ID: "ea", PromptTokens: 5, OutputTokens: 3}, {ID: "eb", ArrivalNs: 7, PromptTokens: 4, OutputTokens: 2, Priority: -3}}}
		if d := cmp.Diff(want, c.Serving); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if c.Speculative.Present() || c.ExpertCache.Present() {
			t.Errorf("%s: blocks out of nowhere", name)
		}
	}
}

func TestReadServingRefusals(t *testing.T) {
	for _, c := range []struct{ replace, by, named string }{
		{"max_kv_tokens: 30\n", "", "serving.max_kv_tokens"},
		{"max_batch_size: 2", "max_batch_size: 0", "serving.max_batch_size"},
		{"max_batch_tokens: 8", "max_batch_tokens: '8'", "serving.max_batch_tokens"},
		{"arrival_ns: 7, ", "", "serving.requests[1].arrival_ns"},
		{"arrival_ns: 7", "arrival_ns: -7", "eb"},
		{"prompt_tokens: 5", "prompt_tokens: 0", "ea"},
		{"output_tokens: 2", "output_tokens: 1.5", "eb"},
		{"priority: -3", "priority: 0.5", "serving.requests[1].priority"},
		{"id: ea", "id: 4", "serving.requests[0].id"},
	} {
		text := strings.Replace(servingText, c.replace, c.by, 1)
		if _, _, err := workload.ReadServing(parse(t, text), false); err == nil || !strings.Contains(err.Error(), c.named) {
			t.Errorf("%q for %q must be refused naming %s: %v", c.by, c.replace, c.named, err)
		}
	}
}

func TestReadServingUnknownKeys(t *testing.T) {
	text := strings.Replace(servingText, "priority: -3", "priorty: 3", 1) + "max_batch_sise: 4\n"
	_, warnings, err := workload.ReadServing(parse(t, text), false)
	if err != nil || len(warnings) != 2 || warnings[0].Path != "max_batch_sise" || warnings[0].Nearest != "max_batch_size" || warnings[1].Nearest != "priority" {
		t.Errorf("%v, %v", warnings, err)
	}
	if _, _, err := workload.ReadServing(parse(t, text), true); err == nil || !strings.Contains(err.Error(), "max_batch_sise") {
		t.Errorf("strict: %v", err)
	}
}

// Files of arbitrary bytes are read or refused, never more; what is read passes the
// checks that its readers promise.
func FuzzReadFiles(f *testing.F) {
	f.Add([]byte(servingText))
	f.Add([]byte("serving: {max_batch_size: 1, requests: [{id: a, arrival_ns: 1e3}]}"))
	f.Add([]byte("target_only: {token_count: 3}\nspeculative: null"))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := document.Parse(data, "work.yaml")
		if err != nil {
			return
		}
		if c, err := workload.ReadRun(document.NewReader(doc, "")); err == nil && c.Kind == workload.RunTargetOnly && c.TokenCount < 1000 {
			p, err := workload.TargetOnly(c.TokenCount)
			if err != nil || p.Validate() != nil {
				t.Fatalf("a count of %d tokens that was read is refused: %v", c.TokenCount, err)
			}
		}
		c, _, err := workload.ReadServing(doc, false)
		if err != nil {
			return
		}
		if len(c.Serving.Requests) == 0 || c.Serving.MaxEvents < 1 || c.Serving.MaxKVTokens < 1 {
			t.Fatalf("read without what it needs: %+v", c.Serving)
		}
		for _, r := range c.Serving.Requests {
			if r.ID == "" || r.ArrivalNs < 0 || r.PromptTokens < 1 || r.OutputTokens < 1 {
				t.Fatalf("a request out of its bounds: %+v", r)
			}
		}
	})
}
