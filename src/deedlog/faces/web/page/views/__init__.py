"""The views, one file each: its address and what it shows there."""

from deedlog.faces.web.page.views import (
    board,
    event,
    event_rows,
    events,
    now,
    search,
    session,
    session_hits,
    session_lines,
    session_text,
    sessions,
    thing,
    waiting,
    workflow,
    workflow_table,
    workflows,
)

VIEWS = (
    board,
    event,
    event_rows,
    events,
    now,
    search,
    session,
    session_hits,
    session_lines,
    session_text,
    sessions,
    thing,
    waiting,
    workflow,
    workflow_table,
    workflows,
)
