package library

// Params are the parameters of all parts that a component declares.
func (c *Component) Params() int64 {
	var n int64
	if c.Encoder != nil {
		n += c.Encoder.params()
	}
	if p := c.Projector; p != nil {
		n += p.InputDim*p.HiddenDim + p.HiddenDim*p.OutputDim
	}
	if t := c.TokenEmbedding; t != nil {
		n += t.VocabSize * t.Width
	}
	return n
}

// ViT is a transformer over patches. PatchSize 0: a text encoder, which has none.
type ViT struct {
	NumLayers, HiddenDim, NumHeads, IntermediateSize int64
	GatedMLP                                         bool
	PatchSize, TemporalPatchSize, InChannels         int64
}

func (v ViT) params() int64 {
	matrices := int64(2)
	if v.GatedMLP {
		matrices = 3
	}
	return v.InChannels*v.PatchSize*v.PatchSize*v.TemporalPatchSize*v.HiddenDim +
		v.NumLayers*(4*v.HiddenDim*v.HiddenDim+matrices*v.HiddenDim*v.IntermediateSize)
}

// ConvTransformer is a transformer behind convolutions over mel bands.
type ConvTransformer struct {
	NumLayers, HiddenDim, NumHeads, IntermediateSize int64
	MelBins, ConvKernelSize, ConvLayers              int64
}

func (t ConvTransformer) params() int64 {
	return t.MelBins*t.HiddenDim*t.ConvKernelSize + (t.ConvLayers-1)*t.HiddenDim*t.HiddenDim*t.ConvKernelSize +
		t.NumLayers*(4*t.HiddenDim*t.HiddenDim+2*t.HiddenDim*t.IntermediateSize)
}

// ConvDecoder turns latents into pixels. Widths are finest first.
type ConvDecoder struct {
	LatentChannels, OutputChannels int64
	Widths                         []int64
	LayersPerBlock                 int64
}

func (d ConvDecoder) params() int64 {
	previous := d.Widths[len(d.Widths)-1]
	n := 9*d.LatentChannels*previous + 2*residual(previous, previous, 0) + 4*previous*previous
	for i := len(d.Widths) - 1; i >= 0; i-- {
		w := d.Widths[i]
		for range d.LayersPerBlock + 1 {
			n += residual(previous, w, 0)
			previous = w
		}
		if i > 0 {
			n += 9 * w * w
		}
	}
	return n + 9*previous*d.OutputChannels
}

// residual is a residual block from one width to another with an embedding of
// time of width t; a change of width costs a projection.
func residual(from, to, t int64) int64 {
	n := 9*from*to + 9*to*to + t*to
	if from != to {
		n += from * to
	}
	return n
}

// Projector maps features into the decoder's width.
type Projector struct{ InputDim, HiddenDim, OutputDim int64 }

// TokenEmbedding is the token table of a text encoder.
type TokenEmbedding struct{ VocabSize, Width int64 }
