// A worker's log: a window of lines. New ones are loaded as they are printed, earlier ones on demand.
// It sticks to its end until somebody scrolls up. Searching asks the server, which looks through all of it.
import { ask } from "./access.js";

const MOST_LINES = 4000; // in the page; those that go can be loaded again
const byId = (id) => document.getElementById(id);
let log, lines, uri, session, first, last, total, following, busy, again, hits, hit;
let placed = 0; // where it was scrolled to last
let height = 0; // of all lines then
let turns = 0; // windows that were asked for

export function start(element) {
  log = element;
  lines = byId("log-lines");
  ({ uri, session } = log.dataset);
  read(lines);
  const named = Number(log.dataset.line) || Number(/^#L(\d+)$/.exec(location.hash)?.[1]);
  following = false;
  busy = again = false;
  hits = [];
  hit = -1;
  if (named) show(named);
  else follow(last >= total);
  if (!byId("log-full").hidden) full();
  log.addEventListener("scroll", scrolled, { passive: true });
  log.addEventListener("wheel", (event) => { if (event.deltaY < 0 && !event.ctrlKey) upwards(); }, { passive: true });
  log.addEventListener("keydown", ({ key }) => { if (["ArrowUp", "PageUp", "Home"].includes(key)) upwards(); });
  const sizes = new ResizeObserver(() => { if (following) toBottom(); });
  for (const sized of [log, lines]) sizes.observe(sized);
  log.addEventListener("click", clicked);
  document.addEventListener("deedlog:event", ({ detail }) => { if (detail.entity === "output" && detail.about.includes(uri)) load(); });
  document.addEventListener("deedlog:refreshed", () => load());
  byId("log-follow").addEventListener("click", () => (following ? follow(false) : toEnd()));
  toggle("log-times", "times");
  toggle("log-wrap", "wrap");
  toggle("log-raw", "raw", readAnew);
  if (log.classList.contains("raw")) readAnew().then(() => { if (named) show(named); });
  const form = byId("log-find");
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
  byId("log-q").addEventListener("search", search);
  byId("hit-after").addEventListener("click", () => step(1));
  byId("hit-before").addEventListener("click", () => step(-1));
  byId("log-hits").addEventListener("click", picked);
  document.addEventListener("keydown", pressed);
  if (byId("log-q").value) search(named);
}

// The last element of a piece tells which lines it has.
function read(piece) {
  const told = piece.querySelector("[data-total]");
  if (!told) return null;
  const found = { first: Number(told.dataset.first), last: Number(told.dataset.last), total: Number(told.dataset.total) };
  if (piece === lines) { first = found.first; last = found.last; }
  total = Math.max(total ?? 0, found.total);
  told.remove();
  return found;
}

async function piece(query) {
  const sought = byId("log-q").value.trim();
  const raw = log.classList.contains("raw") ? "&raw=1" : "";
  const answer = await ask(`/part/session/${session}/lines?${query}${raw}${sought ? `&q=${encodeURIComponent(sought)}` : ""}`, { headers: { "Deedlog-Part": "1" } });
  if (!answer.ok) throw new Error(String(answer.status));
  const made = document.createElement("div");
  made.innerHTML = await answer.text();
  return { made, told: read(made) };
}

async function load() {
  if (!log.isConnected) return; // it ended without a word
  if (last < total && !following) { again = false; return behind(); } // a window in the middle: the end is not shown
  if (busy) { again = true; return; }
  busy = true;
  try {
    do {
      again = false;
      const from = last;
      const { made, told } = await piece(`after=${from}`);
      if (from === last && made.querySelector(".line")) {
        append(made, told);
        byId("log-empty")?.remove();
      }
      again ||= following && last < total;
    } while (again);
  } catch { /* the server is away: the feed tells when it is back */ } finally {
    busy = false;
  }
  behind();
}

function append(made, told) {
  scrolled();
  first ||= told.first;
  last = told.last;
  const rest = made.querySelector("[data-rest]")?.dataset.rest;
  lines.append(...made.childNodes);
  if (rest) { byId("log-full").querySelector("code").textContent = rest; byId("log-full").hidden = false; }
  if (!following) return;
  const shown = [...lines.children];
  for (const old of shown.slice(0, Math.max(0, shown.length - MOST_LINES))) old.remove();
  first = Number(lines.querySelector(".line").id.slice(1));
  toBottom();
  if (rest) full();
}

// No more is recorded: there is nothing to follow.
function full() {
  follow(false);
  byId("log-follow").disabled = true;
}

function behind() {
  scrolled();
  byId("log-total").textContent = total.toLocaleString("en").replaceAll(",", "\u202f");
  byId("log-earlier").hidden = !first || first <= 1;
  byId("log-later").hidden = last >= total;
  if (following) toBottom();
}

async function earlier() {
  follow(false);
  const shown = first;
  const { made, told } = await piece(`before=${shown}`);
  if (!told?.first || shown !== first) return;
  const from = log.scrollHeight - log.scrollTop;
  lines.prepend(...made.childNodes);
  first = told.first;
  behind();
  place(log.scrollHeight - from);
}

async function later() {
  const from = last;
  const { made, told } = await piece(`after=${from}`);
  if (from === last && told?.last > last) append(made, told);
  behind();
}

// Another window of lines; only the one that was asked for last is shown.
async function open(query) {
  const turn = ++turns;
  const { made, told } = await piece(query);
  if (turn !== turns) return false;
  scrolled();
  lines.replaceChildren(...made.childNodes);
  first = told.first;
  last = told.last;
  place(log.scrollTop);
  behind();
  return true;
}

async function show(line) {
  follow(false);
  if (line >= first && line <= last) turns += 1; // another window that is on its way is not wanted any more
  else if (!(await open(`line=${line}`))) return;
  for (const old of lines.querySelectorAll(".here")) old.classList.remove("here");
  const found = byId(`L${line}`);
  if (!found) return;
  found.classList.add("here");
  place(log.scrollTop + found.getBoundingClientRect().top - log.getBoundingClientRect().top - log.clientHeight / 3);
}

function follow(on) {
  following = on;
  const button = byId("log-follow");
  button.setAttribute("aria-pressed", String(on));
  if (on) toBottom();
}

async function toEnd() {
  const ended = byId("log-follow").disabled;
  if (last < total) {
    if (!(await open(`before=${total + 1}`))) return;
    history.replaceState(null, "", location.pathname);
  }
  if (ended) return toBottom();
  follow(true);
  load();
}

function place(top) {
  log.scrollTop = top;
  placed = log.scrollTop;
  height = log.scrollHeight;
}

function toBottom() {
  place(log.scrollHeight);
}

// What was not scrolled from here somebody scrolled, with whatever: up ends following, down to the end begins it.
// Lines that turn out to be higher or lower than was thought move what is shown, too: that is nobody's wish.
function scrolled() {
  const moved = log.scrollTop - placed;
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 8;
  placed = log.scrollTop;
  if (following && moved < -1 && !atEnd && log.scrollHeight === height) follow(false);
  else if (!following && moved > 1 && atEnd && last >= total && !byId("log-follow")?.disabled) follow(true);
}

// Before anything moves: a browser scrolls smoothly, and the next line would take it back.
function upwards() {
  if (following && log.scrollTop > 0) follow(false);
}

function clicked(event) {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.closest("#log-earlier")) { event.preventDefault(); earlier(); }
  else if (link.closest("#log-later")) { event.preventDefault(); later(); }
  else if (link.matches(".line > a:first-child")) {
    event.preventDefault();
    history.replaceState(null, "", link.getAttribute("href"));
    show(Number(link.textContent));
  }
}

