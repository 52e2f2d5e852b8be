"""What is wrong with the records, checked against git and the log: it takes longer than the page should."""

from __future__ import annotations

from deedlog.core.errors import DeedlogError
from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/part/decisions/problems"
MOST = 50


def show(asked: Asked) -> Shown:
    try:
        found = asked.read("adr_verify")
        problems, adrs = found["problems"], found["adrs"]
    except DeedlogError as error:
        problems, adrs = [error.message], 0
    about = {"problems": problems[:MOST], "more": max(0, len(problems) - MOST), "adrs": adrs}
    return Shown("decision_problems.html", "Problems", about, part=True)
