// One connection to the server's feed. `tell` hears: state, hello (which server this is), events after the last one, stale.
const SILENT_MS = 45000; // the server gives a sign of life every 15 s
const RETRY_MS = [500, 1000, 2000, 5000];

export class Feed {
  constructor(after, tell) {
    this.last = after;
    this.state = "connecting";
    this.hello = null;
    this.failures = 0;
    this.tell = tell;
    this.open();
    this.watch = setInterval(() => { if (Date.now() - this.heard > SILENT_MS) this.open(); }, 5000);
  }

  open() {
    this.source?.close();
    clearTimeout(this.later);
    this.heard = Date.now();
    const source = (this.source = new EventSource(`/live?after=${this.last}`));
    source.onopen = () => { this.failures = 0; this.heard = Date.now(); };
    source.onerror = () => this.broken(source);
    source.addEventListener("still", () => { this.heard = Date.now(); });
    source.addEventListener("here", (e) => { this.news(e, { hello: (this.hello = JSON.parse(e.data)) }); this.become("live"); });
    source.addEventListener("events", (e) => this.news(e, { events: JSON.parse(e.data) }));
    source.addEventListener("stale", (e) => this.news(e, { events: [], stale: true }));
  }

  // A connection that broke the browser opens again; one that was refused it does not.
  broken(source) {
    this.hello = null;
    const refused = source.readyState === EventSource.CLOSED;
    this.become("away", refused);
    if (refused) this.later = setTimeout(() => this.open(), RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)]);
  }

  news(event, told) {
    this.heard = Date.now();
    told.seq = Number(event.lastEventId);
    told.after = this.last;
    this.last = told.seq;
    this.tell(told);
  }

  become(state, refused = false) {
    this.state = state;
    this.tell({ state, refused });
  }

  close() {
    clearInterval(this.watch);
    clearTimeout(this.later);
    this.source.close();
  }
}
