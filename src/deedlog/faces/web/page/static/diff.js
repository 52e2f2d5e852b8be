// The diff of a task: loads file by file what comes into view, unified or split; n and p go from file to file.
import { ask } from "./access.js";
import { toast } from "./actions.js";
import { comment, redraw, startComments } from "./comments.js";

const LAYOUT = "deedlog-diff";
const WIDE = 800; // pixels of the diffs from which on two sides fit
const EVERY = 10000; // milliseconds between two looks at a tree that is worked in
const folded = new Set(); // what somebody folded, and where they are: kept when the page is read anew
let here = "";
let root;
let seen;

export function start(element) {
  root = element;
  seen = new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((e) => { seen.unobserve(e.target); fill(e.target); }), { rootMargin: "800px" });
  root.addEventListener("click", clicked);
  root.addEventListener("keydown", walked);
  root.addEventListener("input", (event) => { if (event.target.id === "file-filter") filter(event.target.value); });
  listen();
  if (!("onlyLook" in root.dataset)) startComments(root);
  watch();
}

let listening = false;
function listen() {
  if (listening) return;
  listening = true;
  document.addEventListener("keydown", pressed);
  document.addEventListener("deedlog:refreshed", watch);
  document.addEventListener("deedlog:event", ({ detail }) => {
    if (detail.entity === "comment" && detail.about.includes(root.dataset.uri)) filled().forEach((diff) => talk(diff).catch(() => {}));
    else if (root.dataset.soFar && detail.about.includes(root.dataset.uri)) lookAgain();
  });
  addEventListener("resize", debounced(relay, 200));
  setTimeout(poll, EVERY);
}

function watch() {
  show();
  for (const file of root.querySelectorAll(".file")) { fold(file, folded.has(file.id)); file.classList.toggle("here", file.id === here); }
  const sought = document.getElementById("file-filter")?.value;
  if (sought) filter(sought);
  for (const diff of root.querySelectorAll(".diff[data-diff]:not([data-filled]):not([data-waits])")) { diff.dataset.waits = ""; seen.observe(diff); }
  if (root.dataset.soFar && !root.querySelector(".files-head")) lookAgain();
  if (!("onlyLook" in root.dataset)) redraw();
}

const chosen = () => (localStorage.getItem(LAYOUT) === "split" ? "split" : "unified");
const layout = () => (chosen() === "split" && !("onlyLook" in root.dataset) && width() >= WIDE ? "split" : "unified");
const width = () => (root.querySelector(".diffs") ?? root).clientWidth;

const address = (diff) => `${diff.closest("[data-diffs]").dataset.diffs}${encodeURIComponent(diff.closest(".file").dataset.path)}&layout=${diff.dataset.filled}`;
async function part(from) {
  const answer = await ask(from, { headers: { "Deedlog-Part": "1" }, signal: AbortSignal.timeout(60000) });
  if (answer.status >= 500) throw answer.status; // what is there is better
  return answer.text();
}

async function fill(diff) {
  const wanted = layout();
  const before = diff.dataset.filled;
  delete diff.dataset.waits;
  diff.dataset.filled = wanted;
  try {
    const html = await part(address(diff));
    if (typing(diff) || diff.dataset.filled !== wanted) return;
    diff.innerHTML = html;
  } catch {
    if (!before) delete diff.dataset.filled; // the server is away: it is read when the page is read anew
    return;
  }
  const first = diff.querySelector(".no button");
  if (first) first.tabIndex = 0;
  redraw(diff);
}

const filled = () => [...root.querySelectorAll(".diff[data-filled]")];
const typing = (diff) => diff.contains(document.activeElement) && document.activeElement.matches("textarea, input");

// Somebody said something: what was said is put at its lines, everything else stays, also what is being typed.
async function talk(diff) {
  const fresh = new DOMParser().parseFromString(await part(address(diff)), "text/html");
  for (const row of fresh.querySelectorAll("tr.talk")) {
    const known = diff.querySelector(`#${CSS.escape(row.querySelector("article").id)}`)?.closest("tr");
    if (known) { known.replaceWith(row); continue; }
    let place = diff.querySelector(`[data-side="${row.dataset.side}"][data-line="${row.dataset.at}"]`)?.closest("tr");
    while (place?.nextElementSibling?.matches(".talk")) place = place.nextElementSibling;
    place?.after(row);
  }
}
function relay() { show(); for (const diff of filled()) if (diff.dataset.filled !== layout()) fill(diff); }
function show() { for (const button of root.querySelectorAll("[data-layout]")) button.setAttribute("aria-pressed", String(button.dataset.layout === chosen())); }

async function poll() {
  const begun = performance.now();
  if (!document.hidden && root.isConnected && root.dataset.soFar) await lookAgain();
  setTimeout(poll, Math.max(EVERY, 10 * (performance.now() - begun)));
}

