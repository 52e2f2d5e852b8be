// Who may use this page. The key is in this browser's storage for this address, and worth nothing once the server stopped.
import { Stranger, converse } from "./proof.js";

const KEY = "deedlog-key";
const NAME = "deedlog-name";
const ONCE = "deedlog-once";
const LINK = /#once=([\w-]+)$/;
const ANYTHING = "0".repeat(16);
let unknown = null; // a key that the server here does not know: nothing is sent with it again

export const key = () => localStorage.getItem(KEY);
export const usable = () => Boolean(key()) && key() !== unknown;

export async function ask(address, options) {
  const held = key();
  if (!usable()) throw new Stranger();
  try {
    return await converse(held, address, options);
  } catch (error) {
    if (error instanceof Stranger) lose(held);
    throw error;
  }
}

// Before anything is sent that matters, and before the page loads itself again: is this still the same server?
export const proven = () => ask(`/sign-in/proof?of=${ANYTHING}`);

export function lose(held) {
  if (held !== key()) return; // somebody signed in meanwhile
  unknown = held;
  document.dispatchEvent(new CustomEvent("deedlog:lost"));
}

export function signature() {
  const name = localStorage.getItem(NAME);
  return name ? { "Deedlog-Actor": encodeURIComponent(name) } : {};
}

export function keepName(name) {
  if (name) localStorage.setItem(NAME, name);
  else localStorage.removeItem(NAME);
}

// Exchanges the code of a link for the key. False when the server refuses the code.
export async function signIn(given) {
  const code = LINK.exec(given)?.[1] ?? given;
  const answer = await fetch("/sign-in", { method: "POST", headers: { Authorization: `Code ${code}` }, credentials: "omit" });
  if (!answer.ok) return false;
  localStorage.setItem(KEY, (await answer.json()).key);
  document.dispatchEvent(new CustomEvent("deedlog:found"));
  return true;
}

// The code that came with the address is good once: it is taken before anything else is done with it.
export async function redeem() {
  const code = sessionStorage.getItem(ONCE);
  sessionStorage.removeItem(ONCE);
  return code ? signIn(code).catch(() => false) : null;
}

export function start(tell) {
  addEventListener("storage", ({ key: changed }) => { if (changed === KEY || changed === null) document.dispatchEvent(new CustomEvent(usable() ? "deedlog:found" : "deedlog:lost")); });
  addEventListener("hashchange", async () => {
    const code = LINK.exec(location.hash)?.[1];
    if (!code) return;
    history.replaceState(null, "", location.pathname + location.search);
    if (!(await signIn(code).catch(() => false))) tell("This link was used already, or it is too old: run deedlog open");
  });
  document.addEventListener("click", stay, true);
  document.addEventListener("submit", stay, true);
  document.getElementById("access").addEventListener("click", () => edit());
  document.getElementById("sign-out").addEventListener("click", signOut);
}

// A page that lost its server leads nowhere: another program could be at its address.
function stay(event) {
  if (usable() || !event.target.closest(event.type === "click" ? "a[href]:not([href^='#'])" : "form:not([data-call]):not([method=dialog])")) return;
  event.preventDefault();
  event.stopPropagation();
}

async function signOut() {
  document.getElementById("you").close("no");
  await proven().catch(() => null);
  const known = usable();
  localStorage.removeItem(KEY);
  if (known) location.reload();
}

function edit() {
  const dialog = document.getElementById("you");
  const name = document.getElementById("page-name");
  name.value = localStorage.getItem(NAME) ?? "";
  dialog.returnValue = "no";
  dialog.showModal();
  dialog.addEventListener("close", () => { if (dialog.returnValue === "yes") keepName(name.value.trim()); }, { once: true });
}
