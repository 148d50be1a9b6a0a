package library

// layer is one decoder layer in parameters.
type layer struct {
	attention, ffn int64
	kvValues       int64 // cached per token
}

// layers derives the decoder's layers. Every figure of the library is far below
// 2^53, so sums and products are exact in either arithmetic; a test says so.
func (a *Architecture) layers() []layer {
	if a.Diffusion != nil {
		return a.Diffusion.layers(a.HiddenDim)
	}
	out := make([]layer, a.NumLayers)
	for i := range out {
		at := int64(i)
		own := pick(a.Attention, at)
		out[i] = layer{attention: own.params(a.HiddenDim), kvValues: own.kvValues(), ffn: a.ffnMatrices() * a.HiddenDim * a.width(at)}
		if cross := pick(a.CrossAttention, at); cross != nil {
			out[i].attention += cross.params(a.HiddenDim)
		}
	}
	return out
}

func (a *Architecture) ffnMatrices() int64 {
	if a.UngatedFFN {
		return 2
	}
	return 3
}

func (a *Architecture) width(at int64) int64 {
	for i := range a.FFN {
		if a.FFN[i].Layers.matches(at) {
			return a.FFN[i].Value
		}
	}
	return 0
}

// pick is the first rule that matches a layer, nil without.
func pick(rules []Attention, at int64) *Attention {
	for i := range rules {
		if rules[i].Layers.matches(at) {
			return &rules[i]
		}
	}
	return nil
}

// params are the parameters of an attention block on a stream of the given width.
func (at *Attention) params(hidden int64) int64 {
	switch at.Kind {
	case MLA:
		n := at.NumHeads
		keyed := at.QKNopeHeadDim + at.QKRopeHeadDim
		queries := hidden * n * keyed
		if at.QLoraRank > 0 {
			queries = hidden*at.QLoraRank + at.QLoraRank*n*keyed
		}
		return queries + hidden*(at.KVLoraRank+at.QKRopeHeadDim) + at.KVLoraRank*n*(at.QKNopeHeadDim+at.VHeadDim) + n*at.VHeadDim*hidden
	case Linear:
		keys, values := at.NumKeyHeads*at.KeyHeadDim, at.NumValueHeads*at.ValueHeadDim
		mixed := 2*keys + values
		return hidden*mixed + values*hidden + at.ConvKernelDim*mixed + 2*hidden*at.NumValueHeads
	}
	return hidden*at.HeadDim*(at.NumHeads+2*at.NumKVHeads) + at.NumHeads*at.HeadDim*hidden
}

// kvValues are the numbers that one token leaves in the cache of the layer.
func (at *Attention) kvValues() int64 {
	switch at.Kind {
	case MLA:
		return at.KVLoraRank + at.QKRopeHeadDim
	case Linear:
		return 0
	}
	return 2 * at.NumKVHeads * at.HeadDim
}

// vocabularyParams are the input and output tables; perLayerParams the tables of
// the layers.
func (a *Architecture) vocabularyParams() int64 {
	if a.TiedEmbeddings {
		return a.VocabSize * a.HiddenDim
	}
	return 2 * a.VocabSize * a.HiddenDim
}

func (a *Architecture) perLayerParams() int64 {
	return a.NumLayers * a.VocabSize * a.PerLayerEmbeddingDim
}

// lookupParams are moved and never multiplied. A tied table is also the output
// projection, and counts as arithmetic.
func (a *Architecture) lookupParams() int64 {
	if a.TiedEmbeddings {
		return a.perLayerParams()
	}
	return a.perLayerParams() + a.VocabSize*a.HiddenDim
}

// expertParams and sharedParams are those of one layer that has experts.
func (a *Architecture) expertParams() int64 {
	return 3 * a.HiddenDim * a.Experts.IntermediateSize
}

func (a *Architecture) sharedParams() int64 {
	return a.Experts.Shared * 3 * a.HiddenDim * a.Experts.SharedIntermediateSize
}

// TotalParams are the parameters of decoder and components.
func (a *Architecture) TotalParams() int64 {
	total := a.vocabularyParams() + a.perLayerParams()
	for _, l := range a.layers() {
		total += l.attention + l.ffn
	}
	if e := a.Experts; e != nil {
		total += e.Layers * (e.NumExperts*a.expertParams() + a.sharedParams())
	}
	for i := range a.Components {
		total += a.Components[i].Params()
	}
	return total
}
