from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from deedlog.faces.web.access import Access
from deedlog.faces.web.app import Web
from deedlog.testing import Clock, app_in
from tests.faces.web.page.conftest import SIGN_IN, TOKEN, InProcess
from tests.ops.track.conftest import Work

HOSTILE = "<script>alert(1)</script>\u202e"


@pytest.fixture
def work(repo: Path, tmp_path: Path, clock: Clock) -> Work:
    return Work(app_in(str(tmp_path / "store"), tree=str(repo), clock=clock), repo)


@pytest.fixture
def page(work: Work) -> Iterator[InProcess]:
    web = Web(work.app, actor="", host="127.0.0.1", access=Access(TOKEN, SIGN_IN))
    yield InProcess(web.asgi)
    web.end()
    web.close()


def done(work: Work, **files: str) -> str:
    """A task that wrote these files, by names without dots."""
    task_id = work.start(areas=["src/"])
    for name, text in files.items():
        work.write(f"src/{name}.py", text=text)
    work.complete(task_id)
    return task_id


def diff(page: InProcess, task_id: str, path: str, more: str = "") -> str:
    return page.part(f"/part/task/{task_id}/diff?path={quote(path)}{more}").text


@pytest.mark.proves("page:task:told")
def test_a_task_shows_what_it_was_to_do_and_what_came_of_it(page: InProcess, work: Work) -> None:
    task_id = work.start("Sign tokens", areas=["src/"])
    work.write("src/sign.py")
    work.write("elsewhere.txt")
    work.call("log_milestone", task_id=task_id, message="Keys made", progress=40)
    work.call(
        "log_decision", task_id=task_id, category="architecture", question="Which algorithm?",
        options_considered=["HS256", "EdDSA"], chosen="EdDSA", reasoning="No shared secret",
    )  # fmt: skip
    work.call("log_issue", task_id=task_id, type="other", description="No entropy", resolution="Waited")
    outcome = {"summary": "Tokens are signed", "limitations": ["No rotation"], "next_steps": ["Rotate"]}
    work.complete(task_id, outcome=outcome)
    shown = page.get(f"/task/{task_id}")
    assert shown.one("h1").text == "Sign tokens"
    for told in ("Tokens are signed", "No rotation", "Rotate", "Keys made", "EdDSA", "No entropy", "out of scope"):
        assert told in shown.one("main").text
    assert shown.all(f'a[href="/workflow/{work.workflow_id}"]')
    assert "elsewhere.txt" in shown.one("#out-of-scope").text


@pytest.mark.proves("page:task:attributed")
def test_the_diff_has_what_is_attributed_to_the_task_and_nothing_else(page: InProcess, work: Work) -> None:
    task_id = work.start("mine", areas=["src/"])
    other = work.start("beside", areas=["docs/"])
    work.write("src/mine.py", text="mine = 1\n")
    work.write("docs/theirs.md", text="theirs\n")
    work.write("README.md", text="whose?\n")
    subtask = work.start("below", parent=task_id, areas=["src/"])
    work.write("src/below.py", text="below = 1\n")
    for each in (subtask, other, task_id):
        work.complete(each)
    shown = page.get(f"/task/{task_id}")
    assert [file["data-path"] for file in shown.all("section.file")] == ["src/below.py", "src/mine.py"]
    assert subtask in shown.all("section.file")[0].text
    assert "1 file" in shown.one("#others-shared").text
    assert "1 file" in shown.one("#others-other").text
    assert "README.md" in page.part(f"/part/task/{task_id}/others?by=shared").text
    theirs = page.part(f"/part/task/{task_id}/others?by=other")
    assert "docs/theirs.md" in theirs.text
    assert theirs.all(f'a[href="/task/{other}"]')
    assert "mine = 1" in diff(page, task_id, "src/mine.py")
    assert "There is no diff of it" in diff(page, task_id, "docs/theirs.md")
    only = page.get(f"/task/{task_id}?by=subtask")
    assert [file["data-path"] for file in only.all("section.file")] == ["src/below.py"]


def test_changes_show_while_a_task_is_in_progress(page: InProcess, work: Work) -> None:
    task_id = work.start(areas=["src/"])
    work.write("src/now.py", text="now = 1\n")
    address = page.get(f"/task/{task_id}").one("#changes")["data-so-far"]
    part = page.part(address)
    assert "Changes so far" in part.text
    assert [file["data-path"] for file in part.all("section.file")] == ["src/now.py"]
    assert "now = 1" in diff(page, task_id, "src/now.py")


