// Before anything is painted: the colours somebody chose, and what came with the link, which is not left in the address.
const chosen = localStorage.getItem("deedlog-theme");
if (chosen) document.documentElement.dataset.theme = chosen;
const given = /^#(key|once)=([\w-]+)$/.exec(location.hash);
if (given) {
  if (given[1] === "key") localStorage.setItem("deedlog-key", given[2]);
  else sessionStorage.setItem("deedlog-once", given[2]);
  history.replaceState(null, "", location.pathname + location.search);
}
