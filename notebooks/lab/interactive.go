package lab

// Interactive shows a chart that answers to the mouse, as Vega-Lite, which
// JupyterLab draws by itself with the network off; the static drawing stands
// beside it in the same output, for saved pages and every other reader.
func Interactive(c *Chart) {
	b := chartBundle(c)
	b[mimeVega] = c.vega()
	b.send()
}

// vega is the chart as a Vega-Lite 5 specification.
func (c *Chart) vega() map[string]any {
	spec := map[string]any{
		"$schema": "https://vega.github.io/schema/vega-lite/v5.json",
		"title":   map[string]any{"text": c.Title, "subtitle": c.What, "anchor": "start"},
		"width":   600,
		"height":  280,
		"config":  map[string]any{"view": map[string]any{"stroke": nil}, "range": map[string]any{"category": inkList()}},
	}
	if len(c.Series) == 0 {
		spec["data"] = map[string]any{"values": c.barRows()}
		spec["mark"] = map[string]any{"type": "bar", "tooltip": true}
		spec["encoding"] = map[string]any{
			"y": map[string]any{"field": "name", "type": "nominal", "sort": nil, "title": nil},
			"x": map[string]any{"field": "value", "type": "quantitative", "title": c.Y.title()},
		}
		delete(spec, "height")
		return spec
	}
	spec["data"] = map[string]any{"values": c.lineRows()}
	line := map[string]any{
		"mark":   map[string]any{"type": "line", "point": true, "tooltip": true},
		"params": []any{map[string]any{"name": "view", "select": "interval", "bind": "scales"}},
		"encoding": map[string]any{
			"x":     c.X.vega("x", false),
			"y":     c.Y.vega("y", true),
			"color": map[string]any{"field": "series", "type": "nominal", "sort": nil, "title": nil},
		},
	}
	layers := []any{line}
	if c.Limit != 0 {
		layers = append(layers, map[string]any{
			"data": map[string]any{"values": []any{map[string]any{"y": c.Limit}}},
			"mark": map[string]any{"type": "rule", "color": "#B3261E", "strokeDash": []any{4, 3}, "tooltip": c.LimitName},
			"encoding": map[string]any{
				"y": map[string]any{"field": "y", "type": "quantitative"},
			},
		})
	}
	spec["layer"] = layers
	return spec
}

func (a Axis) vega(field string, zero bool) map[string]any {
	kind := "linear"
	if a.Log {
		kind, zero = "log", false
	}
	return map[string]any{"field": field, "type": "quantitative", "title": a.title(),
		"scale": map[string]any{"type": kind, "zero": zero}}
}

func (c *Chart) lineRows() []any {
	rows := []any{}
	for _, s := range c.Series {
		for i := range min(len(s.X), len(s.Y)) {
			if c.X.drawn(s.X[i]) && c.Y.drawn(s.Y[i]) {
				rows = append(rows, map[string]any{"series": s.Name, "x": s.X[i], "y": s.Y[i]})
			}
		}
	}
	return rows
}

func (c *Chart) barRows() []any {
	rows := []any{}
	for _, r := range c.Bars {
		if c.Y.drawn(r.Value) {
			rows = append(rows, map[string]any{"name": r.Name, "value": r.Value})
		}
	}
	return rows
}

func inkList() []any {
	list := make([]any, len(chartInks))
	for i, ink := range chartInks {
		list[i] = ink
	}
	return list
}