@pytest.mark.proves("page:diff:words")
def test_lines_have_numbers_signs_and_their_words_marked(page: InProcess, work: Work) -> None:
    work.write("src/a.py", text="def f(count):\n    return count * 2\n")
    work.git("add", ".")
    work.git("commit", "-qm", "a")
    task_id = done(work, a="def f(amount):\n    return amount * 2\n")
    part = page.part(f"/part/task/{task_id}/diff?path=src/a.py")
    assert [row["data-line"] for row in part.all("tr.del")] == ["1", "2"]
    assert [mark.text for mark in part.all("tr.ins .w")] == ["amount", "amount"]
    assert [button["aria-label"] for button in part.all("tr.ins button")] == ["Comment on line 1", "Comment on line 2"]
    assert part.all("tr.del button")[0]["aria-label"] == "Comment on line 1 as it was"
    split = page.part(f"/part/task/{task_id}/diff?path=src/a.py&layout=split")
    beside = [[cell.text for cell in row.all("td")] for row in split.all("tr") if "class" not in row]
    assert beside == [
        ["1", "def f(count):", "1", "def f(amount):"],
        ["2", "return count * 2", "2", "return amount * 2"],
    ]


@pytest.mark.proves("page:diff:large")
def test_a_long_diff_comes_part_by_part_and_a_long_line_when_asked_for(page: InProcess, work: Work) -> None:
    lines = [f"value_{number} = {number}" for number in range(2_000)]
    task_id = done(work, many="\n".join(lines) + "\n", wide="x = '" + "y" * 5_000 + "'\n")
    part = page.part(f"/part/task/{task_id}/diff?path=src/many.py")
    seen = []
    while True:
        seen += [code.text for code in part.all(".code")]
        rest = part.all("[data-rest]")
        if not rest:
            break
        part = page.part(rest[0]["data-rest"])
    assert seen == lines
    wide = page.part(f"/part/task/{task_id}/diff?path=src/wide.py")
    assert "more characters" in wide.one("[data-whole]").text
    whole = page.part(
        f"/part/task/{task_id}/diff?path=src/wide.py&from={wide.one('[data-whole]')['data-whole']}&whole=1"
    )
    assert len(whole.one(".code").text) == 5_006


@pytest.mark.proves("page:text:escaped", "page:diff:seen")
def test_markup_and_characters_that_turn_text_around_are_only_text(page: InProcess, work: Work) -> None:
    task_id = work.start(HOSTILE, areas=["src/"])
    name = f"src/{HOSTILE.replace('/', '-')}.html"
    work.write(name, text=f"{HOSTILE}\n")
    work.call("log_milestone", task_id=task_id, message=HOSTILE)
    work.complete(task_id, outcome={"summary": HOSTILE})
    work.call("comment_add", task_id=task_id, text=HOSTILE, path=name, line=1)
    shown = page.get(f"/task/{task_id}")
    part = page.part(f"/part/task/{task_id}/diff?path={quote(name)}")
    for html in (shown, part):
        assert all("src" in script for script in html.all("script"))
    assert "alert(1)" in part.one(".code").text
    assert "\u202e" not in part.text
    assert "U+202E" in part.one(".code").text
    assert "U+202E" in shown.one("h3").text


def test_what_has_no_lines_says_so(page: InProcess, work: Work) -> None:
    task_id = work.start()
    (work.tree / "picture.png").write_bytes(bytes(range(256)))
    work.write(".env", text="SECRET=1\n")
    work.write("empty", text="")
    work.complete(task_id)
    shown = page.get(f"/task/{task_id}")
    files = {file["data-path"]: file for file in shown.all("section.file")}
    assert "may hold secrets" in files[".env"].text
    assert "A binary file" in diff(page, task_id, "picture.png")
    assert "An empty file" in diff(page, task_id, "empty")


def test_a_renamed_file_is_one_file_under_both_names(page: InProcess, work: Work) -> None:
    work.write("src/before.py", text="".join(f"x{number} = {number}\n" for number in range(40)))
    work.git("add", ".")
    work.git("commit", "-qm", "a")
    task_id = work.start(areas=["src/"])
    work.git("mv", "src/before.py", "src/after.py")
    work.complete(task_id)
    shown = page.get(f"/task/{task_id}")
    (file,) = shown.all("section.file")
    assert shown.one(".files-head .meta").text.split() == ["1", "file", "R", "1", "renamed"]
    assert file.one("h3").text == "src/before.py → src/after.py"
    assert file.one(".mark").text.startswith("R")
    assert "Renamed without a change" in diff(page, task_id, "src/after.py")


