// Shared by all pages of this browser: a browser allows few connections to one server, and each would take one.
const ports = new Map(); // by port, the last seq it heard
let feed = null;
let state = "connecting";
let last = 0;
let kept = []; // recent news, for pages that open later than the feed

onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => (data.leaving ? leave(port) : join(port, data.after));
  port.start();
};

function join(port, after) {
  ports.set(port, after);
  if (!feed) { last = after; open(after); return; }
  port.postMessage({ state });
  if (after > last) return;
  const first = kept.length ? kept[0].after : last;
  if (after < first) port.postMessage({ seq: last, stale: true });
  else for (const news of kept) if (news.seq > after) port.postMessage(news);
}

function leave(port) {
  ports.delete(port);
  if (!ports.size && feed) { feed.close(); feed = null; kept = []; state = "connecting"; }
}

function open(after) {
  feed = new EventSource(`/live?after=${after}`);
  feed.onopen = () => tell({ state: (state = "live") });
  feed.onerror = () => tell({ state: (state = "away") });
  feed.addEventListener("events", (e) => news({ seq: Number(e.lastEventId), events: JSON.parse(e.data) }));
  feed.addEventListener("stale", (e) => news({ seq: Number(e.lastEventId), stale: true, events: [] }));
}

function news(told) {
  told.after = last;
  last = told.seq;
  kept.push(told);
  if (kept.length > 200) kept.shift();
  tell(told);
}

function tell(message) {
  for (const port of ports.keys()) port.postMessage(message);
}
