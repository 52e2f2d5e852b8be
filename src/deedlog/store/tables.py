"""Every table, once, in the words both databases understand.

`{text}`, `{int}`, `{bytes}` and `{kept}` are the four spellings that differ. A thing is kept as its
JSON `body` beside the columns its queries need; those columns are lifted from the body.
"""

from __future__ import annotations

from deedlog.core.kinds import KINDS
from deedlog.core.value import Entity, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Table(Value):
    """Where things of one kind are kept."""

    entity: type[Entity]

    @property
    def name(self) -> str:
        return self.entity.kind

    @property
    def lifted(self) -> tuple[str, ...]:
        return self.entity.found_by

    @property
    def order(self) -> str:
        return self.entity.sorted_by

    @property
    def row(self) -> str:
        """The columns of `rows.entity_row`."""
        return ", ".join(("id", "version", *self.lifted, "body"))


TABLES = {kind: Table(entity=entity) for kind, entity in KINDS.items()}

FIRST = """
CREATE TABLE head (
    project {text} NOT NULL PRIMARY KEY,
    seq {int} NOT NULL,
    hash {text} NOT NULL
) {kept};

CREATE TABLE op (
    project {text} NOT NULL,
    op_id {text} NOT NULL,
    operation {text} NOT NULL,
    effect {text} NOT NULL,
    actor {text} NOT NULL,
    at {int} NOT NULL,
    cause {text} NOT NULL,
    idempotency_key {text},
    arguments_digest {text} NOT NULL,
    undo_of {text},
    answer {text} NOT NULL,
    PRIMARY KEY (project, op_id)
) {kept};
CREATE UNIQUE INDEX op_key ON op (project, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX op_undo ON op (project, undo_of) WHERE undo_of IS NOT NULL;
CREATE INDEX op_actor ON op (project, actor, op_id);

CREATE TABLE event (
    project {text} NOT NULL,
    seq {int} NOT NULL,
    op_id {text} NOT NULL,
    kind {text} NOT NULL,
    entity {text} NOT NULL,
    entity_id {text} NOT NULL,
    entity_version {int} NOT NULL,
    subjects {text} NOT NULL,
    before_fields {text},
    after_fields {text},
    applied {int} NOT NULL,
    hash {text} NOT NULL,
    PRIMARY KEY (project, seq)
) {kept};
CREATE INDEX event_op ON event (project, op_id);

CREATE TABLE subject (
    project {text} NOT NULL,
    uri {text} NOT NULL,
    seq {int} NOT NULL,
    PRIMARY KEY (project, uri, seq)
) {kept};

CREATE TABLE search (
    project {text} NOT NULL,
    uri {text} NOT NULL,
    kind {text} NOT NULL,
    title {text} NOT NULL,
    text {text} NOT NULL,
    folded {text} NOT NULL,
    seq {int} NOT NULL,
    PRIMARY KEY (project, uri)
) {kept};

CREATE TABLE workflow (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    status {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX workflow_newest ON workflow (project, created_at, id);
CREATE INDEX workflow_status ON workflow (project, status, created_at, id);
"""

