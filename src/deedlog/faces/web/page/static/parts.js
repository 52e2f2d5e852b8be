// Elements that need more than HTML: data-with="board" loads board.js and calls start(element) once;
// data-load="/part/x" is filled from that address, at once or (data-lazy) when it comes into view.
const started = new WeakSet();
const seen = "IntersectionObserver" in window
  ? new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((e) => { seen.unobserve(e.target); load(e.target); }), { rootMargin: "600px" })
  : null;

export async function load(element) {
  element.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(element.dataset.load, { headers: { "Deedlog-Part": "1" } });
    const text = await answer.text();
    element.innerHTML = text;
    element.dataset.loaded = element.dataset.load;
    adopt(element);
  } catch {
    element.dataset.failed = "";
  } finally {
    element.removeAttribute("aria-busy");
  }
}

export function adopt(root) {
  for (const element of root.querySelectorAll("[data-load]")) {
    if (element.dataset.loaded === element.dataset.load || started.has(element)) continue;
    started.add(element);
    if ("lazy" in element.dataset && seen) seen.observe(element);
    else load(element);
  }
  for (const element of root.querySelectorAll("[data-with]")) {
    if (started.has(element)) continue;
    started.add(element);
    for (const name of element.dataset.with.split(" ")) import(`./${name}.js`).then((module) => module.start(element));
  }
}
