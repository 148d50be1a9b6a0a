package library

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/model"
)

// Kind tells dense models, mixtures of experts and image generators apart.
type Kind string

const (
	Dense     Kind = "dense"
	MoE       Kind = "moe"
	Denoiser  Kind = "diffusion"
	imageUnit      = "image"
)

// Layer is one decoder layer in bytes.
type Layer struct {
	AttentionBytes  float64
	FFNBytes        float64 // without routed and shared experts
	KVBytesPerToken float64
}

// Part is a component beside the decoder.
type Part struct {
	ID, Role, Phase string
	Params          int64
	WeightBytes     float64
	TokensPerItem   int64
}

// Profile is a model of the library in given number formats. Bytes may be
// fractional: 4-bit weights are half a byte, and expert bytes are spread over all
// layers.
type Profile struct {
	ID, Name                  string
	Kind                      Kind
	WeightDtype, KVCacheDtype string
	HiddenDim, VocabSize      int64
	NumHeads, NumKVHeads      int64 // of the first layer that is not linear
	TotalParams               int64 // derived, components included
	PublishedParams           int64
	LookupParams              int64 // moved and never multiplied
	Layers                    []Layer
	EmbeddingBytes            float64

	NumExperts, ActiveExpertsPerToken int64   // 0: dense
	ExpertBytesPerLayer               float64 // times all layers is the total of one expert
	SharedExpertBytesPerLayer         float64
	Distribution                      model.Distribution

	Parts       []Part
	MediaInputs []MediaInput
	Speculation *Speculation

	DenoiserInvocations, LatentPositions int64 // of one image; 0 for language models

	Provenance evidence.Provenance
}

// Names lists the models: dense language models, models with media, image
// generators, mixtures of experts, each of these by size.
func Names() []string {
	names := make([]string, len(models))
	for i := range models {
		names[i] = models[i].ID
	}
	return names
}

// Lookup is the architecture of a name. An unknown name is an *issue.Error with
// code unknown_model.
func Lookup(name string) (*Architecture, error) {
	for i := range models {
		if models[i].ID == name {
			a := models[i]
			return &a, nil
		}
	}
	return nil, issue.New("unknown_model", "", "the library has no model %q%s", name, document.Suggest(name, Names()))
}

// Model returns a model of the library in the number formats of weights and KV
// cache. An unknown name is an *issue.Error with code unknown_model, an unknown
// format one with code unknown_format.
func Model(name, weights, kvCache string) (*Profile, error) {
	a, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	return a.Materialise(weights, kvCache)
}

// Materialise derives the profile of an architecture in the number formats of
// weights and KV cache. An unknown format is an *issue.Error with code
// unknown_format.
func (a *Architecture) Materialise(weights, kvCache string) (*Profile, error) {
	w, known := model.BytesPerParameter(weights)
	if !known {
		return nil, model.UnknownFormat("weights", weights)
	}
	k, known := model.BytesPerParameter(kvCache)
	if !known {
		return nil, model.UnknownFormat("kvCache", kvCache)
	}
	p := &Profile{ID: a.ID, Name: a.Name, Kind: a.kind(), WeightDtype: weights, KVCacheDtype: kvCache,
		HiddenDim: a.HiddenDim, VocabSize: a.VocabSize, TotalParams: a.TotalParams(), PublishedParams: a.PublishedParams,
		LookupParams: a.lookupParams(), EmbeddingBytes: float64(a.vocabularyParams()+a.perLayerParams()) * w,
		Speculation: a.Speculation, MediaInputs: a.media()}
	p.NumHeads, p.NumKVHeads = a.heads()
	for _, l := range a.layers() {
		kv := float64(l.kvValues) * k
		p.Layers = append(p.Layers, Layer{AttentionBytes: float64(l.attention) * w, FFNBytes: float64(l.ffn) * w, KVBytesPerToken: kv})
	}
	for i := range a.Components {
		c := &a.Components[i]
		p.Parts = append(p.Parts, Part{c.ID, c.Role, c.Phase, c.Params(), float64(c.Params()) * w, c.TokensPerItem})
	}
	if e := a.Experts; e != nil {
		share := float64(e.Layers) / float64(a.NumLayers)
		p.NumExperts, p.ActiveExpertsPerToken, p.Distribution = e.NumExperts, e.ActivePerToken, e.Distribution
		p.ExpertBytesPerLayer = float64(float64(a.expertParams())*w) * share
		p.SharedExpertBytesPerLayer = float64(float64(a.sharedParams())*w) * share
	}
	if d := a.Diffusion; d != nil {
		p.DenoiserInvocations, p.LatentPositions = d.Invocations(), d.LatentPositions()
	}
	p.Provenance = evidence.Provenance{Confidence: evidence.Heuristic, Source: "model library: " + a.ID,
		Notes: fmt.Sprintf("%d parameters derived from the architecture, %d published", p.TotalParams, a.PublishedParams)}
	return p, nil
}

func (a *Architecture) kind() Kind {
	switch {
	case a.Diffusion != nil:
		return Denoiser
	case a.Experts != nil:
		return MoE
	}
	return Dense
}

// heads are those of the first rule that the first layer with heads follows.
func (a *Architecture) heads() (all, kv int64) {
	for at := range max(a.NumLayers, 1) {
		switch r := pick(a.Attention, at); r.Kind {
		case GQA:
			return r.NumHeads, r.NumKVHeads
		case MLA:
			return r.NumHeads, r.NumHeads
		}
	}
	return 0, 0
}

// media are the declared inputs; a model with components and no declaration takes
// images. An image generator takes none.
func (a *Architecture) media() []MediaInput {
	if a.Diffusion != nil || len(a.Components) == 0 {
		return nil
	}
	if a.MediaInputs != nil {
		return a.MediaInputs
	}
	image := MediaInput{Modality: "image", Unit: imageUnit}
	for i := range a.Components {
		image.DecoderTokensPerItem += a.Components[i].TokensPerItem
		image.ComponentIDs = append(image.ComponentIDs, a.Components[i].ID)
	}
	return []MediaInput{image}
}
