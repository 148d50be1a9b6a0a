package library

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/model"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// figures are what a profile says of itself.
type figures struct {
	name, weights, kv                                     string
	layers                                                int
	params, lookup                                        int64
	embedding, attention, ffn, flops, kvPerToken, decoder float64
	parts                                                 []int64
	expert, shared                                        float64
}

// known are the contract's figures.
var known = []figures{
	{"qwen3-0.6b", "fp16", "fp16", 28, 595984384, 0, 311164928, 352321536, 528482304, 1191968768, 114688, 1191968768, []int64{}, 0, 0},
	{"qwen3-0.6b", "int4", "fp8", 28, 595984384, 0, 77791232, 88080384, 132120576, 1191968768, 57344, 297992192, []int64{}, 0, 0},
	{"llama-3-8b", "int4", "fp16", 32, 8029995008, 525336576, 525336576, 671088640, 2818572288, 15009316864, 131072, 4014997504, []int64{}, 0, 0},
	{"gemma-4-e2b", "int4", "fp16", 35, 4855365632, 2348810240, 1375731712, 139198464, 778567680, 5013110784, 18432, 2293497856, []int64{113836032, 154533888}, 0, 0},
	{"gemma-4-12b", "fp8", "fp16", 48, 11940003840, 0, 1006632960, 2422210560, 8493465600, 23880007680, 344064, 11922309120, []int64{17694720}, 0, 0},
	{"qwen3.6-27b", "int4", "fp16", 64, 25339719680, 1271398400, 1271398400, 2613248000, 8556380160, 48136642560, 65536, 12441026560, []int64{412839936, 44826624}, 0, 0},
	{"llama-3.2-11b-vision", "fp16", "fp16", 40, 10945788928, 525336576, 2101346304, 4026531840, 14092861440, 20840904704, 163840, 20220739584, []int64{787184640, 48234496}, 0, 0},
	{"whisper-large-v3", "fp16", "fp16", 32, 1539801600, 0, 132776960, 838860800, 838860800, 3079603200, 163840, 1810498560, []int64{634552320}, 0, 0},
	{"flux-1-dev", "fp8", "fp16", 57, 16768724352, 0, 0, 2868903936, 8965324800, 33537448704, 0, 11834228736, []int64{122880000, 4762107904, 49507712}, 0, 0},
	{"stable-diffusion-1.5", "fp16", "fp16", 9, 1026289536, 0, 0, 187023360, 1520890880, 2052579072, 0, 1707914240, []int64{122880000, 49452416}, 0, 0},
	{"stable-diffusion-xl", "fp16", "fp16", 7, 3425480576, 0, 0, 1910374400, 3211146240, 6850961152, 0, 5121520640, []int64{122880000, 692387840, 49452416}, 0, 0},
	{"gpt-oss-20b", "int4", "fp16", 24, 20905574400, 579133440, 579133440, 318504960, 1194393600, 6051594240, 49152, 10452787200, []int64{}, 12441600, 0},
	{"mixtral-8x7b", "int4", "fp16", 32, 46701477888, 131072000, 131072000, 671088640, 5637144576, 25232932864, 131072, 23350738944, []int64{}, 88080384, 0},
	{"qwen-3-235b", "int4", "fp16", 94, 235043553280, 622329856, 622329856, 3351248896, 7096762368, 41792045056, 192512, 117521776640, []int64{}, 9437184, 0},
	{"deepseek-v2", "fp8", "fp8", 60, 235692359680, 524288000, 1048576000, 8953528320, 11324620800, 40556298240, 34560, 235692359680, []int64{}, 23199744, 46399488},
	{"deepseek-v3", "fp8", "fp16", 61, 670918967296, 926679040, 1853358080, 11413422080, 24178065408, 71182974976, 70272, 670918967296.0001, []int64{}, 41874280.91803279, 41874280.91803279},
	{"kimi-k2", "int4", "fp16", 61, 1026242052096, 1174405120, 1174405120, 3084222464, 12089032704, 60693020672, 70272, 513121026048, []int64{}, 21659110.81967213, 21659110.81967213},
}

func TestKnownFigures(t *testing.T) {
	for _, want := range known {
		p, err := Model(want.name, want.weights, want.kv)
		if err != nil {
			t.Fatal(err)
		}
		got := figures{want.name, p.WeightDtype, p.KVCacheDtype, len(p.Layers), p.TotalParams, p.LookupParams,
			p.EmbeddingBytes, p.ActiveAttentionBytes(), p.ActiveFFNBytes(), p.ForwardFLOPsPerToken(), p.KVBytesPerToken(), p.DecoderWeightBytes(),
			[]int64{}, p.ExpertBytesPerLayer, p.SharedExpertBytesPerLayer}
		for _, part := range p.Parts {
			got.parts = append(got.parts, part.Params)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(figures{})); diff != "" {
			t.Errorf("%s in %s/%s: %s", want.name, want.weights, want.kv, diff)
		}
	}
}

