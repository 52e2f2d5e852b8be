// Before anything is painted: the colours somebody chose, and the key that came with the link.
const chosen = localStorage.getItem("deedlog-theme");
if (chosen) document.documentElement.dataset.theme = chosen;
const given = /^#key=([\w-]+)$/.exec(location.hash);
if (given) {
  localStorage.setItem("deedlog-key", given[1]);
  history.replaceState(null, "", location.pathname + location.search);
}