def test_comments_stand_at_their_lines(page: InProcess, work: Work) -> None:
    task_id = done(work, a="one = 1\ntwo = 2\n")
    work.call(
        "task_send_back", task_id=task_id, comments=[{"path": "src/a.py", "line": 2, "side": "new", "text": "Why 2?"}]
    )
    part = page.part(f"/part/task/{task_id}/diff?path=src/a.py")
    rows = part.all("tbody tr")
    assert "Why 2?" in rows[[row.attributes.get("data-line") for row in rows].index("2") + 1].text
    assert "Why 2?" in page.get(f"/task/{task_id}").one("main").text


@pytest.mark.proves("page:diff:large")
def test_five_thousand_files_come_in_pages(page: InProcess, work: Work) -> None:
    task_id = work.start()
    for folder in range(50):
        (work.tree / f"deep/folder{folder:02}").mkdir(parents=True)
        for number in range(100):
            (work.tree / f"deep/folder{folder:02}/file{number:02}.txt").write_text(f"{number}\n")
    work.complete(task_id)
    reply = page.fetch("GET", f"/task/{task_id}")
    assert len(reply.body) < 110_000
    shown = reply.html
    assert "5 000 files" in shown.one(".files-head").text
    first = [file["data-path"] for file in shown.all("section.file")]
    following = page.get(next(a["href"] for a in shown.all("a.button") if a.text == "Next files").partition("#")[0])
    second = [file["data-path"] for file in following.all("section.file")]
    assert 0 < len(first) <= 60
    assert second[0] > first[-1]
    assert "0" in diff(page, task_id, second[0])


@pytest.mark.proves("page:task:attempts")
def test_attempts_stand_beside_each_other(page: InProcess, work: Work) -> None:
    made = work.call("task_create", title="Try twice", description="d")
    for text in ("first", "second"):
        session = work.call("session_start", task_id=made["id"], agent="coder")
        work.write("tried.txt", text=f"{text}\n")
        work.call("session_end", session_id=session["sessionId"], exit_code=1)
    shown = page.get(f"/task/{made['id']}")
    rows = shown.all("tbody tr")
    assert [row.one("th").text for row in rows] == ["session-1", "session-2"]
    other = page.get(f"/task/{made['id']}?session=session-1")
    assert "session=session-1" in other.one("[data-diffs]")["data-diffs"]
    beside = page.get(f"/task/{made['id']}/compare")
    texts = [page.part(part["data-diffs"] + part["data-path"]).text for part in beside.all("[data-diffs]")]
    assert "first" in texts[0]
    assert "second" in texts[1]


def test_a_task_nobody_began_says_what_to_do(page: InProcess, work: Work) -> None:
    made = work.call("task_create", title="Later", description="d")
    shown = page.get(f"/task/{made['id']}")
    assert f"deedlog worker run task-{made['id']}" in shown.one("main").text
    assert not shown.all("#changes")


def test_a_task_that_is_not_there_is_told_so(page: InProcess) -> None:
    page.get("/task/task-999", status=404)


def test_the_page_works_where_planning_is_switched_off(repo: Path, tmp_path: Path, clock: Clock) -> None:
    work = Work(app_in(str(tmp_path / "store"), tree=str(repo), clock=clock, disable=["tasks", "ledger"]), repo)
    web = Web(work.app, actor="", host="127.0.0.1", access=Access(TOKEN, SIGN_IN))
    try:
        task_id = done(work, a="x = 1\n")
        shown = InProcess(web.asgi).get(f"/task/{task_id}")
        assert [file["data-path"] for file in shown.all("section.file")] == ["src/a.py"]
    finally:
        web.end()
        web.close()


def test_changes_that_nobody_can_tell_are_said_to_be_so(page: InProcess, work: Work) -> None:
    task_id = work.start("Lost")
    for snapshot in (work.tree.parent / "snapshots").rglob("snapshots/*"):
        snapshot.unlink()
    part = page.part(page.get(f"/task/{task_id}").one("#changes")["data-so-far"])
    assert "Nobody can tell what it changed" in part.text
    work.complete(task_id, changes_unknown=True)
    assert "Nobody can tell what it changed" in page.get(f"/task/{task_id}").one("#changes").text
