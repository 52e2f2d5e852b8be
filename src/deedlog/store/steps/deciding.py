"""What people say about work, and what waits for them by why it does."""

from __future__ import annotations

DECIDING = """
CREATE TABLE comment (
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
CREATE INDEX comment_newest ON comment (project, created_at, id);
CREATE INDEX comment_task ON comment (project, task_id, created_at, id);
CREATE INDEX comment_task_status ON comment (project, task_id, status, created_at, id);
CREATE INDEX comment_workflow_status ON comment (project, workflow_id, status, created_at, id);

ALTER TABLE review ADD COLUMN reason {text} NOT NULL DEFAULT '';
CREATE INDEX review_task_status ON review (project, task_id, status, created_at, id);
CREATE INDEX review_workflow_status ON review (project, workflow_id, status, created_at, id);
CREATE INDEX review_status_reason ON review (project, status, reason, created_at, id);

ALTER TABLE task ADD COLUMN awaits {text} NOT NULL DEFAULT '';
CREATE INDEX task_awaits ON task (project, awaits, created_at, id);
"""
