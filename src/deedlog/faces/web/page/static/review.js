// The review queue: boxes that open in place, answers to questions, the next item after a decision, and taking one back.
import { call, refused, toast, undoable } from "./actions.js";
import { refresh } from "./live.js";

const READ_MS = 10000;
const typed = new Map(); // by item, what somebody was typing into it

export function start(list) {
  list.addEventListener("click", clicked);
  list.addEventListener("input", written);
  list.addEventListener("submit", answered, true);
  list.addEventListener("deedlog:done", decided);
  document.addEventListener("keydown", pressed);
  document.addEventListener("deedlog:refreshed", missed);
  document.getElementById("main").addEventListener("change", (event) => { if (event.target.id === "in-workflow") event.target.form.requestSubmit(); });
}

const itemOf = (element) => element.closest("[data-item]");

function clicked(event) {
  const opener = event.target.closest("[data-panel]");
  if (opener) toggle(opener);
  if (event.target.closest("[data-close]")) shut(itemOf(event.target));
}

function toggle(opener) {
  const item = itemOf(opener);
  const panel = document.getElementById(opener.dataset.panel);
  const opens = panel.hidden;
  shut(item);
  if (!opens) return;
  panel.hidden = false;
  opener.setAttribute("aria-expanded", "true");
  item.querySelector(".deciding").dataset.typed = ""; // an open box is not written anew
  (panel.querySelector("[data-first]") ?? panel.querySelector("textarea, input:not([type=hidden])")).focus();
}

function shut(item) {
  for (const panel of item.querySelectorAll(".panel")) panel.hidden = true;
  for (const opener of item.querySelectorAll("[data-panel]")) opener.setAttribute("aria-expanded", "false");
  delete item.querySelector(".deciding")?.dataset.typed;
  typed.delete(item.id);
  item.tabIndex = -1;
  item.focus({ preventScroll: true });
}

function written(event) {
  const item = itemOf(event.target);
  const form = event.target.form;
  if (form?.dataset.answer) form.dataset.typed = "";
  if (event.target.matches("[data-own]")) event.target.closest(".option")?.querySelector("[data-other]")?.click();
  if (event.target.matches("textarea")) typed.set(item.id, { question: item.querySelector(".question").textContent, text: event.target.value });
}

function pressed(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("textarea")) { event.target.form?.requestSubmit(); return; }
  if (event.key === "Escape" && event.target.closest(".panel")) { shut(itemOf(event.target)); return; }
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select") || document.querySelector("dialog[open]")) return;
  const item = document.activeElement?.closest("[data-item]");
  if (!item) return;
  const wanted = { s: "[data-send-back]", o: "a[href]" }[event.key];
  const found = wanted && item.querySelector(wanted);
  if (found) { event.preventDefault(); found.click(); }
}

// Answers go by the id of their question: a choice, several, or own words.
async function answered(event) {
  const form = event.target;
  if (!form.dataset.answer) return;
  event.preventDefault();
  event.stopPropagation();
  const answers = {};
  for (const field of form.querySelectorAll("[data-question]")) {
    const given = event.submitter?.value === "skip" ? "skip" : answerOf(field);
    if (given !== undefined) answers[field.dataset.question] = given;
  }
  if (!Object.keys(answers).length) return refused(form, { message: "Choose an answer first", hint: "" });
  const body = { user_intention: form.dataset.intention, session_id: form.dataset.session, answers };
  if (form.dataset.tree) body.repo_path = form.dataset.tree;
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await call(form.dataset.answer, body);
    delete form.dataset.typed;
    tell(answer);
    leave(itemOf(form), answer.status === "completed");
    refresh();
  } catch (error) {
    refused(form, error);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

function tell({ status, artifacts_created: made = [] }) {
  if (status !== "completed") { toast("Answered: there is more to ask"); return; }
  const decision = made.find((each) => each.uid);
  const line = toast(decision ? "Answered: the decision is written down. " : "Answered", decision && READ_MS);
  if (!decision) return;
  const link = document.createElement("a");
  link.href = `/decision/${encodeURIComponent(decision.uid)}`;
  link.textContent = "Read it";
  line.append(link);
}

function answerOf(field) {
  const chosen = [...field.querySelectorAll("input:checked")].map((box) => ("other" in box.dataset ? field.querySelector("[data-own]").value.trim() : box.value)).filter(Boolean);
  if (field.dataset.form === "free_text") return field.querySelector("[data-own]").value.trim() || undefined;
  if (field.dataset.form === "multi_choice") return chosen.length ? chosen : undefined;
  return chosen[0];
}

function decided(event) {
  const form = event.target;
  const item = itemOf(form);
  leave(item, true);
  if (form.dataset.undo) undoable(form.dataset.done, item.dataset.uri, form.dataset.undo);
}

function leave(item, gone) {
  typed.delete(item.id);
  const next = item.nextElementSibling ?? item.previousElementSibling;
  if (gone) item.classList.add("leaving");
  if (!gone) return;
  if (!next) { document.getElementById("main").focus(); return; }
  next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

// What somebody else decided while words were typed for it: they are kept where they can be read.
function missed() {
  for (const [id, { question, text }] of typed) {
    if (document.getElementById(id)) continue;
    typed.delete(id);
    if (!text.trim()) continue;
    const note = document.createElement("div");
    note.className = "note";
    const what = document.createElement("p");
    what.textContent = `Somebody else decided meanwhile: ${question}`;
    const copy = document.createElement("button");
    copy.type = "button";
    copy.className = "button small";
    copy.dataset.copy = text;
    copy.textContent = "Copy what you wrote";
    note.append(what, copy);
    document.getElementById("meanwhile").append(note);
  }
}
