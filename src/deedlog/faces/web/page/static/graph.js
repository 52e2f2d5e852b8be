// The graph: zoom and fit; it is moved by scrolling or by dragging its ground.
export function start(root) {
  let scale = 0; // 0: as the window has room
  let dragged = null;
  const drawing = () => root.querySelector(".gr-svg");
  const size = () => drawing().viewBox.baseVal;
  const fitting = () => Math.min(1, (root.clientWidth - 4) / size().width, Math.max(320, innerHeight * 0.72) / size().height);

  function apply() {
    const factor = scale || Math.max(0.62, fitting());
    drawing().setAttribute("width", Math.round(size().width * factor));
    drawing().setAttribute("height", Math.round(size().height * factor));
  }

  function zoomTo(wanted) {
    const middle = [(root.scrollLeft + root.clientWidth / 2) / root.scrollWidth, (root.scrollTop + root.clientHeight / 2) / root.scrollHeight];
    scale = Math.min(3, Math.max(0.1, wanted));
    apply();
    root.scrollLeft = middle[0] * root.scrollWidth - root.clientWidth / 2;
    root.scrollTop = middle[1] * root.scrollHeight - root.clientHeight / 2;
  }

  function act(what) {
    const current = drawing().width.baseVal.value / size().width;
    if (what === "in") zoomTo(current * 1.25);
    else if (what === "out") zoomTo(current / 1.25);
    else if (what === "full") zoomTo(1);
    else if (what === "fit") { scale = fitting(); apply(); }
  }

  root.closest(".card").addEventListener("click", (event) => { const button = event.target.closest("[data-do]"); if (button) act(button.dataset.do); });
  root.addEventListener("pointerdown", (event) => {
    if (event.button || event.pointerType === "touch" || event.target.closest("a")) return;
    dragged = [event.clientX + root.scrollLeft, event.clientY + root.scrollTop];
    root.setPointerCapture(event.pointerId);
  });
  root.addEventListener("pointermove", (event) => { if (dragged) root.scrollTo(dragged[0] - event.clientX, dragged[1] - event.clientY); });
  root.addEventListener("pointerup", () => { dragged = null; });
  document.addEventListener("keydown", (event) => {
    if (!root.isConnected || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || event.target.closest("input, textarea, select")) return;
    const what = { "+": "in", "=": "in", "-": "out", 0: "fit" }[event.key];
    if (what) { act(what); event.preventDefault(); }
  });
  document.addEventListener("deedlog:refreshed", () => { if (root.isConnected) apply(); });
  addEventListener("resize", () => { if (root.isConnected) apply(); });
  apply();
}
