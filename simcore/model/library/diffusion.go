package library

import "math"

// Diffusion is a denoiser: it caches nothing and has no vocabulary. Exactly one of
// MMDiT and UNet is set.
type Diffusion struct {
	MMDiT *MMDiT
	UNet  *UNet

	VAEFactor, DefaultResolutionPx int64
	DenoisingSteps                 int64
	ClassifierFreeGuidance         bool // two invocations a step
}

// MMDiT is a transformer with blocks over two streams, then over one.
type MMDiT struct {
	DualBlocks, SingleBlocks                     int64
	MLPRatio                                     int64
	DualModulationChunks, SingleModulationChunks int64
	PatchSize                                    int64
}

// UNet is a pyramid of convolutions and spatial transformers. Widths, depths and
// attention are finest first; UpAttention is coarsest first.
type UNet struct {
	Widths, Depths             []int64
	CrossAttentionDim          int64
	ResnetLayersPerBlock       int64
	DownAttention, UpAttention []bool
	LatentChannels             int64
	TimeEmbedDim               int64
	AdditionalEmbedDim         int64 // 0: none
}

// Invocations is how often the denoiser runs for one image.
func (d *Diffusion) Invocations() int64 {
	if d.ClassifierFreeGuidance {
		return 2 * d.DenoisingSteps
	}
	return d.DenoisingSteps
}

// LatentPositions is the length of the sequence that attends at the default
// resolution.
func (d *Diffusion) LatentPositions() int64 {
	side := float64(d.DefaultResolutionPx) / float64(d.VAEFactor)
	if d.MMDiT != nil {
		side /= float64(d.MMDiT.PatchSize)
	} else {
		side /= math.Ldexp(1, d.UNet.firstAttention())
	}
	return int64(math.Floor(float64(side*side) + 0.5))
}

func (d *Diffusion) layers(hidden int64) []layer {
	if d.UNet != nil {
		return d.UNet.layers()
	}
	m := d.MMDiT
	square := hidden * hidden
	dual := layer{attention: 8 * square}
	dual.ffn = 2*(4+2*m.MLPRatio+m.DualModulationChunks)*square - dual.attention
	single := layer{attention: 4 * square}
	single.ffn = (3+m.MLPRatio+1+m.MLPRatio+m.SingleModulationChunks)*square - single.attention
	out := make([]layer, 0, m.DualBlocks+m.SingleBlocks)
	for range m.DualBlocks {
		out = append(out, dual)
	}
	for range m.SingleBlocks {
		out = append(out, single)
	}
	return out
}

// firstAttention is the first stage that attends, 0 if none does.
func (u *UNet) firstAttention() int {
	for j, attends := range u.DownAttention {
		if attends {
			return j
		}
	}
	return 0
}

// layers are the down stages, the middle, and the up stages.
func (u *UNet) layers() []layer {
	last := len(u.Widths) - 1
	out := make([]layer, 0, 2*len(u.Widths)+1)
	previous := u.Widths[0]
	for j, w := range u.Widths {
		out = append(out, u.down(j, previous, j == last))
		previous = w
	}
	out[0].ffn += u.stem()
	out = append(out, u.middle(u.Widths[last], u.Depths[last]))
	for j := last; j >= 0; j-- {
		out = append(out, u.up(j, u.UpAttention[last-j]))
	}
	return out
}

func (u *UNet) down(j int, previous int64, last bool) layer {
	w := u.Widths[j]
	var l layer
	for range u.ResnetLayersPerBlock {
		l.ffn += residual(previous, w, u.TimeEmbedDim)
		previous = w
		if u.DownAttention[j] {
			l.add(u.transformer(w, u.Depths[j]))
		}
	}
	if !last {
		l.ffn += 9 * w * w
	}
	return l
}

func (u *UNet) middle(w, depth int64) layer {
	l := layer{ffn: 2 * residual(w, w, u.TimeEmbedDim)}
	l.add(u.transformer(w, depth))
	return l
}

// up is the stage that mirrors down stage j. Its blocks also take what the way
// down left at their width, the last one what the next finer stage left.
func (u *UNet) up(j int, attends bool) layer {
	w := u.Widths[j]
	var l layer
	for block := range u.ResnetLayersPerBlock + 1 {
		skip := w
		if block == u.ResnetLayersPerBlock && j > 0 {
			skip = u.Widths[j-1]
		}
		l.ffn += residual(w+skip, w, u.TimeEmbedDim)
		if attends {
			l.add(u.transformer(w, u.Depths[j]))
		}
	}
	if j > 0 {
		l.ffn += 9 * w * w
	}
	return l
}

// stem are the convolutions at both ends and the embeddings of time.
func (u *UNet) stem() int64 {
	first, t := u.Widths[0], u.TimeEmbedDim
	n := 9*u.LatentChannels*first + 9*first*u.LatentChannels + first*t + t*t
	if u.AdditionalEmbedDim > 0 {
		n += u.AdditionalEmbedDim*t + t*t
	}
	return n
}

// transformer is a spatial transformer.
func (u *UNet) transformer(w, depth int64) layer {
	return layer{attention: depth * (4*w*w + 2*w*w + 2*w*u.CrossAttentionDim), ffn: 2*w*w + 12*depth*w*w}
}

func (l *layer) add(other layer) {
	l.attention += other.attention
	l.ffn += other.ffn
}
