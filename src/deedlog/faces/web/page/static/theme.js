// Before anything is painted: the colours somebody chose, and the code of a link, which does not stay in the address.
const chosen = localStorage.getItem("deedlog-theme");
if (chosen) document.documentElement.dataset.theme = chosen;
const given = /^#once=([\w-]+)$/.exec(location.hash);
if (given) {
  sessionStorage.setItem("deedlog-once", given[1]);
  history.replaceState(null, "", location.pathname + location.search);
}
