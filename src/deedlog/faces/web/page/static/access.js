// Who may decide: the page's key is in this browser's storage for this address alone, and is sent with what changes something.
const KEY = "deedlog-key";
const NAME = "deedlog-name";
const ONCE = "deedlog-once";

export const key = () => localStorage.getItem(KEY);

export function headers() {
  const name = localStorage.getItem(NAME);
  return { ...(key() && { Authorization: `Bearer ${key()}` }), ...(name && { "Deedlog-Actor": encodeURIComponent(name) }) };
}

export function keep(secret, name) {
  if (secret) localStorage.setItem(KEY, secret);
  if (name) localStorage.setItem(NAME, name);
  else if (name === "") localStorage.removeItem(NAME);
}

// The server's answer to a secret: its key, and beyond loopback a pass for reading. Null when it is not the right one.
export async function signIn(secret) {
  const answer = await fetch("/sign-in", { method: "POST", headers: { Authorization: `Bearer ${secret}` } });
  if (!answer.ok) return null;
  const { key: given } = await answer.json();
  keep(given);
  return given;
}

// The code of a link is good once: it is taken before anything else is done with it.
export async function redeem() {
  const code = sessionStorage.getItem(ONCE);
  sessionStorage.removeItem(ONCE);
  return code ? Boolean(await signIn(code).catch(() => null)) : null;
}

export async function start(tell) {
  if ((await redeem()) === false && !key()) tell("The link was already used, or is too old: run deedlog open again");
  show();
  addEventListener("storage", show);
  document.getElementById("access").addEventListener("click", () => wanted(""));
  document.getElementById("forget-key").addEventListener("click", forget);
}

function show() {
  const may = Boolean(key());
  const button = document.getElementById("access");
  button.dataset.may = may ? "decide" : "look";
  button.querySelector("span").textContent = may ? "" : "View only";
  button.setAttribute("aria-label", may ? "Key and name" : "View only: enter the page's key");
  document.getElementById("forget-key").hidden = !may && document.documentElement.dataset.loopback === "True";
}

async function forget() {
  localStorage.removeItem(KEY);
  document.getElementById("key-wanted").close("no");
  await fetch("/sign-out", { method: "POST" }).catch(() => null);
  if (document.documentElement.dataset.loopback !== "True") location.assign("/sign-in");
  show();
}

// Asks for the key, and tells whether one was given.
export function wanted(why) {
  const dialog = document.getElementById("key-wanted");
  const [secret, name] = [document.getElementById("page-key"), document.getElementById("page-name")];
  const said = document.getElementById("key-refused");
  said.hidden = !why;
  said.textContent = why;
  secret.value = "";
  name.value = localStorage.getItem(NAME) ?? "";
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const yes = dialog.returnValue === "yes";
      if (yes) keep(secret.value.trim().replace(/^.*#key=/, ""), name.value.trim());
      secret.value = "";
      show();
      resolve(yes && Boolean(key()));
    }, { once: true });
  });
}
