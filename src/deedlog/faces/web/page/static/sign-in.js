// Beyond loopback: a key that this browser has, or that comes with the link, signs in by itself; else somebody enters it.
import { keep, key, redeem, signIn } from "./access.js";

const form = document.getElementById("sign-in");
const refused = document.getElementById("refused");

function onward() {
  const to = new URL(new URLSearchParams(location.search).get("to") ?? "/", location.origin);
  location.replace(to.origin === location.origin ? to.pathname + to.search : "/");
}

function tell(text) {
  refused.textContent = text;
  refused.hidden = !text;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  tell("");
  const given = document.getElementById("page-key").value.trim().replace(/^.*#key=/, "");
  keep("", document.getElementById("page-name").value.trim());
  const found = await signIn(given).catch(() => undefined);
  if (found) onward();
  else tell(found === null ? "This is not the key of this page." : "The server cannot be reached.");
});

if (await redeem()) onward();
else if (key() && (await signIn(key()).catch(() => null))) onward();
