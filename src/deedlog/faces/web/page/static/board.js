// Cards are put elsewhere by dragging them, or by their menu (⋯, or m on a card). What may be done the card says
// (data-moves: "done=task/done=id"); an operation does it, and what it refuses is shown. The filters apply at once.
import { submit, undoable } from "./actions.js";
import { refresh } from "./live.js";

const NAMES = { ready: "Ready", done: "Done", cancelled: "Cancelled", in_progress: "In progress", failed: "Failed", blocked: "Waiting for others" };
const VERBS = { "task/send-back": "Send back", "task/approve": "Approve", "task/reopen": "Take up again", "task/done": "It is done", "task/cancel": "Cancel", "task/release": "Give to others" };
const PAUSE = 250; // between keys in a filter
let dragged = null;
let listens = false;

export function start(board) {
  board.addEventListener("dragstart", (event) => lift(board, event));
  board.addEventListener("dragover", over);
  board.addEventListener("dragleave", (event) => event.target.closest?.("[data-column]")?.classList.remove("over"));
  board.addEventListener("drop", drop);
  board.addEventListener("dragend", () => lay(board));
  board.addEventListener("click", (event) => { const button = event.target.closest("[data-move]"); if (button) menu(button.closest("[data-moves]")); });
  if (!listens) {
    listens = true;
    document.addEventListener("keydown", keyed);
    document.addEventListener("click", here);
    filter(document.getElementById("filters"));
  }
  const dialog = document.getElementById("move");
  dialog.querySelector("form").addEventListener("deedlog:done", ({ target }) => { dialog.close(); undoable(target.dataset.moved, target.elements.task_id.value, target.dataset.by); });
  document.getElementById("move-close").addEventListener("click", () => dialog.close());
}

const moves = (card) => card.dataset.moves.split(" ").map((each) => { const [column, path, name] = each.split("="); return { column, path, name }; });

function lift(board, event) {
  const card = event.target.closest?.("[data-moves]");
  if (!card) return;
  dragged = card;
  card.dataset.typed = ""; // live updates leave it in the hand
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", card.dataset.ref);
  for (const move of moves(card)) board.querySelector(`[data-column="${move.column}"]`)?.classList.add("may");
}

function over(event) {
  const column = target(event);
  if (!column) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "move";
  column.classList.add("over");
}

function target(event) {
  const column = event.target.closest?.("[data-column]");
  return dragged && column && moves(dragged).some((move) => move.column === column.dataset.column) ? column : null;
}

function drop(event) {
  const column = target(event);
  if (!column) return;
  event.preventDefault();
  const card = dragged;
  const move = moves(card).find((each) => each.column === column.dataset.column);
  lay(column.closest(".board"));
  if (move.path === "task/send-back") menu(card, move.column); // whoever works on it next wants to know why
  else put(card, move, column);
}

function lay(board) {
  if (dragged) delete dragged.dataset.typed;
  dragged = null;
  for (const column of board.querySelectorAll(".may, .over")) column.classList.remove("may", "over");
}

// Where it was put it is shown at once; the next reading of the board says where it really is.
async function put(card, move, column) {
  const form = filled(card, [move]);
  column.querySelector(".stack").prepend(card);
  card.setAttribute("aria-busy", "true");
  await submit(form, form.querySelector("#move-to button"));
  card.removeAttribute("aria-busy");
  if (form.querySelector(".refusal")) { form.closest("dialog").showModal(); refresh(); }
}

function menu(card, only) {
  const form = filled(card, only ? moves(card).filter((move) => move.column === only) : moves(card));
  form.closest("dialog").showModal();
  form.querySelector("#move-to button").focus();
}

// The form of the menu, with a button for each move: whichever way a card is moved, it is this form that is sent.
function filled(card, choices) {
  const form = document.querySelector("#move form");
  const ref = card.dataset.ref;
  form.querySelector(".refusal")?.remove();
  document.getElementById("move-title").textContent = `Move ${ref}: ${card.querySelector(".name").textContent}`;
  form.elements.id.value = ref.replace(/\D/g, "");
  form.elements.task_id.value = ref;
  document.getElementById("move-why").hidden = !choices.some((move) => move.path === "task/send-back");
  document.getElementById("move-to").replaceChildren(...choices.map((move) => button(form, ref, move)));
  return form;
}

function button(form, ref, { column, path, name }) {
  const made = document.createElement("button");
  made.className = "button";
  made.dataset.call = `/api/${path}`;
  made.dataset.done = `${ref}: ${NAMES[column].toLowerCase()}`;
  made.textContent = `${NAMES[column]}: ${VERBS[path].toLowerCase()}`;
  const choose = () => {
    form.dataset.moved = made.dataset.done;
    form.dataset.by = path.replace(/\W/g, "_");
    form.elements.id.disabled = name !== "id";
    form.elements.task_id.disabled = name !== "task_id";
    document.getElementById("move-text").disabled = path !== "task/send-back";
  };
  made.addEventListener("click", choose);
  choose();
  return made;
}

function keyed(event) {
  if (event.key !== "m" || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, textarea, select")) return;
  const card = document.activeElement?.closest("[data-moves]");
  if (card) { event.preventDefault(); menu(card); }
}

// Links that show more of the same board change the address, not the page.
function here(event) {
  const link = event.target.closest?.("a[data-here]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.href);
}

function filter(form) {
  let pause = null;
  const apply = () => {
    clearTimeout(pause);
    const asked = new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim()));
    go(asked.size ? `/board?${asked}` : "/board");
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); apply(); });
  form.addEventListener("input", (event) => { clearTimeout(pause); pause = setTimeout(apply, event.target.type === "search" ? PAUSE : 2 * PAUSE); });
  form.addEventListener("change", apply);
}

function go(address) {
  if (new URL(address, location).href === location.href) return;
  history.replaceState(null, "", address);
  refresh();
}
