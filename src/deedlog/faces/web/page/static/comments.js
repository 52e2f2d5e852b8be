// Comments on lines of a diff: drafts stay in this browser until they are sent back together.
const COLUMNS = 4;
let root;
let opened = false;

export function startComments(element) {
  const first = !root;
  root = element;
  count();
  if (!first) return;
  document.addEventListener("deedlog:done", ({ target }) => { if (target === bar()) { keep([]); opened = false; redraw(); count(); } });
  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-send-back]")) open();
    if (target.closest("[data-later]")) { opened = false; bar().hidden = true; }
  });
  document.addEventListener("focusin", ({ target }) => { const row = target.closest("tr.draft"); if (row) reveal(row); });
  addEventListener("storage", (event) => { if (event.key === key()) { redraw(); count(); } });
}

const bar = () => document.getElementById("send-back");

const key = () => `deedlog-drafts:${root.dataset.uri}`;
function drafts() {
  try { return JSON.parse(localStorage.getItem(key()) ?? "[]"); } catch { return []; }
}
function keep(all) {
  if (all.length) localStorage.setItem(key(), JSON.stringify(all));
  else localStorage.removeItem(key());
}
const same = (a, b) => a.path === b.path && a.line === b.line && a.side === b.side;
function put(draft) { keep([...drafts().filter((each) => !same(each, draft)), draft]); }
function drop(draft) { keep(drafts().filter((each) => !same(each, draft))); }

function open() {
  opened = true;
  count();
  document.getElementById("send-message").focus();
}

// What somebody writes stands above the bar, never behind it.
function reveal(row) {
  row.scrollIntoView({ block: "nearest" });
  const behind = bar().hidden ? 0 : row.getBoundingClientRect().bottom - bar().getBoundingClientRect().top;
  if (behind > 0) scrollBy({ top: behind + 8, behavior: "instant" });
}

function count() {
  const form = bar();
  if (!form) return;
  const ready = drafts().filter((draft) => draft.text.trim());
  form.hidden = !ready.some((draft) => !draft.open) && !opened;
  form.querySelector("[data-count]").textContent = ready.length ? `${ready.length} ${ready.length === 1 ? "comment" : "comments"} on lines` : "No comments on lines";
  form.querySelector("[name=comments]").value = ready.length ? JSON.stringify(ready.map(({ path, line, side, text }) => ({ path, line, side, text }))) : "";
}

// What stands in the diffs as drafts is made anew from what is kept; a box somebody types into stays.
export function redraw(within = root) {
  if (!root) return;
  for (const row of within.querySelectorAll("tr.draft")) if (!row.contains(document.activeElement)) row.remove();
  for (const draft of drafts()) {
    const place = find(draft, within);
    if (place && !drawn(place, draft)) place.after(draft.open ? box(draft) : card(draft));
  }
}

function drawn(row, draft) {
  for (let next = row.nextElementSibling; next?.matches(".draft, .talk"); next = next.nextElementSibling)
    if (next.matches(".draft") && next.dataset.side === draft.side) return true;
  return false;
}

function find(draft, within) {
  const file = within.closest(".file") ?? [...within.querySelectorAll(".file")].find((each) => each.dataset.path === draft.path);
  if (file?.dataset.path !== draft.path) return null;
  return file.querySelector(`.lines-table [data-side="${draft.side}"][data-line="${draft.line}"]`)?.closest("tr") ?? null;
}

export function comment(button) {
  const place = button.closest("[data-line]");
  const draft = { path: button.closest(".file").dataset.path, line: Number(place.dataset.line), side: place.dataset.side, text: "", open: true };
  const row = button.closest("tr");
  const known = drafts().find((each) => same(each, draft));
  if (known) drop(known);
  const next = row.nextElementSibling;
  if (next?.matches(".draft") && next.dataset.side === draft.side) next.remove();
  row.after(box(known ?? draft));
  row.nextElementSibling.querySelector("textarea").focus();
  if (known) put({ ...known, open: true });
}

function shell(draft) {
  const row = document.createElement("tr");
  row.className = "draft";
  row.dataset.side = draft.side;
  const cell = document.createElement("td");
  cell.colSpan = COLUMNS;
  row.append(cell);
  return [row, cell];
}

function make(tag, text, className = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  element.className = className;
  return element;
}

function box(draft) {
  const [row, cell] = shell(draft);
  const form = document.createElement("form");
  const where = `line ${draft.line}${draft.side === "old" ? " as it was" : ""}`;
  const text = document.createElement("textarea");
  text.value = draft.text;
  text.maxLength = 5000;
  text.setAttribute("aria-label", `Comment on ${where} of ${draft.path}`);
  text.placeholder = "What should be different here?";
  text.addEventListener("input", () => { if (text.value.trim()) put({ ...draft, text: text.value, open: true }); else drop(draft); count(); });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); }
    if (event.key === "Escape") { event.stopPropagation(); close(); }
  });
  const close = () => {
    const back = row.previousElementSibling;
    if (text.value.trim()) { put({ ...draft, text: text.value, open: false }); row.replaceWith(card({ ...draft, text: text.value })); } else { drop(draft); row.remove(); }
    count();
    back?.querySelector(".no button")?.focus();
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); close(); });
  const buttons = make("div", "", "row");
  const discard = make("button", "Discard", "button small");
  discard.type = "button";
  discard.addEventListener("click", () => { text.value = ""; close(); });
  buttons.append(make("button", "Keep comment", "button small primary"), discard, make("span", "kept in this browser until you send the task back", "meta"));
  form.append(text, buttons);
  cell.append(form);
  return row;
}

function card(draft) {
  const [row, cell] = shell(draft);
  const article = document.createElement("article");
  const meta = make("p", "", "meta");
  meta.append(make("span", "not sent yet", "chip"));
  const edit = make("button", "Edit", "button small");
  const remove = make("button", "Remove", "button small");
  edit.type = remove.type = "button";
  edit.addEventListener("click", () => { put({ ...draft, open: true }); const open = box(draft); row.replaceWith(open); open.querySelector("textarea").focus(); });
  remove.addEventListener("click", () => { drop(draft); row.remove(); count(); });
  const buttons = make("div", "", "row");
  buttons.append(edit, remove);
  article.append(meta, make("p", draft.text, "prose"), buttons);
  cell.append(article);
  return row;
}
