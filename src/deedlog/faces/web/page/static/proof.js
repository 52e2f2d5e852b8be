// Requests that the page signs with its key, and answers that prove who gave them. The key itself is never sent.
// Another server on this port, or a later run of ours, cannot give the proof: nothing it says is used.
import { hmac } from "./hmac.js";

export class Stranger extends Error {}

export async function converse(key, address, { headers, ...options } = {}) {
  const nonce = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const signed = { ...headers, Authorization: `Deedlog ${nonce}:${hmac(key, `ask ${nonce}`)}` };
  const answer = await fetch(address, { ...options, headers: signed, credentials: "omit", cache: "no-store" });
  if (answer.headers.get("Deedlog-Proof") === hmac(key, `answer ${nonce}`)) return answer;
  answer.body?.cancel();
  if (answer.status >= 500) throw new Error("away"); // a proxy whose server is not there
  throw new Stranger();
}
