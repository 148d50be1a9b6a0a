package lab

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"sort"
)

// compactPNG writes a picture with at most 256 colours, the most frequent ones;
// all others become the nearest of them. Figures have few inks and many shades
// between them, so nothing is seen to be missing and a third of the bytes stays.
// What cannot be read is returned as it is.
func compactPNG(data []byte) []byte {
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return data
	}
	colours := frequent(picture)
	out := image.NewPaletted(picture.Bounds(), colours)
	index := map[color.RGBA]uint8{}
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		for x := out.Rect.Min.X; x < out.Rect.Max.X; x++ {
			c := coarse(picture.At(x, y))
			i, known := index[c]
			if !known {
				i = uint8(colours.Index(c))
				index[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, out); err != nil || b.Len() >= len(data) {
		return data
	}
	return b.Bytes()
}

// coarse drops what no eye sees: the low bits of each channel.
func coarse(c color.Color) color.RGBA {
	r, g, b, a := c.RGBA()
	keep := func(v uint32) uint8 {
		v = (v>>8 + 4) &^ 7
		return uint8(min(v, 0xff))
	}
	return color.RGBA{keep(r), keep(g), keep(b), keep(a)}
}

// frequent returns the most frequent colours of a picture, equally frequent
// ones in the order of their channels.
func frequent(picture image.Image) color.Palette {
	const most = 256
	counts := map[color.RGBA]int{}
	r := picture.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			counts[coarse(picture.At(x, y))]++
		}
	}
	all := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		all = append(all, c)
	}
	key := func(c color.RGBA) uint32 { return uint32(c.R)<<24 | uint32(c.G)<<16 | uint32(c.B)<<8 | uint32(c.A) }
	sort.Slice(all, func(i, j int) bool {
		if counts[all[i]] != counts[all[j]] {
			return counts[all[i]] > counts[all[j]]
		}
		return key(all[i]) < key(all[j])
	})
	palette := make(color.Palette, 0, most)
	for _, c := range all[:min(most, len(all))] {
		palette = append(palette, c)
	}
	return palette
}
