import pytest

from deedlog.core.errors import Invalid
from deedlog.testing import Clock
from tests.conftest import Call


def names(answer: dict[str, list[dict[str, str]]]) -> list[str]:
    return [row["name"] for row in answer["workflows"]]


@pytest.mark.proves("track:workflow:list")
def test_the_newest_come_first_and_the_status_filters(call: Call, clock: Clock) -> None:
    ids = []
    for name in ("one", "two", "three"):
        clock.turn(seconds=1)
        ids.append(call("start_workflow", name=name)["workflow_id"])
    call("complete_workflow", workflow_id=ids[1], status="failed")
    assert names(call("workflow_list")) == ["three", "two", "one"]
    assert names(call("workflow_list", status="failed")) == ["two"]
    assert names(call("workflow_list", status="in_progress")) == ["three", "one"]


@pytest.mark.proves("ledger:list:pages")
def test_pages_follow_each_other_without_gaps_or_doubles(call: Call) -> None:
    for number in range(7):
        call("start_workflow", name=str(number))
    seen: list[str] = []
    page = call("workflow_list", limit=3)
    while True:
        seen += names(page)
        if "next_cursor" not in page:
            break
        page = call("workflow_list", limit=3, cursor=page["next_cursor"])
    assert seen == ["6", "5", "4", "3", "2", "1", "0"]


@pytest.mark.proves("ledger:list:pages")
@pytest.mark.parametrize("cursor", ["zz", ".", "1", "-1.wf", "1e5.wf", "².wf", "9" * 40 + ".wf"])
def test_a_made_up_cursor_is_refused(call: Call, cursor: str) -> None:
    with pytest.raises(Invalid, match="cursor"):
        call("workflow_list", cursor=cursor)


@pytest.mark.proves("ledger:answer:size")
def test_an_answer_stays_below_what_clients_cut(call: Call) -> None:
    for _ in range(250):
        call("start_workflow", name="n" * 200)
    page = call("workflow_list", limit=500)
    assert len(str(page)) < 40_000
    assert "next_cursor" in page
