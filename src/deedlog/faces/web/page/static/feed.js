// One connection to the server's feed. `tell` hears: state, hello (which server this is), events after the last one, stale, lost.
import { Stranger, converse } from "./proof.js";

const SILENT_MS = 45000; // the server gives a sign of life every 15 s
const RETRY_MS = [500, 1000, 2000, 5000];

export class Feed {
  constructor(key, after, tell) {
    this.key = key;
    this.last = after;
    this.state = "connecting";
    this.hello = null;
    this.failures = 0;
    this.tell = tell;
    this.open();
    this.watch = setInterval(() => { if (Date.now() - this.heard > SILENT_MS) this.open(); }, 5000);
  }

  async open() {
    this.ending?.abort();
    clearTimeout(this.later);
    const ending = (this.ending = new AbortController());
    this.heard = Date.now();
    let refused = false;
    try {
      const answer = await converse(this.key, `/live?after=${this.last}`, { signal: ending.signal });
      refused = !answer.ok;
      if (answer.ok) await this.read(answer.body.pipeThrough(new TextDecoderStream()).getReader());
    } catch (error) {
      if (error instanceof Stranger) return this.lose();
    }
    if (!ending.signal.aborted) this.broken(refused);
  }

  async read(reader) {
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.heard = Date.now();
      const messages = (rest + value).split("\n\n");
      rest = messages.pop();
      for (const message of messages) this.take(message);
    }
  }

  take(message) {
    const said = Object.fromEntries(message.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
    if (said.event === "here") { this.failures = 0; this.news(said, { hello: (this.hello = JSON.parse(said.data)) }); this.become("live"); }
    else if (said.event === "events") this.news(said, { events: JSON.parse(said.data) });
    else if (said.event === "stale") this.news(said, { events: [], stale: true });
  }

  broken(refused) {
    this.hello = null;
    this.become("away", refused);
    this.later = setTimeout(() => this.open(), RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)]);
  }

  // Another server is here: nothing more is sent to it.
  lose() {
    this.close();
    this.lost = true;
    this.become("away");
    this.tell({ lost: this.key });
  }

  news(said, told) {
    told.seq = Number(said.id);
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
    this.ending.abort();
  }
}