// The derived count of every model lies near the published one, and no figure
// leaves the integers that doubles hold.
func TestDerivedNearPublished(t *testing.T) {
	if len(Names()) != 36 {
		t.Fatalf("the library has %d models: %v", len(Names()), Names())
	}
	seen := map[string]bool{}
	for _, name := range Names() {
		if seen[name] {
			t.Errorf("%s stands twice", name)
		}
		seen[name] = true
		p, err := Model(name, "fp32", "fp16")
		if err != nil {
			t.Fatal(err)
		}
		if ratio := float64(p.TotalParams) / float64(p.PublishedParams); !(ratio >= 0.88 && ratio <= 1.08) {
			t.Errorf("%s: %d derived, %d published", name, p.TotalParams, p.PublishedParams)
		}
		if !quantity.IsCount(int64(p.WeightBytes())) || p.WeightBytes() <= 0 {
			t.Errorf("%s: %v bytes", name, p.WeightBytes())
		}
		// In fp32 a parameter is four bytes: the parts make up the whole.
		if whole, parts := float64(4*p.TotalParams), p.WeightBytes(); parts < whole*(1-1e-12) || parts > whole*(1+1e-12) {
			t.Errorf("%s: parts are %v bytes, the whole %v", name, parts, whole)
		}
		if p.Provenance.Confidence != evidence.Heuristic || !strings.Contains(p.Provenance.Source, name) || p.Provenance.Notes == "" {
			t.Errorf("%s: provenance %+v", name, p.Provenance)
		}
	}
}

func TestSelectors(t *testing.T) {
	picked := func(s Selector) (out []int64) {
		for i := range int64(12) {
			if s.matches(i) {
				out = append(out, i)
			}
		}
		return out
	}
	for _, c := range []struct {
		s    Selector
		want []int64
	}{
		{Selector{}, []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{Selector{From: 9}, []int64{9, 10, 11}},
		{Selector{To: 2}, []int64{0, 1}},
		{Selector{Period: 5, Phase: 4}, []int64{4, 9}},
		{Selector{From: 3, To: 11, Period: 5, Phase: 3}, []int64{3, 8}},
	} {
		if diff := cmp.Diff(c.want, picked(c.s)); diff != "" {
			t.Errorf("%+v: %s", c.s, diff)
		}
	}
}

func TestReportedHeads(t *testing.T) {
	for _, c := range []struct {
		name         string
		heads, kv    int64
		kind         Kind
		kvLayers     int // layers that cache anything
		media, parts int
	}{
		{"llama-3-8b", 32, 8, Dense, 32, 0, 0},
		{"qwen3.6-27b", 24, 4, Dense, 16, 2, 2}, // layers 0 to 2 are linear
		{"deepseek-v3", 128, 128, MoE, 61, 0, 0},
		{"gemma-4-e2b", 8, 1, Dense, 15, 2, 2}, // later layers reuse the cache
		{"stable-diffusion-1.5", 8, 8, Denoiser, 0, 0, 2},
	} {
		p, err := Model(c.name, "fp16", "fp16")
		if err != nil {
			t.Fatal(err)
		}
		cached := 0
		for _, l := range p.Layers {
			if l.KVBytesPerToken > 0 {
				cached++
			}
		}
		if p.NumHeads != c.heads || p.NumKVHeads != c.kv || p.Kind != c.kind || cached != c.kvLayers || len(p.MediaInputs) != c.media || len(p.Parts) != c.parts {
			t.Errorf("%s: %d/%d heads, %s, %d layers with KV, %d media, %d parts", c.name, p.NumHeads, p.NumKVHeads, p.Kind, cached, len(p.MediaInputs), len(p.Parts))
		}
	}
}

func TestUndeclaredMediaIsOneImage(t *testing.T) {
	a, err := Lookup("llama-3-8b")
	if err != nil {
		t.Fatal(err)
	}
	a.Components = []Component{{ID: "tower", TokensPerItem: 200}, {ID: "merger", TokensPerItem: 56}}
	p, err := a.Materialise("fp16", "fp16")
	if err != nil {
		t.Fatal(err)
	}
	want := []MediaInput{{Modality: "image", Unit: "image", DecoderTokensPerItem: 256, ComponentIDs: []string{"tower", "merger"}}}
	if diff := cmp.Diff(want, p.MediaInputs); diff != "" {
		t.Error(diff)
	}
}

func TestDenoisers(t *testing.T) {
	for _, c := range []struct {
		name                   string
		invocations, positions int64
	}{
		{"flux-1-schnell", 4, 4096},        // (1024 / 8 / 2)²
		{"flux-1-dev", 50, 4096},           //
		{"stable-diffusion-1.5", 40, 4096}, // two invocations a step; (512 / 8)²
		{"stable-diffusion-xl", 60, 4096},  // attends from the second stage: (1024 / 8 / 2)²
		{"llama-3-8b", 0, 0},
	} {
		p, err := Model(c.name, "fp16", "fp16")
		if err != nil {
			t.Fatal(err)
		}
		if p.DenoiserInvocations != c.invocations || p.LatentPositions != c.positions {
			t.Errorf("%s: %d invocations, %d positions", c.name, p.DenoiserInvocations, p.LatentPositions)
		}
	}
}

// The library and the presets for static analysis know five names in common and
// count them differently.
func TestPresetsAreOthers(t *testing.T) {
	for _, name := range model.PresetNames() {
		p, err := Model(name, "fp16", "fp16")
		if err != nil {
			t.Fatal(err)
		}
		preset, err := model.Preset(name, "fp16", "fp16")
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(p.Layers)) != preset.Architecture.NumLayers || float64(p.TotalParams) == preset.TotalParams {
			t.Errorf("%s: %d layers and %d parameters here, %d and %v there", name, len(p.Layers), p.TotalParams, preset.Architecture.NumLayers, preset.TotalParams)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, weights, kv, want string }{
		{"llama-3-8", "fp16", "fp16", "unknown_model@"},
		{"llama-3-8b", "fp12", "fp16", "unknown_format@weights"},
		{"llama-3-8b", "fp16", "", "unknown_format@kvCache"},
	} {
		_, err := Model(c.name, c.weights, c.kv)
		if all := issue.All(err); len(all) != 1 || all[0].Code+"@"+all[0].Path != c.want {
			t.Errorf("%v gives %v", c, err)
		}
	}
}
