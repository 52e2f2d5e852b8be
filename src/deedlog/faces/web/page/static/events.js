// The open end of the log: rows that came are put on top, or counted while somebody reads further down or paused.
import { ask } from "./access.js";
import { adopt, load } from "./parts.js";
import { tick } from "./clock.js";

const MOST_ROWS = 300;
const PAUSE_MS = 150; // between two reads, however much happens

export function start(section) {
  section.addEventListener("click", (event) => {
    const button = event.target.closest("[data-unfold]");
    if (button) unfold(button);
  });
  section.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("[data-row]")) return;
    event.preventDefault();
    event.stopPropagation();
    unfold(event.target.querySelector("[data-unfold]"));
  });
  document.querySelector("#event-filters select")?.addEventListener("change", (event) => event.target.form.requestSubmit());
  document.querySelector("#event-filters [type=checkbox]")?.addEventListener("change", (event) => event.target.form.requestSubmit());
  document.getElementById("event-filters")?.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) if (!value) formData.delete(name);
  });
  if (section.dataset.tail) follow(Number(section.dataset.newest));
}

function unfold(button) {
  const place = document.getElementById(button.getAttribute("aria-controls"));
  const open = button.getAttribute("aria-expanded") !== "true";
  button.setAttribute("aria-expanded", String(open));
  place.hidden = !open;
  if (open && !place.dataset.load) { place.dataset.load = `/part/event/${place.dataset.keep}`; load(place); }
}

function follow(newest) {
  const log = document.getElementById("log");
  const fresh = document.getElementById("fresh");
  const pause = document.getElementById("pause");
  let held = []; // rows that wait to be shown, newest first
  let heard = Number(document.getElementById("main").dataset.seq);
  let paused = false;
  let busy = false;
  let again = false;

  async function read() {
    if (busy) { again = true; return; }
    busy = true;
    again = false;
    const query = new URLSearchParams(location.search);
    const until = heard;
    query.set("after", newest);
    try {
      const answer = await ask(`/part/events?${query}`);
      if (answer.ok) { take(await answer.text()); newest = Math.max(newest, until); }
    } finally {
      setTimeout(() => { busy = false; if (again) read(); }, PAUSE_MS);
    }
  }

  function take(html) {
    const box = document.createElement("template");
    box.innerHTML = html;
    const rows = [...box.content.querySelectorAll("li[data-seq]")].filter((row) => !document.getElementById(row.id) && Number(row.dataset.seq) > newest);
    if (!rows.length) return;
    newest = Number(rows[0].dataset.seq);
    held = [...rows, ...held].slice(0, MOST_ROWS);
    if (paused || scrollY > 120) tell();
    else put();
  }

  function put() {
    document.querySelector("main .empty")?.remove();
    for (const row of held) row.classList.add("new");
    log.prepend(...held);
    held = [];
    while (log.children.length > MOST_ROWS) log.lastElementChild.remove();
    adopt(log);
    tick();
    tell();
  }

  function tell() {
    fresh.hidden = !held.length;
    const many = held.length >= MOST_ROWS ? `${MOST_ROWS}+` : held.length;
    fresh.textContent = `${many} new event${held.length === 1 ? "" : "s"}`;
  }

  document.addEventListener("deedlog:event", ({ detail }) => {
    heard = Math.max(heard, detail.seq);
    if (detail.seq > newest) read();
  });
  document.addEventListener("deedlog:refreshed", () => {
    const first = Number(log.firstElementChild?.dataset.seq ?? 0);
    newest = Math.max(newest, first);
    held = held.filter((row) => Number(row.dataset.seq) > first);
    tell();
  });
  fresh.addEventListener("click", () => { scrollTo({ top: 0 }); put(); log.querySelector("[data-row] .seq")?.focus({ preventScroll: true }); });
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Follow" : "Pause";
    if (!paused) put();
  });
  if (heard > newest) read(); // what happened while the page was made
  addEventListener("scroll", () => { if (!paused && scrollY <= 120 && held.length) put(); }, { passive: true });
}
