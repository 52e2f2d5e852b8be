// What was searched for stays in the field, and the best hit is one Enter away.
export function start(head) {
  const field = document.getElementById("find");
  if (!field.value) field.value = head.dataset.query;
  const first = document.querySelector("#main [data-row]");
  if (!first || document.activeElement !== document.body) return;
  first.tabIndex = -1;
  first.focus({ preventScroll: true });
}
