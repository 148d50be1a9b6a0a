package library

import "github.com/inferlab/inferlab/simcore/model"

// DecoderWeightBytes are the resident bytes of the decoder: layers, experts and
// embedding tables.
func (p *Profile) DecoderWeightBytes() float64 {
	var layers float64
	for i := range p.Layers {
		layers += p.Layers[i].AttentionBytes + p.Layers[i].FFNBytes
	}
	experts := float64(float64(p.NumExperts)*p.ExpertBytesPerLayer) + p.SharedExpertBytesPerLayer
	return layers + float64(float64(len(p.Layers))*experts) + p.EmbeddingBytes
}

// WeightBytes are those of the decoder and of all parts beside it, which stay
// resident whether or not a request uses them.
func (p *Profile) WeightBytes() float64 {
	total := p.DecoderWeightBytes()
	for i := range p.Parts {
		total += p.Parts[i].WeightBytes
	}
	return total
}

// KVBytesPerToken is what one token leaves in the KV cache of all layers.
func (p *Profile) KVBytesPerToken() float64 {
	var total float64
	for i := range p.Layers {
		total += p.Layers[i].KVBytesPerToken
	}
	return total
}

// ActiveAttentionBytes are the attention weights read for one token.
func (p *Profile) ActiveAttentionBytes() float64 {
	var total float64
	for i := range p.Layers {
		total += p.Layers[i].AttentionBytes
	}
	return total
}

// ActiveFFNBytes are the feed-forward weights read for one token: with experts,
// those that a token activates and the shared ones.
func (p *Profile) ActiveFFNBytes() float64 {
	var total float64
	for i := range p.Layers {
		total += p.Layers[i].FFNBytes
	}
	active := float64(float64(p.ActiveExpertsPerToken)*p.ExpertBytesPerLayer) + p.SharedExpertBytesPerLayer
	return total + float64(float64(len(p.Layers))*active)
}

// ActiveWeightBytesPerToken are the bytes streamed for one token. Embedding tables
// are looked up, not streamed.
func (p *Profile) ActiveWeightBytesPerToken() float64 {
	return p.ActiveAttentionBytes() + p.ActiveFFNBytes()
}

// ForwardFLOPsPerToken is the arithmetic of one token. Looked-up tables multiply
// nothing; in a mixture of experts only what a token activates does.
func (p *Profile) ForwardFLOPsPerToken() float64 {
	if p.Kind != MoE {
		return 2 * float64(max(1, p.TotalParams-p.LookupParams))
	}
	bytesPerParameter, _ := model.BytesPerParameter(p.WeightDtype)
	return float64(2*p.ActiveWeightBytesPerToken()) / bytesPerParameter
}
