// Elements that need more than HTML: data-with="board" calls start(element) of board.js once;
// data-load="/part/x" is filled from that address, at once or (data-lazy) when it comes into view.
import { ask } from "./access.js";
import { morph } from "./morph.js";
import { tick } from "./clock.js";

const started = new WeakSet();
let scripts = {}; // by name; all are there from the beginning, so that nothing is loaded once the server may be another
const loads = new WeakMap(); // by element: the address it is filled from, whether it is being read, and again afterwards
const waiting = new Set(); // elements to read anew once somebody looks
const seen = "IntersectionObserver" in window
  ? new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((e) => { seen.unobserve(e.target); load(e.target); }), { rootMargin: "600px" })
  : null;

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const element of waiting) if (element.isConnected) load(element);
  waiting.clear();
});

// One request at a time for an element: what was asked for later is never overwritten by what was asked for before.
export async function load(element) {
  const now = loads.get(element) ?? {};
  loads.set(element, now);
  if (now.busy) { now.again = true; return; }
  if (document.hidden && now.filled) { waiting.add(element); return; }
  now.busy = true;
  element.setAttribute("aria-busy", "true");
  do {
    now.again = false;
    await fill(element, now);
  } while (now.again && element.isConnected);
  now.busy = false;
  element.removeAttribute("aria-busy");
}

async function fill(element, now) {
  const address = element.dataset.load;
  try {
    const answer = await ask(address, { headers: { "Deedlog-Part": "1" }, signal: AbortSignal.timeout(60000) });
    const text = await answer.text();
    if (answer.status >= 500 && now.filled === address) return; // what is there is better than nothing
    if (now.filled === address) morph(element, text, true);
    else element.innerHTML = text;
    now.filled = address;
    delete element.dataset.failed;
    adopt(element);
    tick();
  } catch {
    element.dataset.failed = "";
  }
  if (element.dataset.load !== address) now.again = true;
}

export function provide(given) {
  scripts = given;
}

// Settles when all that `root` needs has started.
export function adopt(root) {
  for (const element of root.querySelectorAll("[data-load]")) {
    const known = loads.get(element) ?? {};
    loads.set(element, known);
    if (known.asked === element.dataset.load) continue;
    known.asked = element.dataset.load;
    if ("lazy" in element.dataset && seen) seen.observe(element);
    else load(element);
  }
  const starting = [];
  for (const element of root.querySelectorAll("[data-with]")) {
    if (started.has(element)) continue;
    started.add(element);
    for (const name of element.dataset.with.split(" ")) starting.push(Promise.resolve().then(() => scripts[name].start(element)).catch(reportError));
  }
  return Promise.all(starting);
}
