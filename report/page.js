// The page's only script. It adds conveniences to a page that is complete without
// it: hover and keyboard details, zoom and a cursor along time, sorting, filtering
// and copying of tables, saving of figures, and a choice of colours. It changes no
// number and sends nothing anywhere.
(() => {
"use strict";
const SVG = "http://www.w3.org/2000/svg";
const make = (tag, props = {}, ...kids) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...kids);
  return e;
};
const button = (text, label, act) => {
  const b = make("button", {type: "button", textContent: text, title: label});
  b.setAttribute("aria-label", label);
  b.addEventListener("click", act);
  return b;
};
const tip = make("div", {className: "tip", hidden: true});
const status = make("div", {className: "quiet"});
status.setAttribute("role", "status");
document.body.append(tip, status);

// A number and its unit stay on one line.
for (const e of document.querySelectorAll(".verdict, .answer, .note, .value, .context, h3, figcaption")) {
  const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.data;
    const tied = text.replace(/(\d) (%|×|(?:ns|µs|ms|s|B|[KMGTP]iB|[kMGTP]?B\/s|[kMGTP]?FLOP\/s|tokens\/s)(?![\w/]))/g, "$1\u00a0$2").replaceAll("± ", "±\u00a0");
    if (tied !== text) walk.currentNode.data = tied;
  }
}

