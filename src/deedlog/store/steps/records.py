"""Clarifications and what they wrote."""

from __future__ import annotations

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
