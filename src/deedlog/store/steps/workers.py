"""Agents, memory and what workers print."""

from __future__ import annotations

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
