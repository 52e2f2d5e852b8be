// The feed. One connection for all open pages of this browser (a worker holds it); each page reads anew what changed.
import { ask, key, lose, proven, usable } from "./access.js";
import { Feed } from "./feed.js";
import { adopt, load } from "./parts.js";
import { morph } from "./morph.js";
import { tick } from "./clock.js";

const PRINTED = "output"; // what workers print, many times a second; only views of their logs follow it
const ANYTHING = "*";
const SHORTEST_MS = 50; // between two readings; a slow view waits for as long as it takes to read
const LONGEST_MS = 1000;
const HTML = "text/html";
const RETRY_MS = 2000;
const around = document.documentElement.dataset;
let reading = false;
let wanted = false;
let retry = 0;
let last = 0;
let connect = () => {};

export function follow() {
  last = Number(document.getElementById("main").dataset.seq);
  connect = shared() ?? alone();
  document.addEventListener("visibilitychange", () => { if (!document.hidden && wanted) refresh(); });
  document.addEventListener("deedlog:lost", lost);
  document.addEventListener("deedlog:found", found);
  connect();
}

function shared() {
  try {
    const worker = new SharedWorker(new URL("worker.js", import.meta.url), { name: "deedlog-feed", type: "module" });
    const join = () => worker.port.postMessage({ after: last, key: key() });
    worker.onerror = () => { worker.onerror = null; connect = alone(); connect(); }; // its script could not be loaded
    worker.port.onmessage = ({ data }) => (data.ping ? worker.port.postMessage({ alive: true, after: last, key: key() }) : heard(data));
    worker.port.start();
    addEventListener("pagehide", () => worker.port.postMessage({ leaving: true }));
    addEventListener("pageshow", (event) => { if (event.persisted && usable()) { join(); refresh(); } });
    return join;
  } catch {
    return null;
  }
}

// Without a shared worker each page has a connection of its own, while it is looked at.
function alone() {
  let feed = null;
  const join = () => {
    feed?.close();
    feed = !document.hidden && usable() ? new Feed(key(), last, heard) : null;
  };
  document.addEventListener("visibilitychange", join);
  return join;
}

// The server here is not the one that this page came from. It may be a stranger's: nothing is sent, nothing is loaded.
function lost() {
  document.getElementById("lost").hidden = false;
  document.getElementById("renew").hidden = true;
  changed({ state: "away" });
  document.getElementById("live").textContent = "not connected";
}

function found() {
  document.getElementById("lost").hidden = true;
  connect();
  refresh();
}

function heard(news) {
  if (news.lost) return lose(news.lost);
  if (news.state) return changed(news);
  if (news.hello) return met(news.hello);
  const fresh = news.events.filter((event) => event.seq > last);
  last = news.stale ? news.seq : Math.max(last, news.seq);
  for (const event of fresh) document.dispatchEvent(new CustomEvent("deedlog:event", { detail: event }));
  const main = document.getElementById("main");
  if (news.stale || fresh.some((event) => concerns(main.dataset, event))) refresh();
  for (const part of document.querySelectorAll("[data-load][data-on]"))
    if (news.stale || fresh.some((event) => concerns({ follows: part.dataset.on, subjects: "" }, event))) load(part);
}

function concerns({ follows, subjects }, event) {
  const kinds = follows.split(" ");
  const kind = kinds.includes(event.entity) || (kinds.includes(ANYTHING) && event.entity !== PRINTED);
  return kind && (!subjects || subjects.split(" ").some((subject) => event.about.includes(subject)));
}

function changed({ state, refused }) {
  const sign = document.getElementById("live");
  const before = sign.dataset.state;
  if (before !== state) {
    sign.dataset.state = state;
    sign.textContent = { live: "live", away: "reconnecting", connecting: "connecting" }[state];
  }
  if (refused || (before === "away" && state === "live")) refresh();
}

// Another server, or a newer one: what is on this page may not fit it any more.
async function met({ server, edition }) {
  if (server === around.server && edition === around.edition) return;
  const just = Number(sessionStorage.getItem("deedlog-renewed") ?? 0);
  if (Date.now() - just < 10000) return;
  if (typing()) { document.getElementById("renew").hidden = false; return; }
  sessionStorage.setItem("deedlog-renewed", Date.now());
  if (await proven().catch(() => null)) location.reload();
}

function typing() {
  const fields = [...document.querySelectorAll("#main textarea, #main input:not([type=hidden])")];
  return Boolean(document.querySelector("dialog[open]")) || fields.some((field) => field.value !== field.defaultValue);
}

// Reads the view anew; however often it is asked to, one reading at a time, and one more after the last that asked.
export async function refresh() {
  wanted = true;
  if (reading || document.hidden || !usable()) return;
  clearTimeout(retry);
  reading = true;
  while (wanted && !document.hidden && usable()) {
    wanted = false;
    const begun = performance.now();
    if (!(await read())) {
      wanted = true;
      retry = setTimeout(refresh, RETRY_MS);
      break;
    }
    const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, performance.now() - begun));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  reading = false;
}

async function read() {
  const address = location.pathname + location.search;
  try {
    const answer = await ask(address, { headers: { "Deedlog-Part": "main", Accept: HTML }, signal: AbortSignal.timeout(60000) });
    if (answer.redirected) return location.replace(answer.url), true;
    if (!answer.ok && answer.status !== 404) return false;
    if (!answer.headers.get("Content-Type")?.startsWith(HTML)) return true; // nothing to show
    const html = await answer.text();
    if (address === location.pathname + location.search) show(html);
    else wanted = true; // somebody went on meanwhile
    return true;
  } catch {
    return false; // the server is away
  }
}

function show(html) {
  morph(document.getElementById("main"), html);
  const main = document.getElementById("main");
  document.title = `${main.dataset.title} · Deedlog`;
  adopt(document.body);
  tick();
  document.dispatchEvent(new CustomEvent("deedlog:refreshed"));
}
