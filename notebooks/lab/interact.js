(() => {
  const root = document.getElementById("ROOT_ID");
  if (!root || root.dataset.live) return;
  root.dataset.live = "yes";
  const controls = [...root.querySelectorAll("[data-control]")];
  const value = (e) => (e.type === "checkbox" ? String(e.checked) : e.value);
  let seq = 0;
  const send = (what) => {
    if (!globalThis.gonb_comm) return;
    seq += 1;
    globalThis.gonb_comm.send("ADDRESS", JSON.stringify({ seq, what, values: controls.map(value) }));
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
  let done = false;
  root.querySelector("[data-done]").addEventListener("click", () => { done = true; send("done"); });
  // A message every second: the connection to the kernel may still be opening
  // or have been replaced, and the values come with each.
  let gone = 0;
  const beat = setInterval(() => {
    gone = root.isConnected ? 0 : gone + 1;
    if (gone > 600) clearInterval(beat);
    else send(done ? "done" : "here");
  }, 1000);
})();
