// What every page does: follow the feed, call operations, obey keys. Elements with data-with get their part of a view.
import { follow } from "./live.js";
import { listen as listenToForms, toast } from "./actions.js";
import { listen as listenToKeys } from "./keys.js";
import { listen as listenToSaving } from "./saving.js";
import { start as startAccess } from "./access.js";
import { tick } from "./clock.js";
import { adopt, provide } from "./parts.js";
import * as board from "./board.js";
import * as diff from "./diff.js";
import * as events from "./events.js";
import * as graph from "./graph.js";
import * as log from "./log.js";
import * as now from "./now.js";
import * as review from "./review.js";
import * as search from "./search.js";
import * as sessions from "./sessions.js";
import * as timeline from "./timeline.js";

export function begin() {
  provide({ board, diff, events, graph, log, now, review, search, sessions, timeline });
  startAccess(toast);
  listenToForms();
  listenToKeys();
  listenToSaving(toast);
  tick();
  adopt(document.body).then(follow); // parts that follow the feed themselves miss nothing of it
}
