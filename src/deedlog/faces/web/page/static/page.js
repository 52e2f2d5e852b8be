// What every page does: follow the feed, call operations, obey keys. Parts of single views load themselves by data-with.
import { follow } from "./live.js";
import { listen as listenToForms, toast } from "./actions.js";
import { listen as listenToKeys } from "./keys.js";
import { start as startAccess } from "./access.js";
import { tick } from "./clock.js";
import { adopt } from "./parts.js";

listenToForms();
listenToKeys();
startAccess(toast);
tick();
adopt(document.body).then(follow); // parts that follow the feed themselves miss nothing of it
