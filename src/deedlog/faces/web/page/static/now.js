// What workers print changes a line here many times a second: read anew at most once in a while.
import { refresh } from "./live.js";

const PAUSE = 2000;

export function start() {
  let waiting = null;
  document.addEventListener("deedlog:event", ({ detail }) => {
    if (detail.entity !== "output" || waiting) return;
    waiting = setTimeout(() => { waiting = null; refresh(); }, PAUSE);
  });
}
