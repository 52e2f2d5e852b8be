"""Graphs, runs and what agents leave for each other."""

from __future__ import annotations

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