// Messages of agents as they were printed, or as people read them: the window is read anew.
async function readAnew() {
  const end = following;
  if ((await open(end ? `before=${total + 1}` : `line=${Math.max(1, first + 20)}`)) && end) follow(true);
}

function toggle(id, name, then) {
  const button = byId(id);
  const stored = localStorage.getItem(`deedlog-${id}`);
  set(stored === null ? button.getAttribute("aria-pressed") === "true" : stored === "true");
  button.addEventListener("click", () => { const on = button.getAttribute("aria-pressed") !== "true"; set(on); localStorage.setItem(`deedlog-${id}`, String(on)); then?.(); });
  function set(on) { button.setAttribute("aria-pressed", String(on)); log.classList.toggle(name, on); }
}

async function search(near) {
  const sought = byId("log-q").value.trim();
  const list = byId("log-hits");
  if (!sought) { list.hidden = true; hits = []; told(); unmark(); return; }
  const answer = await ask(`/part/session/${session}/hits?q=${encodeURIComponent(sought)}`, { headers: { "Deedlog-Part": "1" } });
  list.innerHTML = await answer.text();
  list.hidden = false;
  hits = [...list.querySelectorAll("[data-line]")].map((link) => Number(link.dataset.line));
  hit = hits.findLastIndex((line) => line <= (typeof near === "number" && near ? near : Infinity));
  if (hit < 0 && hits.length) hit = 0;
  if (!(await open(`line=${hits.length ? hits[hit] : Math.max(1, first)}`))) return; // read anew, with what is found marked
  if (hits.length) step(0);
  else told();
}

async function step(by) {
  if (!hits.length) return;
  hit = (hit + by + hits.length) % hits.length;
  told();
  await show(hits[hit]);
}

function told() {
  byId("hit-place").textContent = hits.length ? `${hit + 1} of ${hits.length}` : byId("log-q").value.trim() ? "nothing found" : "";
  for (const id of ["hit-before", "hit-after"]) byId(id).disabled = !hits.length;
  for (const link of byId("log-hits").querySelectorAll("[data-line]")) link.toggleAttribute("aria-current", Number(link.dataset.line) === hits[hit]);
}

function unmark() {
  for (const mark of lines.querySelectorAll("mark")) mark.replaceWith(...mark.childNodes);
}

function picked(event) {
  const link = event.target.closest("[data-line]");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  hit = hits.indexOf(Number(link.dataset.line));
  step(0);
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select") || document.querySelector("dialog[open]")) return;
  if (event.key === "f") { byId("log-q").focus(); event.preventDefault(); }
  else if (event.key === "N") step(-1);
  else if (event.key === "G") toEnd();
}
