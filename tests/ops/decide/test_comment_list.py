from __future__ import annotations

from tests.ops.decide.conftest import people
from tests.ops.track.conftest import Work


def test_comments_come_page_by_page(work: Work) -> None:
    task_id = work.start()
    for number in range(5):
        people(work.app, "comment_add", task_id=task_id, text=f"c{number}")
    first = people(work.app, "comment_list", task_id=task_id, limit=3)
    rest = people(work.app, "comment_list", task_id=task_id, limit=3, cursor=first["next_cursor"])
    assert [row["text"] for row in first["comments"] + rest["comments"]] == [f"c{number}" for number in range(5)]