TRACKER = """
CREATE TABLE number (
    project {text} NOT NULL,
    kind {text} NOT NULL,
    last {int} NOT NULL,
    PRIMARY KEY (project, kind)
) {kept};

CREATE TABLE blob (
    project {text} NOT NULL,
    digest {text} NOT NULL,
    data {bytes} NOT NULL,
    PRIMARY KEY (project, digest)
);

CREATE TABLE task (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    number {int} NOT NULL,
    workflow_id {text} NOT NULL,
    parent_id {text} NOT NULL,
    status {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX task_newest ON task (project, created_at, id);
CREATE INDEX task_number ON task (project, number, id);
CREATE INDEX task_workflow ON task (project, workflow_id, created_at, id);
CREATE INDEX task_parent ON task (project, parent_id, created_at, id);
CREATE INDEX task_status ON task (project, status, created_at, id);

CREATE TABLE session (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    number {int} NOT NULL,
    task_id {text} NOT NULL,
    workflow_id {text} NOT NULL,
    tree {text} NOT NULL,
    status {text} NOT NULL,
    started_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX session_newest ON session (project, started_at, id);
CREATE INDEX session_number ON session (project, number, id);
CREATE INDEX session_task ON session (project, task_id, started_at, id);
CREATE INDEX session_workflow ON session (project, workflow_id, started_at, id);
CREATE INDEX session_tree ON session (project, tree, started_at, id);
CREATE INDEX session_status ON session (project, status, started_at, id);

CREATE TABLE decision (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    task_id {text} NOT NULL,
    workflow_id {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX decision_newest ON decision (project, created_at, id);
CREATE INDEX decision_task ON decision (project, task_id, created_at, id);
CREATE INDEX decision_workflow ON decision (project, workflow_id, created_at, id);

CREATE TABLE issue (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    task_id {text} NOT NULL,
    workflow_id {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX issue_newest ON issue (project, created_at, id);
CREATE INDEX issue_task ON issue (project, task_id, created_at, id);
CREATE INDEX issue_workflow ON issue (project, workflow_id, created_at, id);

CREATE TABLE milestone (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    task_id {text} NOT NULL,
    workflow_id {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX milestone_newest ON milestone (project, created_at, id);
CREATE INDEX milestone_task ON milestone (project, task_id, created_at, id);
CREATE INDEX milestone_workflow ON milestone (project, workflow_id, created_at, id);

CREATE TABLE review (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    task_id {text} NOT NULL,
    workflow_id {text} NOT NULL,
    status {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX review_newest ON review (project, created_at, id);
CREATE INDEX review_task ON review (project, task_id, created_at, id);
CREATE INDEX review_workflow ON review (project, workflow_id, created_at, id);
CREATE INDEX review_status ON review (project, status, created_at, id);
"""

FILES_OF_SESSIONS = ""  # a session is found by the paths it changed

WORKERS = """
ALTER TABLE task ADD COLUMN assignee {text} NOT NULL DEFAULT '';
ALTER TABLE task ADD COLUMN queue {text} NOT NULL DEFAULT '';
ALTER TABLE task ADD COLUMN origin {text} NOT NULL DEFAULT '';
CREATE INDEX task_assignee ON task (project, assignee, created_at, id);
CREATE INDEX task_queue ON task (project, queue, created_at, id);
CREATE INDEX task_origin ON task (project, origin, created_at, id);

ALTER TABLE session ADD COLUMN key {text} NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN host {text} NOT NULL DEFAULT '';
CREATE INDEX session_key ON session (project, key, started_at, id);
CREATE INDEX session_host ON session (project, host, status, started_at, id);

CREATE TABLE agent (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    client {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX agent_newest ON agent (project, created_at, id);

CREATE TABLE memory (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    category {text} NOT NULL,
    status {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX memory_newest ON memory (project, created_at, id);
CREATE INDEX memory_category ON memory (project, category, created_at, id);
CREATE INDEX memory_status ON memory (project, status, created_at, id);

CREATE TABLE output (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    session_id {text} NOT NULL,
    first {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX output_session ON output (project, session_id, first, id);
"""

PAIRS = """
CREATE INDEX task_workflow_status ON task (project, workflow_id, status, created_at, id);
CREATE INDEX task_parent_status ON task (project, parent_id, status, created_at, id);
CREATE INDEX task_assignee_status ON task (project, assignee, status, created_at, id);
CREATE INDEX task_queue_assignee ON task (project, queue, assignee, created_at, id);
CREATE INDEX session_task_status ON session (project, task_id, status, started_at, id);
"""  # what is asked for by two columns at once is found without walking through all that have one of them

RECORDS = """
CREATE TABLE clarification (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    status {text} NOT NULL,
    tree {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX clarification_newest ON clarification (project, created_at, id);
CREATE INDEX clarification_status ON clarification (project, status, tree, created_at, id);

CREATE TABLE adr (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX adr_newest ON adr (project, created_at, id);
"""

