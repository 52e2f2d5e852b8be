// Forms that call operations: <form data-call="/api/review/close"> posts its fields as JSON, signed with the page's key.
// data-type on a field: int, number, bool, list (lines), words (commas), json. data-sure asks first; data-done is told afterwards;
// data-then is where to go. A refusal is shown in the form.
import { ask, proven, signature } from "./access.js";
import { Stranger } from "./proof.js";
import { refresh } from "./live.js";

const TOAST_MS = 4000;
const UNDO_MS = 10000;

export function listen() {
  document.addEventListener("submit", (event) => {
    if (!event.target.dataset.call) return;
    event.preventDefault();
    submit(event.target, event.submitter);
  });
  document.addEventListener("click", (event) => {
    const copy = event.target.closest("[data-copy]");
    if (copy) navigator.clipboard.writeText(copy.dataset.copy).then(() => toast("Copied"));
  });
}

export async function submit(form, submitter) {
  const sure = submitter?.dataset.sure ?? form.dataset.sure;
  if (sure && !(await asked(sure))) return;
  const buttons = [...form.querySelectorAll("button")];
  buttons.forEach((button) => (button.disabled = true));
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await call(submitter?.dataset.call ?? form.dataset.call, values(form, submitter));
    refused(form, null);
    for (const field of form.querySelectorAll("textarea, input:not([type=hidden])")) if (!("stays" in field.dataset)) field.value = field.defaultValue;
    toast(submitter?.dataset.done ?? form.dataset.done ?? "Done");
    form.dispatchEvent(new CustomEvent("deedlog:done", { bubbles: true, detail: answer }));
    const then = submitter?.dataset.then ?? form.dataset.then;
    if (then) location.assign(then);
    else refresh();
  } catch (error) {
    refused(form, error);
    if (!form.querySelector("textarea, input:not([type=hidden])")) toast(worded(error));  // the form may be drawn again
  } finally {
    buttons.forEach((button) => (button.disabled = false));
    form.removeAttribute("aria-busy");
  }
}

// The answer of an operation; throws its refusal ({message, hint}). The server proves itself before it gets anything.
export async function call(address, body) {
  const answer = await post(address, body);
  const data = await answer.json().catch(() => ({}));
  if (answer.ok) return data;
  throw data.error ?? { message: `The server answered ${answer.status}`, hint: "" };
}

async function post(address, body) {
  try {
    await proven();
    return await ask(address, { method: "POST", headers: { "Content-Type": "application/json", ...signature() }, body: JSON.stringify(body) });
  } catch (error) {
    if (error instanceof Stranger) throw { message: "The server restarted", hint: "run `deedlog open`" };
    throw { message: "The server cannot be reached", hint: "start it again with `deedlog serve`" };
  }
}

function values(form, submitter) {
  const found = {};
  const controls = [...form.elements].filter((c) => c.name && !c.disabled && c.type !== "submit" && (!["checkbox", "radio"].includes(c.type) || c.checked || c.dataset.type === "bool"));
  for (const control of submitter?.name ? [...controls, submitter] : controls) {
    const value = typed(control);
    if (value !== undefined) found[control.name] = value;
  }
  return found;
}

function typed(control) {
  const text = control.value.trim();
  switch (control.dataset.type) {
    case "bool": return control.type === "checkbox" ? control.checked : text === "true";
    case "int": return text === "" ? undefined : parseInt(text, 10);
    case "number": return text === "" ? undefined : Number(text);
    case "list": return text === "" ? undefined : text.split("\n").map((line) => line.trim()).filter(Boolean);
    case "words": return text === "" ? undefined : text.split(",").map((word) => word.trim()).filter(Boolean);
    case "json": return text === "" ? undefined : JSON.parse(text);
    default: return text === "" && !("empty" in control.dataset) ? undefined : control.value;
  }
}

// Below the form; where it is one of several buttons in a row, below them all.
export function refused(form, error) {
  const inRow = Boolean(form.parentElement?.matches(".row")); // what was decided may be gone from the page
  const beside = inRow ? form.parentElement.nextElementSibling : null;
  let place = beside?.matches(".refusal") ? beside : form.querySelector(".refusal");
  if (!error) { place?.remove(); return; }
  if (!place) {
    place = document.createElement("p");
    place.className = "refusal";
    place.setAttribute("role", "alert");
    if (inRow) form.parentElement.after(place);
    else form.append(place);
  }
  place.replaceChildren(...worded(error));
}

// What stands between backticks is a command.
function worded({ message, hint }) {
  const parts = (hint ?? "").split("`").map((part, at) => {
    if (at % 2 === 0) return part;
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
  return hint ? [message, ": ", ...parts] : [message];
}

export function toast(said, lasts = TOAST_MS) {
  const line = document.createElement("p");
  line.append(...[said].flat());
  document.getElementById("toasts").append(line);
  setTimeout(() => line.remove(), lasts);
  return line;
}

// In place of the last toast: the same with a button that takes back what the operation did to the thing just now.
export async function undoable(text, subject, operation) {
  const said = document.getElementById("toasts").lastElementChild;
  try {
    const { events } = await call("/api/event/list", { subject, operation, last: true, limit: 1, brief: true });
    if (!events.length) return;
    const undo = document.createElement("button");
    undo.type = "button";
    undo.className = "undo";
    undo.textContent = "Undo";
    said?.remove();
    const line = toast(text, UNDO_MS);
    undo.addEventListener("click", () => { line.remove(); takeBack(events[0].op_id); });
    line.append(undo);
  } catch { /* without it what was done stands all the same */ }
}

async function takeBack(op) {
  try { await call("/api/ledger/undo", { op_id: op }); toast("Taken back"); refresh(); }
  catch (error) { toast(worded(error)); }
}

export function asked(question) {
  const dialog = document.getElementById("sure");
  document.getElementById("sure-question").textContent = question;
  return answered(dialog);
}

function answered(dialog) {
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    dialog.returnValue = "no";
    dialog.showModal();
  });
}
