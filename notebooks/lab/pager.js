(() => {
  const script = document.currentScript;
  const box = script && script.parentElement;
  const body = box && box.querySelector("tbody");
  if (!body || box.dataset.live) return;
  box.dataset.live = "yes";
  const { rows, left } = DATA;
  const size = 10;
  const styles = [...(body.rows[0]?.cells ?? [])].map((c) => c.getAttribute("style"));
  const number = (s) => { const v = parseFloat(s.replaceAll(",", "")); return Number.isNaN(v) ? -Infinity : v; };
  let order = rows.map((_, i) => i), at = 0, by = -1, down = false;
  const nav = document.createElement("div");
  nav.style.cssText = "font-size:13px;display:flex;gap:8px;align-items:center;margin:4px 0";
  const button = (text, step) => {
    const b = document.createElement("button");
    b.type = "button"; b.textContent = text;
    b.onclick = () => { at = Math.max(0, Math.min(at + step, Math.floor((rows.length - 1) / size) * size)); draw(); };
    nav.append(b);
    return b;
  };
  const back = button("‹ earlier", -size), on = button("later ›", size);
  const where = document.createElement("span");
  nav.append(where);
  const draw = () => {
    body.replaceChildren(...order.slice(at, at + size).map((i) => {
      const tr = document.createElement("tr");
      rows[i].forEach((text, k) => {
        const td = tr.insertCell(), bdi = document.createElement("bdi");
        td.setAttribute("style", styles[k]); bdi.textContent = text; td.append(bdi);
      });
      return tr;
    }));
    where.textContent = `rows ${at + 1} to ${Math.min(at + size, rows.length)} of ${rows.length.toLocaleString("en")}` + (left ? ` (the first of ${left.toLocaleString("en")})` : "");
    back.disabled = at === 0; on.disabled = at + size >= rows.length;
  };
  [...box.querySelectorAll("th")].forEach((th, k) => {
    th.style.cursor = "pointer";
    th.onclick = () => {
      down = by === k ? !down : false; by = k;
      const numeric = styles[k].includes("right");
      order.sort((a, b) => (numeric ? number(rows[a][k]) - number(rows[b][k]) : rows[a][k] < rows[b][k] ? -1 : rows[a][k] > rows[b][k] ? 1 : 0) * (down ? -1 : 1) || a - b);
      box.querySelectorAll("th").forEach((o, j) => o.setAttribute("aria-sort", j === k ? (down ? "descending" : "ascending") : "none"));
      at = 0; draw();
    };
  });
  if (rows.length > size) { script.before(nav); draw(); }
})();
