// Times as people say them; the exact one is in the title. data-lasts counts up from its moment.
const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

export function lasting(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  const i = UNITS.findIndex(([, size]) => whole >= size);
  const [unit, size] = UNITS[i];
  const [smaller, part] = UNITS[i + 1];
  const rest = Math.floor((whole % size) / part);
  return whole < 600 || size > 60 ? `${Math.floor(whole / size)} ${unit} ${rest} ${smaller}` : `${Math.floor(whole / size)} ${unit}`;
}

export function tick() {
  const now = Date.now();
  for (const time of document.querySelectorAll("time[datetime]")) {
    const seconds = (now - Date.parse(time.dateTime)) / 1000;
    if (Number.isNaN(seconds)) continue;
    const text = "lasts" in time.dataset ? lasting(seconds) : "exact" in time.dataset ? null : seconds < 5 ? "just now" : seconds < 2592000 ? `${lasting(seconds).split(" ").slice(0, 2).join(" ")} ago` : null;
    if (text !== null && time.textContent !== text) time.textContent = text;
  }
}

setInterval(() => { if (!document.hidden) tick(); }, 1000);
