from __future__ import annotations

from deedlog.faces.web.page.view import ANYTHING, Asked, Shown

ADDRESS = "/"


def show(asked: Asked) -> Shown:
    reviews = asked.read("review_list", limit=5)["reviews"]
    workflows = asked.read("workflow_list", limit=5)["workflows"]
    return Shown("now.html", "Now", {"reviews": reviews, "workflows": workflows}, follows=(ANYTHING,))