ORCHESTRATION = """
CREATE TABLE graph (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX graph_newest ON graph (project, created_at, id);

CREATE TABLE lock (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    lock_id {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX lock_newest ON lock (project, created_at, id);
CREATE INDEX lock_lock_id ON lock (project, lock_id, created_at, id);

CREATE TABLE tx (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    graph_id {text} NOT NULL,
    state {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX tx_newest ON tx (project, created_at, id);
CREATE INDEX tx_graph_id ON tx (project, graph_id, created_at, id);
CREATE INDEX tx_state ON tx (project, state, created_at, id);

CREATE TABLE run (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    workflow_id {text} NOT NULL,
    state {text} NOT NULL,
    host {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX run_newest ON run (project, created_at, id);
CREATE INDEX run_workflow_id ON run (project, workflow_id, created_at, id);
CREATE INDEX run_state ON run (project, state, created_at, id);
CREATE INDEX run_host ON run (project, host, created_at, id);

CREATE TABLE node (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    run_id {text} NOT NULL,
    task_id {text} NOT NULL,
    session_id {text} NOT NULL,
    state {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX node_newest ON node (project, created_at, id);
CREATE INDEX node_run_id ON node (project, run_id, created_at, id);
CREATE INDEX node_task_id ON node (project, task_id, created_at, id);
CREATE INDEX node_session_id ON node (project, session_id, created_at, id);
CREATE INDEX node_state ON node (project, state, created_at, id);

CREATE TABLE entry (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    namespace {text} NOT NULL,
    expires_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX entry_expiry ON entry (project, expires_at, id);
CREATE INDEX entry_namespace ON entry (project, namespace, expires_at, id);

CREATE TABLE mark (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    node_id {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX mark_newest ON mark (project, created_at, id);
CREATE INDEX mark_node_id ON mark (project, node_id, created_at, id);

CREATE TABLE triple (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    subject {text} NOT NULL,
    predicate {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX triple_newest ON triple (project, created_at, id);
CREATE INDEX triple_subject ON triple (project, subject, created_at, id);
CREATE INDEX triple_predicate ON triple (project, predicate, created_at, id);

CREATE TABLE valueset (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX valueset_newest ON valueset (project, created_at, id);

CREATE TABLE message (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    session_id {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX message_newest ON message (project, created_at, id);
CREATE INDEX message_session_id ON message (project, session_id, created_at, id);

CREATE TABLE tender (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    task_id {text} NOT NULL,
    status {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX tender_newest ON tender (project, created_at, id);
CREATE INDEX tender_task_id ON tender (project, task_id, created_at, id);
CREATE INDEX tender_status ON tender (project, status, created_at, id);

CREATE TABLE autoscale (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX autoscale_newest ON autoscale (project, created_at, id);

CREATE INDEX session_place ON session (project, (CAST(number AS TEXT) || '/' || id)) WHERE host <> '';
CREATE INDEX tx_place ON tx (project, (graph_id || '/' || id));
CREATE INDEX run_place ON run (project, (id || '/'));
"""

GATEWAY = """
CREATE TABLE mount (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    server {text} NOT NULL,
    principal {text} NOT NULL,
    status {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX mount_newest ON mount (project, created_at, id);
CREATE INDEX mount_server ON mount (project, server, created_at, id);
CREATE INDEX mount_principal ON mount (project, principal, created_at, id);
CREATE INDEX mount_status ON mount (project, status, created_at, id);

CREATE TABLE pin (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX pin_newest ON pin (project, created_at, id);

CREATE TABLE passage (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    server {text} NOT NULL,
    outcome {text} NOT NULL,
    created_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
CREATE INDEX passage_newest ON passage (project, created_at, id);
CREATE INDEX passage_server ON passage (project, server, created_at, id);
CREATE INDEX passage_outcome ON passage (project, outcome, created_at, id);
"""

# Forward only, one text a version; the last one's number is the version this program writes. After the
# steps every table is made anew from the log, so a step only has to change the shape of tables; one that
# is empty will do where what is derived changed (search text, say) and the tables did not. An older
# server that is still running reads on as long as it finds its tables, and is told to restart when it
# writes: it does not know what a step added, so it could leave it out. See `Database.write`.
STEPS: tuple[str, ...] = (FIRST, TRACKER, FILES_OF_SESSIONS, WORKERS, PAIRS, RECORDS, ORCHESTRATION, GATEWAY)


def spelt(step: str, words: Mapping[str, str]) -> str:
    """A step in the words of one database."""
    for word, spelling in words.items():
        step = step.replace(word, spelling)
    return step