// Of work that goes on: what changed since is put in place, what is the same stays as it is.
let looking = false;
let missed = false;
async function lookAgain() {
  if (looking) { missed = true; return; }
  if (document.activeElement?.matches("textarea") && root.contains(document.activeElement)) return;
  looking = true;
  missed = false;
  try {
    const html = await part(root.dataset.soFar);
    Idiomorph.morph(root, html, { morphStyle: "innerHTML", ignoreActiveValue: document.activeElement?.matches("input, textarea, select"), callbacks: {
      beforeNodeMorphed: (old, fresh) => !(old instanceof Element) || keeps(old, fresh),
      beforeAttributeUpdated: (name, element) => !(name === "open" && element.matches("details")),
    } });
    watch();
  } catch { /* the server is away: the feed tells so */ } finally { looking = false; }
  if (missed) lookAgain();
}

function keeps(old, fresh) {
  if (!("keep" in old.dataset)) return !old.matches("[data-typed]");
  if (old.dataset.keep === fresh.dataset?.keep) return false;
  if (!old.matches(".diff[data-filled]")) return true;
  old.dataset.keep = fresh.dataset.keep; // it is read anew while the old one is still shown
  fill(old);
  return false;
}

function clicked(event) {
  const at = (selector) => event.target.closest(selector);
  const button = at("[data-layout], [data-fold-all], .fold, [data-copy-path], [data-rest], [data-whole], .no button") ?? numberOf(at(".lines-table td"));
  if (!button) return;
  if (button.dataset.layout) { localStorage.setItem(LAYOUT, button.dataset.layout); relay(); if (button.dataset.layout === "split" && width() < WIDE) toast("The window is too narrow for two sides"); }
  else if ("foldAll" in button.dataset) foldAll();
  else if (button.matches(".fold")) fold(button.closest(".file"));
  else if ("copyPath" in button.dataset) navigator.clipboard.writeText(button.closest(".file").dataset.path).then(() => toast("Copied"));
  else if (button.dataset.rest) more(button);
  else if (button.dataset.whole) whole(button);
  else if (!("onlyLook" in root.dataset)) comment(button);
}

// A click on the code of a line is one on its number, unless somebody marks a piece of it.
function numberOf(cell) {
  if (!cell || !getSelection().isCollapsed) return null;
  const place = cell.closest("tr[data-line]") ?? (cell.matches("[data-line]") ? cell : cell.previousElementSibling);
  return place?.matches("[data-line]") ? place.querySelector("button") : null;
}

function fold(file, away = !folded.has(file.id)) {
  if (away) folded.add(file.id);
  else folded.delete(file.id);
  file.classList.toggle("folded", away);
  file.querySelector(".fold")?.setAttribute("aria-expanded", String(!away));
}

function foldAll() {
  const away = [...root.querySelectorAll(".file")].some((file) => !folded.has(file.id));
  root.querySelectorAll(".file").forEach((file) => fold(file, away));
}

async function rows(from) {
  return [...new DOMParser().parseFromString(await part(from), "text/html").querySelectorAll(".lines-table tbody tr")];
}

async function more(button) {
  button.disabled = true;
  const place = button.closest("tr");
  const diff = button.closest(".diff");
  place.replaceWith(...(await rows(button.dataset.rest)));
  redraw(diff);
}

async function whole(button) {
  button.disabled = true;
  const diff = button.closest(".diff");
  const [row] = await rows(`${address(diff)}&from=${button.dataset.whole}&whole=1`);
  const codes = row.querySelectorAll(".code");
  const side = button.closest("td").previousElementSibling?.dataset.side;
  button.previousElementSibling.replaceWith(codes.length > 1 && side === "new" ? codes[1] : codes[0]);
  button.remove();
}

function filter(text) {
  const wanted = text.trim().toLowerCase();
  for (const leaf of root.querySelectorAll(".tree .leaf")) leaf.hidden = !leaf.querySelector("a").title.toLowerCase().includes(wanted);
  for (const folder of root.querySelectorAll(".tree details")) folder.parentElement.hidden = ![...folder.querySelectorAll(".leaf")].some((leaf) => !leaf.hidden);
}

// Up and down go over the numbers of lines: one of them is in the order of Tab. From a file, down goes into it.
function walked(event) {
  if (event.key === "ArrowDown" && event.target.matches(".file")) {
    const first = event.target.querySelector('.no button[tabindex="0"]');
    if (first) { event.preventDefault(); first.focus(); }
    return;
  }
  const button = event.target.closest(".no button");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!button || !step) return;
  const all = [...button.closest(".diff").querySelectorAll(".no button")];
  const next = all[all.indexOf(button) + step];
  if (!next) return;
  event.preventDefault();
  button.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function pressed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select") || document.querySelector("dialog[open]")) return;
  const step = { n: 1, p: -1 }[event.key];
  if (!step || !root.isConnected) return;
  const files = [...root.querySelectorAll(".file")];
  const at = files.findIndex((file) => file.id === here);
  const next = files[at < 0 ? 0 : Math.min(files.length - 1, Math.max(0, at + step))];
  if (!next) return;
  event.preventDefault();
  files[at]?.classList.remove("here");
  next.classList.add("here");
  here = next.id;
  next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "start" });
  for (const link of root.querySelectorAll(".tree .leaf a")) link.toggleAttribute("aria-current", link.getAttribute("href") === `#${next.id}`);
}

function debounced(work, milliseconds) {
  let waiting;
  return () => { clearTimeout(waiting); waiting = setTimeout(work, milliseconds); };
}
