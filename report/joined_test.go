package report_test

import (
	"testing"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/internal/sample"
)

// driveJoined selects a request, then a batch, then the background, then a system, and
// tells what is lit.
const driveJoined = `<script>
const out = {}, shown = s => s.getBoundingClientRect().width > 0;
const find = (section, inside) => [...document.querySelectorAll(section + " svg.figure")].find(s => shown(s) && s.querySelector(inside));
const click = e => e.dispatchEvent(new MouseEvent("click", {bubbles: true}));
const seen = e => +getComputedStyle(e).opacity;
const requests = find("#requests", "g[data-t]"), batches = find("#batches", "g[data-b]"), detail = batches.closest("figure").querySelector(".detail");
const rows = [...requests.querySelectorAll("g[data-t]")], bars = [...batches.querySelectorAll("g[data-b]")];
out.reduced = bars.some(b => b.dataset.b === "all");
const row = rows[5], spans = row.dataset.t.split(" ").map(s => s.split("-").map(Number));
const held = b => { const [f, t] = b.dataset.b.split("-").map(Number); return spans.some(([a, z]) => a <= f && t <= z); };
click(row);
out.detail = detail.textContent === row.dataset.about;
out.rowsDimmed = Math.max(...rows.filter(r => r !== row).map(seen));
if (out.reduced) {
  const area = batches.querySelector("svg.area"), veil = area.querySelector(".veil"), [x, , w] = area.dataset.box.split(" ").map(Number);
  const at = ns => x + (ns - area.dataset.from) / (area.dataset.to - area.dataset.from) * w;
  const covered = ns => veil.isPointInFill(new DOMPoint(at(ns), +area.dataset.box.split(" ")[1] + 5));
  out.veils = batches.querySelectorAll(".veil").length;
  out.open = spans.some(([a, z]) => covered((a + z) / 2));
  out.covered = covered(spans[0][0] / 2) && covered((spans.at(-1)[1] + +area.dataset.to) / 2);
} else {
  const mine = bars.filter(held), others = bars.filter(b => !held(b));
  out.count = mine.length > 0 && others.length > 0;
  out.lit = Math.min(...mine.map(seen));
  out.dimmed = Math.max(...others.map(seen));
  const bar = mine[0];
  click(bar);
  out.sameBatch = bars.filter(b => b.dataset.b === bar.dataset.b).every(b => seen(b) === 1);
  out.back = seen(row) + " " + rows.filter(r => seen(r) < 1).length;
  out.backDetail = requests.closest("figure").querySelector(".detail").textContent === bar.dataset.about;
}
click(batches);
out.cleared = Math.min(...rows.map(seen), ...bars.map(seen)) + detail.textContent + document.querySelectorAll(".veil").length;
batches.dispatchEvent(new KeyboardEvent("keydown", {key: "+", bubbles: true}));
out.zoomedOnce = [...batches.querySelectorAll("svg.area")].map(a => (a.getAttribute("viewBox").split(" ")[2] / a.dataset.box.split(" ")[2]).toFixed(3)).join(" ");
const box = batches.querySelector("svg.area").getBoundingClientRect();
batches.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true}));
out.cursors = [...batches.querySelectorAll("g.cursor")].filter(c => c.style.display !== "none").length;
const machine = find("#machine", "g[data-k^=s]"), marks = [...machine.querySelectorAll("g[data-about]")];
const system = machine.querySelector('g[data-k="s0"]'), boxes = new Set(system.dataset.r.split(" ").filter(k => /^\d+$/.test(k)));
click(system);
const touches = m => m === system || boxes.has(m.dataset.k) || (m.dataset.k[0] === "e" || m.dataset.k[0] === "b") && m.dataset.r.split(" ").some(k => boxes.has(k));
out.systemLit = Math.min(...marks.filter(touches).map(seen));
out.systemDimmed = Math.max(...marks.filter(m => !touches(m)).map(seen));
out.edges = marks.filter(m => m.dataset.k[0] === "e" && touches(m)).length > boxes.size;
click(machine);
out.systemCleared = Math.min(...marks.map(seen));
document.documentElement.setAttribute("data-probe", JSON.stringify(out));
</script>`

// TestJoinedSelection: a request lights its batches and a batch its requests, drawn one by
// one or in columns; a system lights what belongs to it; the background clears (contract
// 09, V13, V1 and section 1.4).
func TestJoinedSelection(t *testing.T) {
	browser(t)
	for _, c := range []struct {
		name     string
		requests int
		want     map[string]any
	}{
		{"one by one", 24, map[string]any{"reduced": false, "count": true, "lit": 1.0, "back": "1 19", "sameBatch": true, "backDetail": true}},
		{"in columns", 200, map[string]any{"reduced": true, "veils": 2.0, "open": false, "covered": true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := sample.Run(sample.Options{Requests: c.requests, Output: 12, Rate: 30, Scenario: preset(t, "multi-node")})
			got := drivePage(t, page(t, run, report.Meta{}), driveJoined)
			for k, v := range map[string]any{"detail": true, "cleared": "10", "systemLit": 1.0, "edges": true, "systemCleared": 1.0, "zoomedOnce": "0.500 0.500", "cursors": 2.0} {
				c.want[k] = v
			}
			for k, v := range c.want {
				if got[k] != v {
					t.Errorf("%s: %v, want %v", k, got[k], v)
				}
			}
			for _, k := range []string{"rowsDimmed", "dimmed", "systemDimmed"} {
				if o, ok := got[k].(float64); (ok || k != "dimmed") && (o <= 0 || o > 0.35) {
					t.Errorf("%s: opacity %v, want at most 0.35", k, got[k])
				}
			}
		})
	}
}
