package library

import "github.com/inferlab/inferlab/simcore/model"

// Architecture is the published shape of a model. Lists of rules are scanned in
// order; the first whose selector matches a layer applies to it.
type Architecture struct {
	ID, Name        string
	PublishedParams int64 // as released; only ever compared with what is derived
	NumLayers       int64 // decoder layers; 0 for a UNet, whose stages are its layers
	HiddenDim       int64
	VocabSize       int64
	TiedEmbeddings  bool // one table for input and output

	Attention      []Attention
	CrossAttention []Attention // beside the layer's attention; layers without a match have none
	FFN            []Width
	UngatedFFN     bool // two matrices instead of three

	PerLayerEmbeddingDim int64 // width of a table of every layer, 0 without

	Experts     *Experts
	Speculation *Speculation
	Components  []Component
	MediaInputs []MediaInput // nil: one image input made of the components, if there are any
	Diffusion   *Diffusion   // an image generator
}

// Selector picks layers, counted from 0. The zero value picks all.
type Selector struct {
	From, To      int64 // From <= layer < To; To 0: to the end
	Period, Phase int64 // layer mod Period = Phase; Period 0: every layer
}

func (s Selector) matches(layer int64) bool {
	return layer >= s.From && (s.To == 0 || layer < s.To) && (s.Period == 0 || layer%s.Period == s.Phase)
}

// AttentionKind is the way in which a layer attends.
type AttentionKind string

const (
	GQA    AttentionKind = "gqa"    // grouped queries
	MLA    AttentionKind = "mla"    // keys and values in a latent space
	Linear AttentionKind = "linear" // a recurrent state instead of a KV cache
)

// Attention is the attention of the layers that Layers picks.
type Attention struct {
	Kind   AttentionKind
	Layers Selector

	NumHeads, NumKVHeads, HeadDim int64 // GQA; MLA has NumHeads alone

	// MLA. QLoraRank 0: queries are not compressed.
	QLoraRank, KVLoraRank, QKNopeHeadDim, QKRopeHeadDim, VHeadDim int64

	// Linear.
	NumKeyHeads, KeyHeadDim, NumValueHeads, ValueHeadDim, ConvKernelDim int64
}

// Width is the intermediate width of the feed-forward part of the layers that
// Layers picks.
type Width struct {
	Layers Selector
	Value  int64
}

// Experts is the routed part of a mixture of experts.
type Experts struct {
	NumExperts, ActivePerToken     int64
	IntermediateSize               int64
	Shared, SharedIntermediateSize int64 // shared experts, and the width of one
	Layers                         int64 // layers that have experts
	Distribution                   model.Distribution
}

// Speculation names the proposers that the released weights contain. Looking up
// the prompt is possible with every model besides.
type Speculation struct {
	Families      []string
	DrafterParams int64 // 0: not published
}

// Component is a network beside the decoder.
type Component struct {
	ID, Role, Phase string
	Encoder         Encoder // nil without, as the two that follow
	Projector       *Projector
	TokenEmbedding  *TokenEmbedding
	TokensPerItem   int64 // positions added to the decoder's sequence; 0 when features are cross-attended
}

// Encoder is a tower of a component.
type Encoder interface{ params() int64 }

// MediaInput is what one item of a medium adds to the decoder's sequence.
type MediaInput struct {
	Modality             string // image, audio or video
	Unit                 string // what an item is
	DecoderTokensPerItem int64
	ComponentIDs         []string
}
