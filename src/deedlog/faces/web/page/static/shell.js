// What a browser gets at every address: a document without data. A browser that signed in fills it with the view; others sign in here.
import { ask, keepName, key, redeem, signIn } from "./access.js";
import { Stranger } from "./proof.js";
import { begin } from "./page.js";
import { save } from "./saving.js";

const RETRY_MS = 2000;
const LONGEST_MS = 3000;
const refused = document.getElementById("refused");

async function enter() {
  const code = await redeem();
  if (code === false && !key()) return offer("This link was used already, or it is too old. Run the command again.");
  if (!key()) return offer("");
  try {
    const answer = await ask(location.pathname + location.search, { headers: { Accept: "text/html" } });
    if (answer.redirected) history.replaceState(null, "", answer.url + location.hash);
    if (answer.headers.get("Content-Disposition")) { await save(answer); return offer("The file is in your downloads."); }
    await show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch (error) {
    if (error instanceof Stranger) return offer("The server restarted since you signed in.");
    offer("The server cannot be reached.");
    setTimeout(enter, RETRY_MS);
  }
}

function offer(why) {
  document.title = "Sign in · Deedlog";
  refused.textContent = why;
  refused.hidden = !why;
  document.getElementById("card").hidden = false;
}

async function show(page) {
  Object.assign(document.documentElement.dataset, page.documentElement.dataset);
  document.title = page.title;
  await Promise.all([...page.querySelectorAll("link[rel=stylesheet]")].map(styled));
  document.body.replaceWith(document.adoptNode(page.body));
  begin();
  settle();
}

function styled(link) {
  if (document.querySelector(`link[href="${link.getAttribute("href")}"]`)) return null;
  const added = document.adoptNode(link);
  document.head.append(added);
  return new Promise((resolve) => {
    added.addEventListener("load", resolve);
    added.addEventListener("error", resolve);
    setTimeout(resolve, LONGEST_MS);
  });
}

// Where the reader was, or where the address points to: the browser looked before anything was here.
function settle() {
  const place = `deedlog-scroll ${location.href}`;
  const again = ["back_forward", "reload"].includes(performance.getEntriesByType("navigation")[0]?.type);
  const was = again ? Number(sessionStorage.getItem(place)) : 0;
  if (was) scrollTo(0, was);
  else if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  addEventListener("pagehide", () => sessionStorage.setItem(place, scrollY));
}

document.getElementById("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  keepName(document.getElementById("page-name").value.trim());
  const done = await signIn(document.getElementById("page-link").value.trim()).catch(() => null);
  if (done) enter();
  else offer(done === null ? "The server cannot be reached." : "This link was used already, or it is too old. Run the command again.");
});
const offered = () => document.getElementById("card")?.hidden === false; // once a view is shown, that listens itself
addEventListener("storage", () => { if (key() && offered()) enter(); });
addEventListener("hashchange", () => { if (offered() && /^#once=/.test(location.hash)) location.reload(); });

enter();
