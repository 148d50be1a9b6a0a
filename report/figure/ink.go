package figure

import (
	"image/color"
	"strconv"

	"github.com/inferlab/inferlab/simcore/evidence"
)

// Ink is a colour with a meaning. It is drawn as a CSS custom property on a page
// (so that the page's light or dark scheme decides) and as a literal colour of
// the chosen theme elsewhere.
//
// Marks keep a contrast of at least 3:1 and text of at least 4.5:1 against the
// ground in both themes (contract 09, R5), so the light orange, sky, pink and
// grey are a step darker than the Okabe-Ito originals.
type Ink struct {
	name        string
	light, dark uint32 // 0xRRGGBB
	opacity     float64
}

// The inks by meaning. Inks of different domains may share a colour; one meaning
// never has two.
var (
	Prefill = mark("prefill", 0xC28100, 0xF0B84D)
	Decode  = mark("decode", 0x0072B2, 0x56B4E9)

	Accepted   = mark("accepted", 0x008F68, 0x3CC79B)
	Rejected   = mark("rejected", 0xD55E00, 0xF08A4B)
	Correction = mark("correction", 0xC66E9F, 0xE3A6C6)
	Bonus      = mark("bonus", 0x2E96CF, 0x8CCBF0)

	Compute    = mark("compute", 0x0072B2, 0x56B4E9)
	Transfer   = mark("transfer", 0xC28100, 0xF0B84D)
	Collective = mark("collective", 0x008F68, 0x3CC79B)

	Weights    = mark("weights", 0x0072B2, 0x56B4E9)
	KVCache    = mark("kv", 0xC28100, 0xF0B84D)
	Cache      = mark("cache", 0x008F68, 0x3CC79B)
	Backing    = mark("backing", 0x5B7F3A, 0xA9CC86)
	Workspace  = mark("workspace", 0xC66E9F, 0xE3A6C6)
	Staging    = mark("staging", 0x8A8A8A, 0xB4B8BD)
	Checkpoint = mark("checkpoint", 0x2E96CF, 0x8CCBF0)
	Sidecar    = mark("sidecar", 0x7A5BB5, 0xB9A3E3)

	Hot  = mark("hot", 0xD55E00, 0xF08A4B)
	Warm = mark("warm", 0xC28100, 0xF0B84D)
	Cold = mark("cold", 0x2E96CF, 0x8CCBF0)

	OnDevice       = mark("on-device", 0x008F68, 0x3CC79B)
	HostAttachment = mark("host-attachment", 0xC28100, 0xF0B84D)
	Network        = mark("network", 0x0072B2, 0x56B4E9)
	StorageTier    = mark("storage", 0xC66E9F, 0xE3A6C6)

	Fault   = mark("fault", 0xB3261E, 0xF2B8B5)
	Waiting = mark("waiting", 0x8A8A8A, 0xB4B8BD)
	Series  = mark("series", 0x0072B2, 0x56B4E9)

	inkText  = mark("ink", 0x1A1C1E, 0xE6E8EA)
	Muted    = mark("muted", 0x5F6368, 0xA5AAB0)
	Hairline = mark("hairline", 0xDADCE0, 0x3A3F45)
	Ground   = mark("ground", 0xFFFFFF, 0x121417)
	Panel    = mark("panel", 0xF7F8FA, 0x1A1D21)

	exactInk      = mark("exact", 0x1B5E20, 0x81C784)
	boundedInk    = mark("bounded", 0x00695C, 0x6CC5B9)
	calibratedInk = mark("calibrated", 0x0D47A1, 0x90B8F0)
	heuristicInk  = mark("heuristic", 0x7A5F00, 0xE0C060)
)

// Inks lists every ink once, in declaration order: what a style sheet needs.
func Inks() []Ink {
	return []Ink{
		Prefill, Decode, Accepted, Rejected, Correction, Bonus, Compute, Transfer, Collective,
		Weights, KVCache, Cache, Backing, Workspace, Staging, Checkpoint, Sidecar, Hot, Warm, Cold,
		OnDevice, HostAttachment, Network, StorageTier, Fault, Waiting, Series,
		inkText, Muted, Hairline, Ground, Panel,
		exactInk, boundedInk, calibratedInk, heuristicInk,
	}
}

// ConfidenceInk is the ink of a confidence class.
func ConfidenceInk(c evidence.Class) Ink {
	switch c {
	case evidence.Exact:
		return exactInk
	case evidence.Bounded:
		return boundedInk
	case evidence.Calibrated:
		return calibratedInk
	}
	return heuristicInk
}

func mark(name string, light, dark uint32) Ink {
	return Ink{name: name, light: light, dark: dark, opacity: 1}
}

// Name is the ink's meaning, a CSS identifier.
func (i Ink) Name() string { return i.name }

// Hex is the ink's colour in a theme, as #RRGGBB.
func (i Ink) Hex(t Theme) string {
	const digits = "0123456789ABCDEF"
	v := i.value(t)
	out := []byte("#000000")
	for k := 6; k > 0; k-- {
		out[k] = digits[v&15]
		v >>= 4
	}
	return string(out)
}

func (i Ink) value(t Theme) uint32 {
	if t == Dark {
		return i.dark
	}
	return i.light
}

// in is the ink as a colour of a theme.
func (i Ink) in(t Theme) color.NRGBA {
	v := i.value(t)
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: uint8(i.opacity*255 + 0.5)}
}

// RGBA makes an Ink a color.Color: its light colour.
func (i Ink) RGBA() (r, g, b, a uint32) { return i.in(Light).RGBA() }

// Faint returns the ink at an opacity from 0 to 1.
func (i Ink) Faint(opacity float64) Ink {
	i.opacity = opacity
	return i
}

func (i Ink) opacityText() string { return strconv.FormatFloat(i.opacity, 'g', 3, 64) }
