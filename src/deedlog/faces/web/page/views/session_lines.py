"""A piece of a log: what came after a line, or was before one."""

from __future__ import annotations

from deedlog.faces.web.page.log import last_lines, lines_after, lines_around
from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/part/session/{session}/lines"
MOST = 10**9


def show(asked: Asked) -> Shown:
    number = asked.number("session")
    sought = asked.query.get("q", "")[:200]
    if before := asked.count("before", 0, MOST):
        log = last_lines(asked, number, before, sought)
    elif line := asked.count("line", 0, MOST):
        log = lines_around(asked, number, line, sought)
    else:
        log = lines_after(asked, number, asked.count("after", 0, MOST), sought)
    return Shown("session_lines.html", "Lines", {"log": log, "line": 0}, part=True)
