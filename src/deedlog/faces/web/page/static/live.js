// The feed. One connection for all open pages of this browser (a worker holds it); each page reads anew what changed.
import { adopt, load } from "./parts.js";
import { tick } from "./clock.js";

const PRINTED = "output"; // what workers print, many times a second; only views of their logs follow it
const ANYTHING = "*";
let busy = false;
let again = false;
let last = Number(document.getElementById("main").dataset.seq);

export function follow() {
  connect(heard);
  document.addEventListener("visibilitychange", () => { if (!document.hidden && again) refresh(); });
}

function connect(hear) {
  try {
    const worker = new SharedWorker(new URL("feed.js", import.meta.url), { name: "deedlog-feed" });
    worker.port.onmessage = ({ data }) => hear(data);
    worker.port.start();
    worker.port.postMessage({ after: last });
    addEventListener("pagehide", () => worker.port.postMessage({ leaving: true }));
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  } catch {
    const feed = new EventSource(`/live?after=${last}`);
    feed.onopen = () => hear({ state: "live" });
    feed.onerror = () => hear({ state: "away" });
    feed.addEventListener("events", (e) => hear({ seq: Number(e.lastEventId), events: JSON.parse(e.data) }));
    feed.addEventListener("stale", (e) => hear({ seq: Number(e.lastEventId), stale: true }));
  }
}

function heard(news) {
  if (news.state) return tell(news.state);
  tell("live");
  const fresh = news.stale ? [] : news.events.filter((event) => event.seq > last);
  last = Math.max(last, news.seq);
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

function tell(state) {
  const sign = document.getElementById("live");
  if (sign.dataset.state === state) return;
  sign.dataset.state = state;
  sign.textContent = { live: "live", away: "reconnecting", connecting: "connecting" }[state];
}

// Reads the view anew and changes only what differs: focus, what is typed, opened and scrolled stays.
export async function refresh() {
  if (document.hidden || busy) { again = true; return; }
  busy = true;
  again = false;
  try {
    const answer = await fetch(location.href, { headers: { "Deedlog-Part": "main" } });
    if (answer.ok) morph(await answer.text());
    else if (answer.status === 404) morph(await answer.text());
  } catch {
    again = true; // the server is away: the feed tells when it is back
  } finally {
    busy = false;
  }
  if (again && !document.hidden) setTimeout(refresh, 50);
}

function morph(html) {
  const main = document.getElementById("main");
  Idiomorph.morph(main, html, {
    ignoreActiveValue: true,
    callbacks: {
      beforeNodeMorphed: (old, fresh) => !(old instanceof Element) || keeps(old, fresh),
      beforeAttributeUpdated: (name, element) => !(name === "open" && element.matches("details, dialog")),
    },
  });
  document.title = `${main.dataset.title} · Deedlog`;
  adopt(document.body);
  tick();
  document.dispatchEvent(new CustomEvent("deedlog:refreshed"));
}

// What a script of the page filled or somebody is typing into is left as it is.
function keeps(old, fresh) {
  if ("keep" in old.dataset && old.dataset.keep === (fresh.dataset ? fresh.dataset.keep : undefined)) return false;
  return !old.matches("[data-typed]");
}
