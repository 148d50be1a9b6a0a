(() => {
  const root = document.getElementById("ROOT_ID");
  if (!root || root.dataset.live) return;
  root.dataset.live = "yes";
  const controls = [...root.querySelectorAll("[data-control]")];
  const value = (e) => (e.type === "checkbox" ? String(e.checked) : e.value);
  let seq = 0;
  const send = (what) => {
    if (!globalThis.gonb_comm) return false;
    seq += 1;
    globalThis.gonb_comm.send("ADDRESS", JSON.stringify({ seq, what, values: controls.map(value) }));
    return true;
  };
  for (const e of controls) {
    if (e.hasAttribute("data-run")) {
      e.addEventListener("click", () => send("run"));
      continue;
    }
    const shown = e.parentElement.querySelector("output");
    e.addEventListener("input", () => {
      if (shown) shown.textContent = e.value;
      send("change");
    });
  }
  root.querySelector("[data-done]").addEventListener("click", () => send("done"));
  // The connection to the kernel may still be opening.
  let tries = 0;
  const greet = setInterval(() => {
    tries += 1;
    if (send("ready") || tries > 40) clearInterval(greet);
  }, 200);
})();
