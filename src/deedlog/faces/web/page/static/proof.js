// Requests that the page signs with its key, and answers that prove who gave them. The key itself is never sent.
// Another server on this port, or a later run of ours, cannot give the proof: nothing it says is used.
// A signature is good once, for one method, address and body.
import { digest, hex, hmac } from "./hmac.js";

const TOO_EARLY = 425;
const seconds = () => Math.floor(Date.now() / 1000);
let ahead = 0; // of the server's clock

export class Stranger extends Error {}

export async function converse(key, address, options) {
  const answer = await once(key, address, options);
  if (answer.status !== TOO_EARLY) return answer;
  answer.body?.cancel();
  ahead = Number(answer.headers.get("Deedlog-Time")) - seconds();
  return once(key, address, options);
}

async function once(key, address, { headers, ...options } = {}) {
  const nonce = `${seconds() + ahead}-${hex(crypto.getRandomValues(new Uint8Array(16)))}`;
  const { pathname, search } = new URL(address, location.href);
  const body = digest(options.body ?? "");
  const sign = hmac(key, `ask ${nonce} ${options.method ?? "GET"} ${body} ${pathname}${search}`);
  const signed = { ...headers, Authorization: `Deedlog ${nonce}:${body}:${sign}` };
  const answer = await fetch(address, { ...options, headers: signed, credentials: "omit", cache: "no-store" });
  if (answer.headers.get("Deedlog-Proof") === hmac(key, `answer ${nonce}`)) return answer;
  answer.body?.cancel();
  if (answer.status >= 500) throw new Error("away"); // a proxy whose server is not there
  throw new Stranger();
}
