"""The log, and workflows."""

from __future__ import annotations

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