// Colours: as the reader's system says, or as chosen here before.
const schemes = ["auto", "light", "dark"];
let scheme = "auto";
try { scheme = localStorage.getItem("inferlab-colours"); } catch { /* storage is closed */ }
if (!schemes.includes(scheme)) scheme = "auto";
const paintScheme = () => {
  if (scheme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = scheme;
};
const chooser = button("", "Change the colours: automatic, light, dark", () => {
  scheme = schemes[(schemes.indexOf(scheme) + 1) % 3];
  try { localStorage.setItem("inferlab-colours", scheme); } catch { /* storage is closed */ }
  showScheme();
});
const showScheme = () => { paintScheme(); chooser.textContent = "Colours: " + scheme; };
chooser.className = "scheme";
showScheme();
document.querySelector(".badges").append(chooser);

// Details of marks: on hover, and with the up and down keys on a focused drawing.
const showTip = (text, x, y) => {
  tip.textContent = text;
  tip.hidden = false;
  const r = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - r.width - 8)) + "px";
  tip.style.top = (y + 16 + r.height > innerHeight ? Math.max(4, y - r.height - 8) : y + 16) + "px";
};
const hideTip = () => { tip.hidden = true; };
// One selection a page: requests and batches are lit with each other in their
// drawings, any other drawing is cleared.
const times = list => list.split(" ").map(s => s.split("-").map(Number));
const veil = (area, spans) => {
  const {from, to, box} = area.dataset, [x, y, w, h] = box.split(" ").map(Number), at = t => x + (t - from) / (to - from) * w;
  const dark = document.createElementNS(SVG, "path");
  let left = x, d = "";
  for (const [a, b] of [...spans, [+to, +to]]) {
    if (at(a) > left) d += "M" + left + " " + y + "H" + at(a) + "V" + (y + h) + "H" + left + "Z";
    left = Math.max(left, at(b));
  }
  dark.setAttribute("class", "f-ground veil");
  dark.setAttribute("fill-opacity", 0.7);
  dark.setAttribute("d", d);
  area.append(dark);
};
const join = (svg, mark) => {
  const kind = mark ? mark.dataset.t ? "b" : mark.dataset.b && mark.dataset.b !== "all" ? "t" : "" : "";
  const mine = kind ? times(mark.dataset[kind === "b" ? "t" : "b"]) : [];
  for (const v of document.querySelectorAll(".veil")) v.remove();
  for (const other of document.querySelectorAll("svg.figure")) {
    if (other === svg) continue;
    const kin = kind ? [...other.querySelectorAll("g[data-" + kind + "]")] : [], columns = kin.some(m => m.dataset.b === "all");
    for (const m of other.querySelectorAll("g.on")) if (m.dataset.about) m.classList.remove("on");
    other.classList.toggle("picked", kin.length > 0 && !columns);
    const panel = other.closest("figure")?.querySelector(".detail");
    if (panel) panel.textContent = kin.length ? mark.dataset.about : "";
    if (columns) for (const area of other.querySelectorAll("svg.area")) veil(area, mine);
    else for (const m of kin) m.classList.toggle("on", times(m.dataset[kind]).some(([a, b]) => mine.some(([c, d]) => a < d && c < b)));
  }
};
const pick = (svg, mark) => {
  join(svg, mark);
  const marks = [...svg.querySelectorAll("g[data-about]")];
  const panel = svg.closest("figure")?.querySelector(".detail");
  if (panel) panel.textContent = mark ? mark.dataset.about : "";
  const set = e => new Set((e.dataset.r || "").split(" ").filter(Boolean));
  svg.classList.toggle("picked", !!mark);
  const mine = mark && set(mark);
  for (const m of marks) {
    const on = mark && (m === mark || mark.dataset.b && m.dataset.b === mark.dataset.b || mark.dataset.k && (mine.has(m.dataset.k) || set(m).has(mark.dataset.k)));
    m.classList.toggle("on", !!on);
  }
};
for (const svg of document.querySelectorAll("svg.figure")) {
  for (const t of svg.querySelectorAll("g > title")) {
    t.parentNode.dataset.about = t.textContent;
    t.remove();
  }
  svg.tabIndex = 0;
  let at = -1;
  svg.addEventListener("pointermove", e => {
    const mark = e.target.closest("g[data-about]");
    if (mark) showTip(mark.dataset.about, e.clientX, e.clientY); else hideTip();
  });
  svg.addEventListener("pointerleave", hideTip);
  svg.addEventListener("blur", hideTip);
  svg.addEventListener("click", e => {
    const mark = e.target.closest("g[data-about]");
    at = mark ? [...svg.querySelectorAll("g[data-about]")].indexOf(mark) : -1;
    pick(svg, mark);
  });
  svg.addEventListener("keydown", e => {
    const marks = [...svg.querySelectorAll("g[data-about]:not(.away)")];
    if (e.key === "Escape") { hideTip(); pick(svg, null); at = -1; return; }
    if (!marks.length || e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    e.preventDefault();
    at = (at + (e.key === "ArrowDown" ? 1 : -1) + marks.length) % marks.length;
    pick(svg, marks[at]);
    const r = marks[at].getBoundingClientRect();
    showTip(marks[at].dataset.about, r.left, r.bottom);
    status.textContent = marks[at].dataset.about;
  });
}

// Time: all timelines share one zoom and one cursor.
const spell = ns => {
  const a = Math.abs(ns);
  for (const [size, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) {
    if (a >= size) return +(ns / size).toPrecision(6) + " " + name;
  }
  return Math.round(ns) + " ns";
};
const lines = [...document.querySelectorAll("svg.area")].map(area => {
  const [x, y, w, h] = area.dataset.box.split(" ").map(Number);
  const svg = area.parentNode.closest("svg");
  const ticks = svg.querySelector("g.ticks");
  return {area, svg, x, y, w, h, ticks, whole: ticks.cloneNode(true), unit: +area.dataset.unit,
    from: +area.dataset.from, to: +area.dataset.to, moving: svg.querySelectorAll("g.moving")};
});
if (lines.length) {
  const start = Math.min(...lines.map(l => l.from)), end = Math.max(...lines.map(l => l.to));
  const least = Math.min(end - start, Math.max(1000, (end - start) / 1e4));
  let from = start, to = end;
  const text = (l, x, words) => {
    const t = document.createElementNS(SVG, "text");
    t.setAttribute("class", "f-muted");
    t.setAttribute("x", x);
    t.setAttribute("y", l.y + l.h + 12);
    t.setAttribute("font-size", 12);
    t.setAttribute("text-anchor", "middle");
    t.textContent = words;
    return t;
  };
  const draw = () => {
    const all = from <= start && to >= end;
    for (const l of lines) {
      const scale = l.w / (l.to - l.from);
      l.area.setAttribute("viewBox", [l.x + (from - l.from) * scale, l.y, Math.max((to - from) * scale, 1e-9), l.h].join(" "));
      for (const m of l.moving) m.style.display = all ? "" : "none";
      l.ticks.replaceChildren();
      if (all) { l.ticks.append(...l.whole.cloneNode(true).childNodes); continue; }
      const span = (to - from) / l.unit, raw = span / Math.max(2, l.w / 110);
      const power = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 5, 10].map(k => k * power).find(k => k >= raw * (1 - 1e-9));
      const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
      for (let k = Math.ceil(from / l.unit / step - 1e-9); k * step <= to / l.unit + step * 1e-9; k++) {
        const v = k * step;
        l.ticks.append(text(l, l.x + (v * l.unit - from) / (to - from) * l.w, v.toFixed(digits)));
      }
    }
    status.textContent = all ? "Whole run" : "From " + spell(from) + " to " + spell(to);
  };
  const view = (a, b) => {
    const span = Math.min(Math.max(b - a, least), end - start);
    a = Math.min(Math.max(a, start), end - span);
    from = a; to = a + span;
    draw();
  };
  const zoom = (factor, about) => view(about - (about - from) * factor, about + (to - about) * factor);
  const centre = () => (from + to) / 2;
  const timeAt = (l, e) => {
    const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(l.svg.getScreenCTM().inverse());
    const within = o => p.x >= o.x && p.x <= o.x + o.w && p.y >= o.y && p.y <= o.y + o.h;
    return {t: from + (p.x - l.x) / l.w * (to - from), inside: lines.some(o => o.svg === l.svg && within(o))};
  };
  const cursor = (t, here) => {
    for (const l of lines) {
      if (!l.cursor) {
        l.cursor = document.createElementNS(SVG, "g");
        l.cursor.setAttribute("class", "cursor");
        const rule = document.createElementNS(SVG, "path");
        rule.setAttribute("class", "s-muted");
        l.cursor.append(rule, text(l, 0, ""));
        l.svg.append(l.cursor);
      }
      const shown = t !== null && t >= from && t <= to;
      l.cursor.style.display = shown ? "" : "none";
      if (!shown) continue;
      const x = l.x + (t - from) / (to - from) * l.w;
      l.cursor.firstChild.setAttribute("d", "M" + x + " " + l.y + "v" + l.h);
      const label = l.cursor.lastChild;
      label.textContent = l === here ? spell(t) : "";
      label.setAttribute("x", Math.min(Math.max(x, l.x + 24), l.x + l.w - 24));
      label.setAttribute("y", l.y - 4);
    }
  };
  // A drawing may hold several panels on the same time: the first speaks for all.
  for (const l of lines.filter((l, i) => lines.findIndex(o => o.svg === l.svg) === i)) {
    let drag = null;
    l.svg.classList.add("timeline");
    l.svg.addEventListener("pointermove", e => {
      const {t, inside} = timeAt(l, e);
      if (drag) {
        const shift = (drag.x - e.clientX) / l.svg.getBoundingClientRect().width * l.svg.viewBox.baseVal.width / l.w * (to - from);
        if (Math.abs(drag.x - e.clientX) > 2) { view(from + shift, to + shift); drag.x = e.clientX; }
      }
      cursor(inside ? t : null, l);
    });
    l.svg.addEventListener("pointerleave", () => cursor(null));
    l.svg.addEventListener("pointerdown", e => {
      if (to - from < end - start && timeAt(l, e).inside) { drag = {x: e.clientX}; l.svg.setPointerCapture(e.pointerId); }
    });
    for (const done of ["pointerup", "pointercancel"]) l.svg.addEventListener(done, () => { drag = null; });
    l.svg.addEventListener("wheel", e => {
      // A page must scroll: the wheel zooms only a focused drawing, or with Ctrl.
      if (document.activeElement !== l.svg && !e.ctrlKey) return;
      e.preventDefault();
      zoom(e.deltaY > 0 ? 1.25 : 0.8, timeAt(l, e).t);
    }, {passive: false});
    l.svg.addEventListener("keydown", e => {
      const step = (to - from) / 8;
      const act = {"+": () => zoom(0.5, centre()), "=": () => zoom(0.5, centre()), "-": () => zoom(2, centre()),
        "0": () => view(start, end), ArrowLeft: () => view(from - step, to - step), ArrowRight: () => view(from + step, to + step)}[e.key];
      if (act && !e.ctrlKey && !e.metaKey) { e.preventDefault(); act(); }
    });
    l.tools = [button("+", "Zoom in on time (key +)", () => zoom(0.5, centre())),
      button("−", "Zoom out (key -)", () => zoom(2, centre())), button("Whole run", "Show the whole run (key 0)", () => view(start, end))];
  }
}

// Rooflines: choose a roof and a phase, zoom and pan both logarithmic axes.
const planes = [];
for (const figure of document.querySelectorAll("figure")) {
  const views = [...figure.querySelectorAll("svg.plane")].map(plane => {
    const [x, y, w, h] = plane.dataset.box.split(" ").map(Number);
    const svg = plane.parentNode.closest("svg"), ticks = svg.querySelector("g.ticks");
    return {plane, svg, x, y, w, h, ticks, whole: ticks.cloneNode(true), moving: svg.querySelectorAll("g.moving"),
      spots: [...svg.querySelectorAll("g.spot")], log: plane.dataset.log.split(" ").map(Number)};
  });
  if (!views.length) continue;
  const home = views[0].log;
  let at = [...home], phase = "";
  const flops = v => {
    for (const [size, name] of [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (v >= size) return +(v / size).toPrecision(4) + " " + name + "FLOP/s";
    return +v.toPrecision(4) + " FLOP/s";
  };
  const ticksOf = (lo, hi, most) => {
    const out = [], span = hi - lo;
    if (span >= 1.5) {
      const stride = Math.max(1, Math.ceil(span / most));
      for (let e = Math.ceil(lo); e <= hi; e++) if (((e % stride) + stride) % stride === 0) out.push(e);
      return out;
    }
    const from = 10 ** lo, to = 10 ** hi, raw = (to - from) / most, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map(k => k * power).find(k => k >= raw * (1 - 1e-9));
    for (let k = Math.ceil(from / step); k * step <= to; k++) out.push(Math.log10(k * step));
    return out;
  };
  const draw = () => {
    const all = at.every((v, i) => v === home[i]);
    for (const v of views) {
      const sx = v.w / (home[1] - home[0]), sy = v.h / (home[3] - home[2]);
      v.plane.setAttribute("viewBox", [v.x + (at[0] - home[0]) * sx, v.y + (home[3] - at[3]) * sy, (at[1] - at[0]) * sx, (at[3] - at[2]) * sy].join(" "));
      for (const m of v.moving) m.style.display = all ? "" : "none";
      const px = lx => v.x + (lx - at[0]) / (at[1] - at[0]) * v.w, py = ly => v.y + (at[3] - ly) / (at[3] - at[2]) * v.h;
      for (const s of v.spots) {
        const lx = +s.dataset.x, ly = +s.dataset.y;
        const seen = (!phase || s.dataset.phase === phase) && lx >= at[0] && lx <= at[1] && ly >= at[2] && ly <= at[3];
        s.style.display = seen ? "" : "none";
        s.setAttribute("transform", "translate(" + (px(lx) - (v.x + (lx - home[0]) * sx)) + " " + (py(ly) - (v.y + (home[3] - ly) * sy)) + ")");
      }
      v.ticks.replaceChildren();
      if (all) { v.ticks.append(...v.whole.cloneNode(true).childNodes); continue; }
      const put = (x, y, anchor, words) => {
        const t = document.createElementNS(SVG, "text");
        for (const [k, value] of Object.entries({class: "f-muted", x, y, "font-size": 12, "text-anchor": anchor})) t.setAttribute(k, value);
        t.textContent = words;
        v.ticks.append(t);
      };
      for (const e of ticksOf(at[0], at[1], v.w / 90)) put(px(e), v.y + v.h + 14, "middle", String(+(10 ** e).toPrecision(3)));
      for (const e of ticksOf(at[2], at[3], v.h / 40)) put(v.x - 7, py(e) + 4, "end", flops(10 ** e));
    }
    status.textContent = all ? "Whole roofline" : "From " + (10 ** at[0]).toPrecision(3) + " to " + (10 ** at[1]).toPrecision(3) + " FLOP/byte";
  };
  const reset = () => { at = [...home]; draw(); };
  const zoom = (factor, lx, ly) => {
    factor = Math.min(8, Math.max(1 / 8, factor));
    const spans = [at[1] - at[0], at[3] - at[2]];
    factor = Math.min(Math.max(factor, 0.08 / Math.min(...spans)), 18 / Math.max(...spans));
    at = [lx + (at[0] - lx) * factor, lx + (at[1] - lx) * factor, ly + (at[2] - ly) * factor, ly + (at[3] - ly) * factor];
    draw();
  };
  const middle = factor => zoom(factor, (at[0] + at[1]) / 2, (at[2] + at[3]) / 2);
  const pan = (fx, fy) => {
    const dx = fx * (at[1] - at[0]), dy = fy * (at[3] - at[2]);
    at = [at[0] + dx, at[1] + dx, at[2] + dy, at[3] + dy];
    draw();
  };
  for (const v of views) {
    const spot = e => {
      const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(v.svg.getScreenCTM().inverse());
      return [at[0] + (p.x - v.x) / v.w * (at[1] - at[0]), at[3] - (p.y - v.y) / v.h * (at[3] - at[2])];
    };
    let drag = null;
    v.svg.addEventListener("wheel", e => {
      if (document.activeElement !== v.svg && !e.ctrlKey) return;
      e.preventDefault();
      zoom(e.deltaY > 0 ? 1.25 : 0.8, ...spot(e));
    }, {passive: false});
    v.svg.addEventListener("pointerdown", e => { drag = [e.clientX, e.clientY]; v.svg.setPointerCapture(e.pointerId); });
    v.svg.addEventListener("pointermove", e => {
      if (!drag || Math.abs(e.clientX - drag[0]) + Math.abs(e.clientY - drag[1]) < 3) return;
      const size = v.svg.getBoundingClientRect().width / v.svg.viewBox.baseVal.width;
      pan((drag[0] - e.clientX) / size / v.w, (e.clientY - drag[1]) / size / v.h);
      drag = [e.clientX, e.clientY];
    });
    for (const done of ["pointerup", "pointercancel"]) v.svg.addEventListener(done, () => { drag = null; });
    v.svg.addEventListener("keydown", e => {
      const act = {"+": () => middle(0.5), "=": () => middle(0.5), "-": () => middle(2), "0": reset, ArrowLeft: () => pan(-1 / 8, 0), ArrowRight: () => pan(1 / 8, 0),
        PageUp: () => pan(0, 1 / 8), PageDown: () => pan(0, -1 / 8)}[e.key];
      if (act && !e.ctrlKey && !e.metaKey) { e.preventDefault(); act(); }
    });
  }
  const choose = (label, options, act) => {
    const s = make("select");
    s.setAttribute("aria-label", label);
    for (const [value, words] of options) s.append(make("option", {value, textContent: words}));
    s.addEventListener("change", () => { act(s.value); reset(); });
    return s;
  };
  const each = selector => views.flatMap(v => [...v.svg.querySelectorAll(selector)]);
  const roofs = [...views[0].svg.querySelectorAll("g.roof")].sort((a, b) => a.dataset.roof - b.dataset.roof);
  const roof = choose("Bandwidth roof", roofs.map(g => [g.dataset.roof, g.querySelector("g[data-about]").dataset.about]), value => {
    for (const g of each("g.roof, g.roofwords")) g.classList.toggle("on", g.dataset.roof === value);
  });
  const chosen = roofs.find(g => g.classList.contains("on"));
  if (chosen) roof.value = chosen.dataset.roof;
  const phases = [...new Set(views[0].spots.map(s => s.dataset.phase))];
  const tools = [roof, choose("Phase of the work", [["", "all phases"], ...phases.map(p => [p, p])], value => { phase = value; }),
    button("+", "Zoom in (key +)", () => middle(0.5)), button("−", "Zoom out (key -)", () => middle(2)), button("Whole roofline", "Show the whole roofline (key 0)", reset)];
  planes.push({figure, tools});
}

// Marks: a filter of what they tell of, such as a rank, resource, kind, request or
// expert. Hidden marks are counted.
const markFilter = figure => {
  const drawings = [...figure.querySelectorAll("svg.figure")];
  const count = svg => svg.querySelectorAll("g[data-about]").length;
  if (Math.max(...drawings.map(count)) < (figure.querySelector("svg.area") ? 8 : 30)) return [];
  const input = make("input", {type: "search", placeholder: "Filter marks"}), hidden = make("span", {className: "note"});
  input.setAttribute("aria-label", "Filter the marks of: " + figure.querySelector("h3").textContent);
  hidden.setAttribute("role", "status");
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const svg of drawings) {
      let n = 0;
      for (const m of svg.querySelectorAll("g[data-about]")) {
        const about = m.dataset.about.toLowerCase(), away = !words.every(w => about.includes(w));
        m.classList.toggle("away", away);
        n += away;
      }
      pick(svg, null);
      if (svg.getBoundingClientRect().width > 0) {
        const all = count(svg);
        hidden.textContent = n ? n + " of " + all + " marks hidden" + (n === all ? ": none matches" : "") : "";
      }
    }
  });
  return [input, hidden];
};

