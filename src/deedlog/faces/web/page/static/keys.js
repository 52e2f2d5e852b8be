// Keys: g + letter goes to a view, j and k move over rows ([data-row]), Enter opens one, a does its decisive action.
let before = "";

export function listen() {
  document.addEventListener("keydown", pressed);
  document.getElementById("show-keys").addEventListener("click", () => document.getElementById("keys").showModal());
  document.getElementById("theme").addEventListener("click", theme);
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (typing) { if (event.key === "Escape") typing.blur(); return; }
  const together = `${before} ${event.key}`.trim();
  before = event.key === "g" && before !== "g" ? "g" : "";
  if (before) return;
  const link = document.querySelector(`nav.side [data-key="${CSS.escape(together)}"]`);
  const done = link ? (link.click(), true) : plain(event.key);
  if (done) event.preventDefault();
}

function plain(key) {
  switch (key) {
    case "/": document.getElementById("find").focus(); return true;
    case "?": document.getElementById("keys").showModal(); return true;
    case "t": theme(); return true;
    case "j": return move(1);
    case "k": return move(-1);
    case "a": return decide();
    case "Enter": return open();
    default: return false;
  }
}

const current = () => document.activeElement?.closest("[data-row]");

function move(step) {
  const rows = [...document.querySelectorAll("#main [data-row]")].filter((row) => row.checkVisibility?.() ?? true);
  const at = rows.indexOf(current());
  const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))];
  if (!next) return false;
  next.tabIndex = -1;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
  return true;
}

function decide() {
  const action = current()?.querySelector("[data-decisive]");
  action?.click();
  return Boolean(action);
}

function open() {
  if (document.activeElement !== current()) return false;
  const link = current()?.querySelector("a[href]");
  link?.click();
  return Boolean(link);
}

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("deedlog-theme", root.dataset.theme);
}
