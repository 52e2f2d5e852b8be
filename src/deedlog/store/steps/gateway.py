"""Servers that were mounted, their tools and their calls."""

from __future__ import annotations

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
