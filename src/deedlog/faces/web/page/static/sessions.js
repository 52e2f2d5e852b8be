// What workers print changes their last lines: at most once a second, however much they print.
import { refresh } from "./live.js";

let waiting = false;

export function start() {
  document.addEventListener("deedlog:event", ({ detail }) => {
    if (detail.entity !== "output" || waiting) return;
    waiting = true;
    setTimeout(() => { waiting = false; refresh(); }, 1000);
  });
  document.querySelector("select[data-submits]")?.addEventListener("change", (event) => event.target.form.requestSubmit());
}
