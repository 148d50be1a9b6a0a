// Package model describes models by what the simulator needs of them: layers,
// bytes of weights and of KV cache, and experts.
//
// In goes the name of a preset with the number formats of weights and KV cache;
// out comes a Profile in bytes per layer and token. The presets rest on published
// architectures and parameter counts: all figures are heuristic.
//
// Contract 02 section 14.2.
package model

import (
	"math"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
)

// Architecture is the published shape of a model.
type Architecture struct {
	Kind             string // dense or moe
	NumLayers        int64
	HiddenDim        int64
	NumHeads         int64
	NumKVHeads       int64
	VocabSize        int64
	IntermediateSize int64
}

// Profile is a preset in given number formats. All layers are equal.
type Profile struct {
	ID           string // the preset's name
	Name         string
	Architecture Architecture
	TotalParams  float64

	WeightDtype, KVCacheDtype, ActivationDtype string

	AttentionBytes  float64 // of one layer
	FFNBytes        float64 // of one layer, 0 with experts
	KVCachePerToken float64 // bytes of one token in one layer

	MoE *MoE // nil: dense
}

// MoE is the expert part of a Profile. Bytes may be fractional: they share out
// what a parameter budget leaves.
type MoE struct {
	NumExperts                int64
	ActiveExpertsPerToken     int64
	ExpertBytesPerLayer       float64
	SharedExpertBytesPerLayer float64 // 0: no shared expert
	Distribution              Distribution
}

// Distribution says how tokens spread over experts.
type Distribution struct {
	Kind string  // uniform or zipf
	S    float64 // exponent of zipf, 0 for uniform
}

// preset is a built-in model.
type preset struct {
	id, name     string
	architecture Architecture
	totalParams  float64
	latent       bool // attention with compressed KV
	experts      int64
	active       int64
	shared       bool
	distribution Distribution
}

// presets in the order in which they are listed.
var presets = []preset{
	{id: "llama-3-8b", name: "Llama-3-8B", totalParams: 8e9,
		architecture: Architecture{"dense", 32, 4096, 32, 8, 128256, 14336}},
	{id: "llama-3-70b", name: "Llama-3-70B", totalParams: 70e9,
		architecture: Architecture{"dense", 80, 8192, 64, 8, 128256, 28672}},
	{id: "mixtral-8x22b", name: "Mixtral-8x22B", totalParams: 141e9,
		architecture: Architecture{"moe", 56, 6144, 48, 8, 32000, 16384},
		experts:      8, active: 2, distribution: Distribution{Kind: "uniform"}},
	{id: "deepseek-v2", name: "DeepSeek-V2", totalParams: 236e9, latent: true,
		architecture: Architecture{"moe", 60, 5120, 128, 128, 102400, 12288},
		experts:      160, active: 6, shared: true, distribution: Distribution{Kind: "zipf", S: 1.1}},
	{id: "qwen-3-235b", name: "Qwen3-235B-A22B", totalParams: 235e9,
		architecture: Architecture{"moe", 94, 4096, 64, 4, 151936, 12288},
		experts:      128, active: 8, shared: true, distribution: Distribution{Kind: "zipf", S: 1.05}},
}

// PresetNames lists the five presets in their order.
func PresetNames() []string {
	names := make([]string, len(presets))
	for i := range presets {
		names[i] = presets[i].id
	}
	return names
}

// BytesPerParameter is the size of one parameter in a number format. False means
// that the format is unknown.
func BytesPerParameter(dtype string) (float64, bool) {
	switch dtype {
	case "fp32":
		return 4, true
	case "fp16", "bf16":
		return 2, true
	case "fp8", "int8":
		return 1, true
	case "int4", "nf4":
		return 0.5, true
	case "int2":
		return 0.25, true
	case "int1":
		return 0.125, true
	}
	return 0, false
}

// FormatNames lists the number formats that BytesPerParameter knows.
func FormatNames() []string {
	return []string{"fp32", "fp16", "bf16", "fp8", "int8", "int4", "nf4", "int2", "int1"}
}

// Preset returns a preset in the number formats of weights and KV cache. An
// unknown name is an *issue.Error with code unknown_preset, an unknown format one
// with code unknown_format.
func Preset(name, weights, kvCache string) (*Profile, error) {
	for i := range presets {
		if presets[i].id == name {
			return presets[i].materialise(weights, kvCache)
		}
	}
	return nil, issue.New("unknown_preset", "", "there is no model preset %q%s", name, document.Suggest(name, PresetNames()))
}

// headWidth is the width of one attention head in every preset.
const headWidth = 128

// compressedKV is the width of DeepSeek's compressed keys and values.
const compressedKV = 512

func (p *preset) materialise(weights, kvCache string) (*Profile, error) {
	w, known := BytesPerParameter(weights)
	if !known {
		return nil, UnknownFormat("weights", weights)
	}
	k, known := BytesPerParameter(kvCache)
	if !known {
		return nil, UnknownFormat("kvCache", kvCache)
	}
	profile := &Profile{ID: p.id, Name: p.name, Architecture: p.architecture, TotalParams: p.totalParams,
		WeightDtype: weights, KVCacheDtype: kvCache, ActivationDtype: "fp16",
		AttentionBytes:  float64(p.attentionParams()) * w,
		KVCachePerToken: float64(2*p.architecture.NumKVHeads*headWidth) * k}
	if p.latent {
		profile.KVCachePerToken = 2 * 2 * compressedKV * k
	}
	if p.experts == 0 {
		profile.FFNBytes = float64(p.architecture.HiddenDim*p.architecture.IntermediateSize*3) * w
		return profile, nil
	}
	profile.MoE = p.moe(profile.AttentionBytes, w)
	return profile, nil
}

// attentionParams are the attention parameters of one layer. Every product is an
// integer below 2^53, so integers and doubles agree.
func (p *preset) attentionParams() int64 {
	a := &p.architecture
	h := a.HiddenDim
	switch {
	case p.id == "llama-3-8b":
		return h * h * 4
	case p.latent:
		return h*h*2 + h*compressedKV*2
	}
	return h*headWidth*(a.NumHeads+2*a.NumKVHeads) + h*h
}

// moe shares out among the experts what the parameter budget leaves beside
// attention.
func (p *preset) moe(attentionBytes, bytesPerParameter float64) *MoE {
	layers := float64(p.architecture.NumLayers)
	slots := float64(p.experts)
	if p.shared {
		slots++
	}
	budget := float64(p.totalParams*bytesPerParameter) - float64(attentionBytes*layers)
	m := &MoE{NumExperts: p.experts, ActiveExpertsPerToken: p.active, Distribution: p.distribution,
		ExpertBytesPerLayer: math.Max(0, budget/layers/slots)}
	if p.shared {
		m.SharedExpertBytesPerLayer = m.ExpertBytesPerLayer
	}
	return m
}

// UnknownFormat is the refusal of a number format that BytesPerParameter does not
// know: an *issue.Error with code unknown_format at the field.
func UnknownFormat(field, dtype string) error {
	return issue.New("unknown_format", field, "%q is no number format of a model%s", dtype, document.Suggest(dtype, FormatNames()))
}
