// Files to keep, such as a report: fetched with the page's signature, because a plain link has none.
import { ask } from "./access.js";

export function listen(tell) {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[download]");
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    try {
      const answer = await ask(link.href);
      if (answer.ok) await save(answer);
      else tell(`The server answered ${answer.status}`);
    } catch {
      tell("The server cannot be reached");
    }
  });
}

export async function save(answer) {
  const link = document.createElement("a");
  link.download = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition"))?.[1] ?? "";
  link.href = URL.createObjectURL(await answer.blob());
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
