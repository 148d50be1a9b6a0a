package model

import (
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/issue"
)

func TestPresets(t *testing.T) {
	if got := strings.Join(PresetNames(), " "); got != "llama-3-8b llama-3-70b mixtral-8x22b deepseek-v2 qwen-3-235b" {
		t.Errorf("presets are %s", got)
	}
	for _, c := range []struct {
		name, weights, kv         string
		attention, ffn, perToken  float64
		experts, active           int64
		expertBytes, sharedExpert float64
	}{
		{"llama-3-8b", "fp16", "fp16", 134217728, 352321536, 4096, 0, 0, 0, 0},
		{"llama-3-8b", "int8", "int4", 67108864, 176160768, 1024, 0, 0, 0, 0},
		{"llama-3-8b", "int1", "int1", 8388608, 22020096, 256, 0, 0, 0, 0},
		{"llama-3-70b", "nf4", "bf16", 75497472, 352321536, 4096, 0, 0, 0, 0},
		{"mixtral-8x22b", "fp16", "fp16", 176160768, 0, 4096, 8, 2, 607444189.7142857, 0},
		{"mixtral-8x22b", "int2", "int2", 22020096, 0, 512, 8, 2, 75930523.71428572, 0},
		{"deepseek-v2", "fp8", "fp8", 57671680, 0, 2048, 160, 6, 24072432.629399586, 24072432.629399586},
		{"qwen-3-235b", "fp32", "fp32", 218103808, 0, 4096, 128, 8, 75828652.65116279, 75828652.65116279},
	} {
		p, err := Preset(c.name, c.weights, c.kv)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.AttentionBytes != c.attention || p.FFNBytes != c.ffn || p.KVCachePerToken != c.perToken || p.ActivationDtype != "fp16" || p.WeightDtype != c.weights || p.KVCacheDtype != c.kv {
			t.Errorf("%s in %s/%s is %+v", c.name, c.weights, c.kv, p)
		}
		if (p.MoE != nil) != (c.experts > 0) || (p.MoE == nil) != (p.Architecture.Kind == "dense") {
			t.Errorf("%s has experts %+v", c.name, p.MoE)
		}
		if m := p.MoE; m != nil && (m.NumExperts != c.experts || m.ActiveExpertsPerToken != c.active || m.ExpertBytesPerLayer != c.expertBytes || m.SharedExpertBytesPerLayer != c.sharedExpert) {
			t.Errorf("%s in %s has experts %+v", c.name, c.weights, m)
		}
	}
	p, _ := Preset("deepseek-v2", "fp16", "fp16")
	if p.MoE.Distribution != (Distribution{"zipf", 1.1}) || p.Architecture != (Architecture{"moe", 60, 5120, 128, 128, 102400, 12288}) || p.TotalParams != 236e9 {
		t.Errorf("deepseek-v2 is %+v", p)
	}
}

func TestPresetRefusals(t *testing.T) {
	for _, c := range []struct{ name, weights, kv, want string }{
		{"llama-3-8", "fp16", "fp16", "unknown_preset@"},
		{"llama-3-8b", "fp12", "fp16", "unknown_format@weights"},
		{"llama-3-8b", "fp16", "", "unknown_format@kvCache"},
	} {
		_, err := Preset(c.name, c.weights, c.kv)
		if all := issue.All(err); len(all) != 1 || all[0].Code+"@"+all[0].Path != c.want {
			t.Errorf("%v gives %v", c, err)
		}
	}
	for _, f := range FormatNames() {
		if b, ok := BytesPerParameter(f); !ok || b <= 0 {
			t.Errorf("%s has %g bytes", f, b)
		}
	}
}