// Figures: save what is shown, with its words inside.
const save = (name, blob) => {
  const url = URL.createObjectURL(blob);
  make("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
};
const standalone = (figure, svg) => {
  const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((e, i) => {
    const c = e.getAttribute("class") || "", style = getComputedStyle(e);
    if (c.startsWith("f-")) to[i].setAttribute("fill", style.fill);
    if (c.startsWith("s-")) { to[i].setAttribute("stroke", style.stroke); to[i].setAttribute("fill", "none"); }
    if (style.display === "none" && i) to[i].setAttribute("display", "none");
  });
  const {width, height} = svg.viewBox.baseVal, root = getComputedStyle(document.documentElement), pad = 16, head = 60;
  const put = (tag, attrs, words) => {
    const e = document.createElementNS(SVG, tag);
    for (const k in attrs) e.setAttribute(k, attrs[k]);
    if (words) e.textContent = words;
    return e;
  };
  const w = width + 2 * pad, h = height + head + pad;
  copy.setAttribute("viewBox", [-pad, -head, w, h].join(" "));
  copy.setAttribute("width", w);
  copy.setAttribute("height", h);
  copy.setAttribute("font-family", "Liberation Sans, Arial, Helvetica, sans-serif");
  copy.prepend(put("rect", {x: -pad, y: -head, width: w, height: h, fill: root.getPropertyValue("--ground")}),
    put("text", {x: 0, y: -36, "font-size": 15, "font-weight": "bold", fill: root.getPropertyValue("--ink")}, figure.querySelector("h3").textContent),
    put("text", {x: 0, y: -18, "font-size": 12, fill: root.getPropertyValue("--muted")},
      figure.querySelector(".sub").textContent.trim().replace(/\s+/g, " ") + " · " + document.title));
  return {text: new XMLSerializer().serializeToString(copy), w, h};
};
for (const figure of document.querySelectorAll("figure")) {
  const shown = () => [...figure.querySelectorAll("svg.figure")].find(s => s.getBoundingClientRect().width > 0);
  if (!figure.querySelector("svg.figure")) continue;
  const name = figure.querySelector("h3").textContent.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 60).toLowerCase().replace(/^-|-$/g, "") || "figure";
  const tools = make("div", {className: "tools"});
  const line = lines.find(l => figure.contains(l.svg));
  if (line) tools.append(...line.tools);
  const plane = planes.find(p => p.figure === figure);
  if (plane) tools.append(...plane.tools);
  tools.append(button("Save SVG", "Save this figure as SVG", () => {
    save(name + ".svg", new Blob([standalone(figure, shown()).text], {type: "image/svg+xml"}));
  }), button("Save PNG", "Save this figure as PNG", () => {
    const {text, w, h} = standalone(figure, shown()), image = new Image();
    image.onload = () => {
      const canvas = make("canvas", {width: w * 2, height: h * 2});
      canvas.getContext("2d").drawImage(image, 0, 0, w * 2, h * 2);
      canvas.toBlob(b => save(name + ".png", b), "image/png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  }));
  tools.append(...markFilter(figure));
  const detail = make("p", {className: "detail"});
  detail.setAttribute("role", "status");
  figure.insertBefore(detail, figure.querySelector("figcaption, details"));
  figure.insertBefore(tools, detail);
}

// Tables: sort by a column, filter rows, copy as CSV.
const quote = v => /[",\n]/.test(v) ? '"' + v.replaceAll('"', '""') + '"' : v;
const byUnits = (a, b) => a < b ? -1 : a > b ? 1 : 0; // UTF-16 code units, as everywhere
for (const scroll of document.querySelectorAll(".scroll")) {
  const table = scroll.querySelector("table"), body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const gap = body.querySelector("tr.gap"), rows = [...body.rows].filter(r => r !== gap), order = [...body.rows];
  const cell = (r, i) => r.cells[i].textContent.replace(/\s+/g, " ");
  const hidden = make("span", {className: "note"});
  const filter = make("input", {type: "search", placeholder: "Filter rows"});
  filter.setAttribute("aria-label", "Filter rows of: " + scroll.getAttribute("aria-label"));
  filter.addEventListener("input", () => {
    const want = filter.value.toLowerCase();
    let n = 0;
    for (const r of rows) { r.hidden = !r.textContent.toLowerCase().includes(want); n += r.hidden; }
    hidden.textContent = n ? n + " of " + rows.length + " rows hidden" : "";
  });
  const copy = button("Copy as CSV", "Copy the table as CSV", async () => {
    const all = [heads.map(h => h.textContent), ...rows.map(r => [...r.cells].map((c, i) => cell(r, i)))];
    const csv = all.map(r => r.map(quote).join(",")).join("\r\n") + "\r\n";
    try {
      await navigator.clipboard.writeText(csv);
    } catch {
      const area = make("textarea", {value: csv, className: "quiet"});
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    status.textContent = hidden.textContent = "Copied " + rows.length + " rows" + (gap ? "; rows that the page does not hold are missing" : "");
  });
  if (rows.length > 12) scroll.before(make("div", {className: "tools"}, filter, copy, hidden));
  else if (rows.length > 1) scroll.before(make("div", {className: "tools"}, copy, hidden));
  heads.forEach((h, i) => {
    const numeric = h.classList.contains("n");
    if (rows.length < 2 || numeric && rows.some(r => cell(r, i) !== "none" && !/^-?[\d.]+$/.test(cell(r, i)))) return;
    const sorter = button(h.textContent, "Sort by " + h.textContent, () => {
      const next = {none: "ascending", ascending: "descending", descending: "none"}[h.getAttribute("aria-sort") || "none"];
      heads.forEach(o => o.removeAttribute("aria-sort"));
      if (next === "none") { body.append(...order); return; }
      h.setAttribute("aria-sort", next);
      const sign = next === "ascending" ? 1 : -1, value = r => { const v = parseFloat(cell(r, i)); return isNaN(v) ? -Infinity : v; };
      const sorted = [...rows].sort((a, b) => sign * (numeric ? value(a) - value(b) || 0 : byUnits(cell(a, i), cell(b, i))));
      body.append(...sorted, ...(gap ? [gap] : []));
    });
    h.replaceChildren(sorter);
  });
}
})();
