"""Tasks, sessions and what is said of them."""

from __future__ import annotations

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
