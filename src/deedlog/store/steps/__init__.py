"""The steps that made the tables what they are, one text a version, in the words both databases understand.

A step that was written is never changed: stores made by older releases have run it. A new one is a module here.
"""

from __future__ import annotations

from deedlog.store.steps.deciding import DECIDING
from deedlog.store.steps.gateway import GATEWAY
from deedlog.store.steps.ledger import FIRST
from deedlog.store.steps.orchestration import ORCHESTRATION
from deedlog.store.steps.records import RECORDS
from deedlog.store.steps.tracker import TRACKER
from deedlog.store.steps.watching import WATCHING
from deedlog.store.steps.workers import WORKERS

FILES_OF_SESSIONS = ""  # a session is found by the paths it changed
PAIRS = """
CREATE INDEX task_workflow_status ON task (project, workflow_id, status, created_at, id);
CREATE INDEX task_parent_status ON task (project, parent_id, status, created_at, id);
CREATE INDEX task_assignee_status ON task (project, assignee, status, created_at, id);
CREATE INDEX task_queue_assignee ON task (project, queue, assignee, created_at, id);
CREATE INDEX session_task_status ON session (project, task_id, status, started_at, id);
"""  # what is asked for by two columns at once is found without walking through all that have one of them
WORK = """
CREATE INDEX event_work ON event (project, seq) WHERE entity <> 'output';
CREATE INDEX event_entity ON event (project, entity, seq) WHERE entity <> 'output';
"""  # what happened, without what workers print, which is many times as much

# Forward only, one text a version; the last one's number is the version this program writes. After the
# steps every table is made anew from the log, so a step only has to change the shape of tables; one that
# is empty will do where what is derived changed (search text, say) and the tables did not. An older
# server that is still running reads on as long as it finds its tables, and is told to restart when it
# writes: it does not know what a step added, so it could leave it out. See `Database.write`.
STEPS: tuple[str, ...] = (
    FIRST,
    TRACKER,
    FILES_OF_SESSIONS,
    WORKERS,
    PAIRS,
    RECORDS,
    ORCHESTRATION,
    GATEWAY,
    DECIDING,
    WATCHING,
    WORK,
)
