// Shared by all pages of this browser: a browser allows few connections to one server, and each would take one.
import { Feed } from "./feed.js";

const PING_MS = 20000;
const MOST_UNANSWERED = 3;
const MOST_KEPT = 200;
const ports = new Map(); // pings that a page has not answered yet
let feed = null;
let kept = []; // recent news, for pages that open later than the feed

onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    if (data.leaving) leave(port);
    else if (ports.has(port) && data.alive) ports.set(port, 0);
    else join(port, data);
  };
  port.onclose = () => leave(port);
  port.start();
};

function join(port, { after, key }) {
  ports.set(port, 0);
  if (!feed || feed.lost || feed.key !== key) { feed?.close(); kept = []; feed = new Feed(key, after, hear); return; }
  if (feed.hello) port.postMessage({ hello: feed.hello, seq: after });
  port.postMessage({ state: feed.state });
  if (after >= feed.last) return;
  const first = kept.length ? kept[0].after : feed.last;
  if (after < first) port.postMessage({ seq: feed.last, events: [], stale: true });
  else for (const news of kept) if (news.seq > after) port.postMessage(news);
}

function leave(port) {
  ports.delete(port);
  if (ports.size || !feed) return;
  feed.close();
  feed = null;
  kept = [];
}

function hear(told) {
  if (told.stale) kept = [];
  else if (told.events) kept.push(told);
  if (kept.length > MOST_KEPT) kept.shift();
  for (const port of ports.keys()) port.postMessage(told);
}

// A page that was killed says nothing; one that was frozen answers later, and joins again.
setInterval(() => {
  for (const [port, unanswered] of [...ports]) {
    if (unanswered >= MOST_UNANSWERED) { leave(port); continue; }
    ports.set(port, unanswered + 1);
    port.postMessage({ ping: true });
  }
}, PING_MS);
