"""What people look at many of at once."""

from __future__ import annotations

WATCHING = """
CREATE INDEX task_status_queue ON task (project, status, queue, created_at, id);
CREATE INDEX task_workflow_queue ON task (project, workflow_id, queue, created_at, id);
"""  # the columns of the board are counted without reading a task
