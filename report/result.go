package report

// within makes a page within its bound: as it is, then without the embedded result, and
// at last with short tables and fewer marks (contract 09, F5). Render gets the number of
// rows of a table.
func within(meta Meta, render func(meta Meta, rows int) ([]byte, error)) ([]byte, error) {
	bound := meta.MaxBytes
	if bound <= 0 {
		bound = DefaultMaxBytes
	}
	out, err := render(meta, tableRows)
	if err == nil && len(out) > bound && len(meta.Result) > 0 {
		meta.Result, meta.OutputFingerprint = nil, outputFingerprint(meta)
		out, err = render(meta, tableRows)
	}
	if err == nil && len(out) > bound {
		out, err = render(meta, fallbackRows)
	}
	return out, err
}

// standIn is a small document that stands for a result that is not embedded.
type standIn struct {
	name string
	text []byte
}

// keep embeds the result document, or what stands for it, and what Rebuild needs
// (contract 09, F4).
func (p *page) keep(view string, meta *Meta, other *standIn) (err error) {
	from := source{View: view, Meta: *meta}
	if embeddable(meta.Result) {
		p.Result = embed("result.json", meta.Result)
		from.Results = []sourceResult{{"result.json", p.Result.Fingerprint}}
	} else {
		p.Result = leftOut(meta, other)
	}
	p.Source, err = from.packed()
	return err
}

// leftOut says what stands for a result that is not embedded, and how the page is made
// again nevertheless.
func leftOut(meta *Meta, other *standIn) result {
	r := result{Fingerprint: "unknown"}
	if other != nil {
		r = embed(other.name, other.text)
	}
	of := outputFingerprint(*meta)
	if of == "" {
		r.Reason = "No result document came with this page, so it cannot be made again from itself."
		return r
	}
	r.Fingerprint = of
	r.Reason = tooLarge
	if other != nil {
		r.Reason += " A summary is embedded in its place."
	}
	return r
}

// tooLarge is said of a result that is not embedded.
const tooLarge = "The result document is too large for this page: its fingerprint stands here. " +
	"Keep the document that the command prints; the page is drawn again from it, not from itself: inferlab report RESULT.json -o PAGE.html."
