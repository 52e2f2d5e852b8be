// Changes only what differs: focus, what is typed, opened and scrolled stays.

// Chromium (156) crashes when a page is left whose form controls were moved with moveBefore: they are moved as ever.
for (const kind of [Element, Document, DocumentFragment]) delete kind.prototype.moveBefore;

export function morph(element, html, inside = false) {
  Idiomorph.morph(element, html, {
    morphStyle: inside ? "innerHTML" : "outerHTML",
    ignoreActiveValue: Boolean(document.activeElement?.matches("input, textarea, select")), // all else that has the focus goes on changing
    callbacks: {
      beforeNodeMorphed: (old, fresh) => !(old instanceof Element) || old === element || !keeps(old, fresh),
      beforeAttributeUpdated: (name, changed) => !(name === "open" && changed.matches("details, dialog")) && !(name === "tabindex" && changed.matches("[data-row]")), // a row that keys walk to would lose its focus
    },
  });
}

// What a script of the page filled, what was loaded from an address of its own, and what somebody is typing into.
function keeps(old, fresh) {
  const said = old.dataset ?? {};
  const says = fresh.dataset ?? {};
  if ("keep" in said && said.keep === says.keep) return true;
  if (said.load && said.load === says.load) return true;
  return "typed" in said;
}
