// The timeline: zoom, follow, collapse, walk by keys. The server places everything; here places are computed anew when time passes.
import { lasting } from "./clock.js";
import { load } from "./parts.js";

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2419200, 7862400, 15724800, 31449600].map((s) => s * 1000);
const DAY = 86400000;
const MOST_ZOOM = 512;
const CLOSE = 13; // pixels: marks nearer than that would hide each other
const MOST_TOLD = 12;
const COMPACT = "deedlog-timeline-compact";

export function start(root) {
  const all = (selector) => root.querySelectorAll(selector);
  const card = root.closest(".tl-card");
  const tip = document.getElementById("tl-tip");
  const closed = new Set();
  let pieces = [];
  let skew = 0;
  let zoom = 1;
  let follow = true;
  let compact = localStorage.getItem(COMPACT) === "yes";
  let here = null; // the id of the row and the number of the item that Tab comes to

  const now = () => Date.now() - skew;
  const live = () => "live" in root.dataset;

  function at(moment) {
    for (const [from, to, left, right] of pieces) if (moment <= to) return left + (Math.max(0, moment - from) / (to - from)) * (right - left);
    return 100;
  }

  function read() {
    pieces = root.dataset.scale.split(";").map((piece) => piece.split(",").map(Number));
    if (live()) skew = Date.now() - Date.parse(root.dataset.live);
  }

  function refreshed() {
    read();
    for (const button of all(".tl-toggle")) button.setAttribute("aria-expanded", String(!closed.has(button.dataset.of)));
    collapse();
    apply();
    grow();
    rove();
    const table = document.getElementById("tl-table");
    if (table?.closest("details").open && table.dataset.loaded) load(table);
  }

  // Bars that run reach until now; when now leaves the scale, the scale grows and everything moves.
  function grow() {
    if (!live()) return;
    const last = pieces[pieces.length - 1];
    const moment = now();
    if (moment > last[1]) { last[1] = moment + (moment - pieces[0][0]) * 0.06; place(); ticks(); gather(); }
    const x = at(moment);
    root.querySelector(".tl-now")?.setAttribute("x1", `${x}%`);
    root.querySelector(".tl-now")?.setAttribute("x2", `${x}%`);
    for (const bar of all('.tl-bar[data-e=""]')) bar.setAttribute("width", `${Math.max(0, x - at(Number(bar.dataset.s)))}%`);
    if (follow) root.scrollLeft = Math.max(0, ((root.scrollWidth - label()) * x) / 100 - (root.clientWidth - label()) * 0.85);
  }

  function place() {
    for (const each of all("[data-s]")) {
      const left = at(Number(each.dataset.s));
      each.setAttribute("x", `${left}%`);
      if (each.dataset.e) each.setAttribute("width", `${Math.max(0, at(Number(each.dataset.e)) - left)}%`);
    }
    for (const each of all("[data-at]")) each.setAttribute("x", `${at(Number(each.dataset.at))}%`);
  }

  // The first of the marks that are close stands for all of them, with their number; who zooms in sees each.
  function gather() {
    const width = root.querySelector(".tl-axis").clientWidth;
    for (const track of all(".tl-track")) {
      let group = [];
      let begin = -Infinity;
      for (const link of track.querySelectorAll(".tl-mark")) {
        const x = (at(Number(link.firstElementChild.dataset.at)) * width) / 100;
        if (x - begin < CLOSE) { group.push(link); continue; }
        stand(group);
        group = [link];
        begin = x;
      }
      stand(group);
    }
  }

  function stand(group) {
    const own = (link) => link.dataset.own ?? link.getAttribute("aria-label");
    const told = group.map((link) => own(link).split(" · ").slice(0, -1).join(": "));
    group.forEach((link, number) => {
      const many = number === 0 && group.length > 1;
      const [use, count] = link.children;
      const alone = own(link);
      link.classList.toggle("under", number > 0);
      link.classList.toggle("many", many);
      if (many) link.dataset.own = alone;
      else delete link.dataset.own;
      link.setAttribute("aria-label", many ? [`${group.length} marks`, ...told.slice(0, MOST_TOLD)].join(" · ") : alone);
      use.setAttribute("href", many ? "#mk-many" : use.dataset.shape);
      count.textContent = many ? group.length : "";
    });
  }

  function open(crowd) {
    follow = false;
    zoomTo(zoom * 4);
    const x = at(Number(crowd.firstElementChild.dataset.at)) / 100;
    root.scrollLeft = (root.scrollWidth - label()) * x - (root.clientWidth - label()) / 2;
  }

  const label = () => root.querySelector(".tl-label").offsetWidth;

  // Round moments of the reader's own time zone, about as many as there is room for.
  function ticks() {
    const axis = root.querySelector(".tl-ticks");
    const lines = root.querySelector(".tl-lines");
    const width = axis.ownerSVGElement.clientWidth;
    const from = pieces[0][0];
    const to = pieces[pieces.length - 1][1];
    const most = Math.max(2, width / 115);
    const step = STEPS.find((each) => (to - from) / each <= most) ?? STEPS[STEPS.length - 1];
    const zone = new Date(from).getTimezoneOffset() * 60000;
    let day = "";
    let before = -Infinity;
    const made = [];
    for (let moment = Math.ceil((from - zone) / step) * step + zone; moment <= to; moment += step) {
      const x = at(moment);
      if (((x - before) * width) / 100 < 70 || ((100 - x) * width) / 100 < 44) continue;
      before = x;
      const date = new Date(moment);
      const today = date.toLocaleDateString([], { day: "numeric", month: "short" });
      const clock = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", ...(step < 60000 ? { second: "2-digit" } : {}), hour12: false });
      made.push([x, step >= DAY ? today : today === day ? clock : `${today} ${clock}`]);
      day = today;
    }
    axis.replaceChildren(...made.map(([x, text]) => shape("text", { x: `${x}%`, dx: 4, y: 17 }, text)));
    lines.replaceChildren(...made.map(([x]) => shape("line", { x1: `${x}%`, x2: `${x}%`, y1: 0, y2: "100%" })));
  }

  function shape(name, attributes, text = "") {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  }

  function apply() {
    root.style.setProperty("--zoom", zoom);
    root.classList.toggle("compact", compact);
    for (const track of all(".tl-track[data-less]")) {
      track.dataset.full ??= track.getAttribute("height");
      track.setAttribute("height", compact ? track.dataset.less : track.dataset.full);
    }
    card.querySelector('[data-do="compact"]')?.setAttribute("aria-pressed", String(compact));
    card.querySelector('[data-do="follow"]')?.setAttribute("aria-pressed", String(follow));
    ticks();
    gather();
  }

  // What is in the middle stays there.
  function zoomTo(wanted) {
    const middle = (root.scrollLeft + (root.clientWidth - label()) / 2) / Math.max(1, root.scrollWidth - label());
    zoom = Math.min(MOST_ZOOM, Math.max(1, wanted));
    apply();
    root.scrollLeft = middle * (root.scrollWidth - label()) - (root.clientWidth - label()) / 2;
    grow();
  }

  function act(what) {
    if (what === "in") zoomTo(zoom * 1.6);
    else if (what === "out") zoomTo(zoom / 1.6);
    else if (what === "all") zoomTo(1);
    else if (what === "follow") { follow = !follow; apply(); grow(); }
    else if (what === "compact") { compact = !compact; localStorage.setItem(COMPACT, compact ? "yes" : "no"); apply(); }
  }

  function collapse() {
    for (const row of all(".tl-row")) row.hidden = row.dataset.under.split(" ").some((ref) => closed.has(ref));
  }

  // One item is reached by Tab; arrows go on from it.
  const items = (row) => [...row.querySelectorAll(".tl-track a:not(.under)")];
  function rove() {
    let chosen = here && root.querySelector(`#${CSS.escape(here.row)}`) ? items(root.querySelector(`#${CSS.escape(here.row)}`))[here.item] : null;
    for (const link of all(".tl-track a:not(.under)")) { chosen ??= link; link.setAttribute("tabindex", link === chosen ? "0" : "-1"); }
  }

  function walk(key) {
    const link = document.activeElement;
    const row = link?.closest(".tl-row");
    if (!row || !root.contains(row) || !link.closest(".tl-track")) return false;
    const own = items(row);
    let next;
    if (key === "ArrowRight" || key === "ArrowLeft") next = own[own.indexOf(link) + (key === "ArrowRight" ? 1 : -1)];
    else {
      const rows = [...all(".tl-row")].filter((each) => each === row || (!each.hidden && items(each).length));
      const other = rows[rows.indexOf(row) + (key === "ArrowDown" ? 1 : -1)];
      next = other && items(other)[Math.min(own.indexOf(link), items(other).length - 1)];
    }
    if (next) { here = { row: next.closest(".tl-row").id, item: items(next.closest(".tl-row")).indexOf(next) }; rove(); next.focus(); next.closest(".tl-row").scrollIntoView({ block: "nearest" }); }
    return true;
  }

  function tell(link) {
    const [first, ...rest] = link.getAttribute("aria-label").split(" · ");
    const running = link.querySelector('.tl-bar[data-e=""]');
    if (running) rest[rest.length - 1] = `at work for ${lasting((now() - Number(running.dataset.s)) / 1000)}`;
    tip.replaceChildren(...[first, ...rest].map((text) => { const line = document.createElement("p"); line.textContent = text; return line; }));
    tip.hidden = false;
    const box = (link.querySelector(".tl-bar, use") ?? link).getBoundingClientRect();
    const left = Math.min(Math.max(8, Math.max(box.left, root.getBoundingClientRect().left + label())), innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${left}px`;
    tip.style.top = `${box.bottom + 8 + tip.offsetHeight > innerHeight ? box.top - tip.offsetHeight - 8 : box.bottom + 8}px`;
  }

  const hide = () => { tip.hidden = true; };
  for (const [shows, hides] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
    root.addEventListener(shows, (event) => { const link = event.target.closest?.(".tl-track a"); if (link) tell(link); });
    root.addEventListener(hides, hide);
  }
  root.addEventListener("scroll", hide);
  root.addEventListener("wheel", (event) => { if (event.ctrlKey) { event.preventDefault(); zoomTo(zoom * (event.deltaY < 0 ? 1.2 : 1 / 1.2)); } else if (event.deltaX) { follow = false; apply(); } }, { passive: false });
  root.addEventListener("click", (event) => {
    const crowd = event.target.closest(".tl-mark.many");
    if (crowd && zoom < MOST_ZOOM && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); open(crowd); return; }
    const button = event.target.closest(".tl-toggle");
    if (!button) return;
    const ref = button.dataset.of;
    if (!closed.delete(ref)) closed.add(ref);
    button.setAttribute("aria-expanded", String(!closed.has(ref)));
    collapse();
    rove();
  });
  card.addEventListener("click", (event) => { const button = event.target.closest("[data-do]"); if (button) act(button.dataset.do); });
  document.addEventListener("keydown", (event) => {
    if (!root.isConnected || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || event.target.closest("input, textarea, select")) return;
    const what = { "+": "in", "=": "in", "-": "out", 0: "all", f: "follow", c: "compact" }[event.key];
    if (what) { act(what); event.preventDefault(); }
    else if (event.key.startsWith("Arrow") && walk(event.key)) event.preventDefault();
    else if (event.key === "Escape") hide();
  });
  document.addEventListener("deedlog:refreshed", () => { if (root.isConnected) refreshed(); });
  addEventListener("resize", () => { if (root.isConnected) { ticks(); gather(); } });
  setInterval(() => { if (root.isConnected && !document.hidden) grow(); }, 1000);
  refreshed();
}
