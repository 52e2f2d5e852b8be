"""Files that are broken, hostile or huge: a clear refusal, or a warning and no harm."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from deedlog.core.errors import DeedlogError
from deedlog.importing import reading
from deedlog.importing.tools import read
from tests.importing.desk import Desk, Json, issues, needs

Sample = Callable[[str], Path]
FRONT = "---\nid: TASK-1\ntitle: One\nstatus: To Do\n{more}\n---\n\nText\n"


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return tmp_path / "there"


def refused(tool: str, root: Path, desk: Desk) -> str:
    """What is said of files that are not taken; nothing came of them."""
    with pytest.raises(DeedlogError) as caught:
        desk.bring(tool, root)
    assert desk.app.ledger.head() == 0
    return caught.value.message


@pytest.mark.proves("import:broken:nothing")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: is not JSON"),
        ("[]", "line 2: is not an object"),
        ("<<<<<<< HEAD", "line 2: is left over from a merge"),
        ('{"title": "x"}', "line 2: id must be a name"),
        ('{"id": "bd-2"}', "line 2: title is missing"),
        ('{"id": "bd 2", "title": "x"}', "line 2: id must be a name"),
        ('{"id": "bd-2", "title": ["x"]}', "line 2: title is not text"),
        ('{"id": "bd-2", "title": "x", "priority": 9}', "line 2: priority is not a number from 0 to 4"),
        ('{"id": "bd-2", "title": "x", "priority": true}', "line 2: priority is not a number from 0 to 4"),
        ('{"id": "bd-2", "title": "x", "labels": {"a": 1}}', "line 2: labels is not a list of texts"),
        ('{"id": "bd-2", "title": "x", "dependencies": ["bd-1"]}', "line 2, dependencies[0]: is not an object"),
        ('{"id": ' + "[" * 100_000, "line 2: is nested too deeply"),
        ('{"id": ' + "9" * 5_000 + "}", "line 2: is nested too deeply or has too large a number"),
    ],
)
def test_a_broken_line_of_beads_is_named_and_nothing_is_stored(desk: Desk, there: Path, line: str, said: str) -> None:
    issues(there, {"id": "bd-1"})
    with (there / ".beads/issues.jsonl").open("a") as file:
        file.write(line + "\n")
    assert f"issues.jsonl, {said}" in refused("beads", there, desk)


@pytest.mark.proves("import:broken:nothing")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no front matter", "line 1: has no front matter"),
        ("---\nid: TASK-1\n", "line 3: the front matter does not end"),
        (FRONT.format(more="labels: [a, {"), "is not YAML"),
        (FRONT.format(more="a: &a [x]\nlabels: *a"), "refers to parts of itself"),
        (FRONT.format(more="labels:\n  a: 1"), "labels is not a list of texts"),
        (FRONT.format(more="x: !!python/object/apply:os.system [id]\nlabels: {a: 1}"), "is not a list of texts"),
        (FRONT.format(more="x: " + "[" * 5_000), "line"),
        ("---\n- a\n---\n", "is not an object"),
        ("---\nid: TASK-1\n---\n", "title is missing"),
    ],
)
def test_a_broken_task_of_backlog_is_named_and_nothing_is_stored(
    desk: Desk, sample: Sample, text: str, said: str
) -> None:
    root = sample("backlog")
    (root / "backlog/tasks/task-9.md").write_text(text)
    message = refused("backlog", root, desk)
    assert "task-9.md, line" in message
    assert said in message


@pytest.mark.proves("import:broken:nothing")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "is not an object"),
        ({"master": []}, "tasks.json, master: has no list of tasks"),
        ({"master": {"tasks": [{"id": 1}]}}, "master, tasks[0]: title is missing"),
        ({"master": {"tasks": [{"id": 1, "title": "x", "subtasks": [{"title": "y"}]}]}}, "subtasks[0]: id must be"),
        ({"\u001b[2J": {"tasks": []}}, "tasks.json, tag 1: its name is empty, long or unprintable"),
    ],
)
def test_a_broken_file_of_task_master_is_refused(desk: Desk, there: Path, data: Json, said: str) -> None:
    file = there / ".taskmaster/tasks/tasks.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(data))
    assert said in refused("task-master", there, desk)
    file.write_text('{\n  "master": {\n    "tasks": [,]\n  }\n}')
    assert "tasks.json, line 3: is not JSON" in refused("task-master", there, desk)


@pytest.mark.proves("import:broken:nothing")
def test_two_decisions_of_preflights_with_one_uid_are_refused(desk: Desk, sample: Sample) -> None:
    folder = sample("preflights") / "docs/adr"
    first = min(folder.iterdir())
    (folder / "copy.md").write_text(first.read_text())
    assert "has the UID of another decision" in refused("preflights", folder.parent.parent, desk)


@pytest.mark.proves("import:broken:nothing")
@pytest.mark.parametrize("tool", ["beads", "backlog", "task-master", "preflights"])
def test_a_project_without_the_tool_says_where_its_files_would_be(desk: Desk, there: Path, tool: str) -> None:
    there.mkdir()
    assert f"{tool} has no files here: there is no " in refused(tool, there, desk)


@pytest.mark.proves("import:broken:nothing")
def test_what_is_no_text_or_no_file_is_refused(desk: Desk, there: Path) -> None:
    file = issues(there, {"id": "bd-1"}) / ".beads/issues.jsonl"
    file.write_bytes(file.read_bytes() + b'{"id": "bd-\xff"}\n')
    assert "line 2: is not UTF-8 text" in refused("beads", there, desk)
    file.unlink()
    os.mkfifo(file)
    assert "is not a file" in refused("beads", there, desk)


@pytest.mark.proves("import:broken:nothing")
def test_giant_files_are_refused_before_they_are_taken_in(
    desk: Desk, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    issues(there, *({"id": f"bd-{n}"} for n in range(20)))
    monkeypatch.setattr("deedlog.importing.beads.MOST_TASKS", 10)
    assert "has more than 10 issues" in refused("beads", there, desk)
    monkeypatch.setattr(reading, "MOST_BYTES", 1_000)
    assert "there is more to read than" in refused("beads", there, desk)


@pytest.mark.proves("import:hostile:told")
def test_circles_are_cut_and_told(desk: Desk, there: Path) -> None:
    answer = desk.bring(
        "beads",
        issues(
            there,
            {"id": "bd-1", "dependencies": needs("bd-1", "bd-3", "bd-1")},
            {"id": "bd-2", "dependencies": needs("bd-2", "bd-1")},
            {"id": "bd-3", "dependencies": needs("bd-3", "bd-2")},
            {"id": "bd-4", "dependencies": needs("bd-4", "bd-5", kind="parent-child")},
            {"id": "bd-5", "dependencies": needs("bd-5", "bd-4", kind="parent-child")},
        ),
    )
    assert answer["created"] == 5
    assert sum(len(task.depends_on) for task in desk.tasks()) == 2
    assert sum(bool(task.parent_id) for task in desk.tasks()) == 1
    assert [task.queue for task in desk.tasks() if task.waiting == 0] == ["medium"] * 3
    told = "\n".join(answer["warnings"])
    assert "a circle was cut: " in told
    assert "beads:bd-1 needs beads:bd-1" in told
    assert "its parent is a part of it" in told


@pytest.mark.proves("import:hostile:told")
def test_unknown_references_and_double_ids_are_told(desk: Desk, there: Path) -> None:
    answer = desk.bring(
        "beads",
        issues(
            there,
            {"id": "bd-1", "dependencies": [*needs("bd-1", "bd-9"), *needs("bd-1", "bd-8", kind="parent-child")]},
            {"id": "bd-2", "title": "old", "updated_at": "2025-01-01T00:00:00Z"},
            {"id": "bd-2", "title": "new", "updated_at": "2025-01-02T00:00:00Z"},
        ),
    )
    assert (answer["created"], desk.task("beads:bd-2").name) == (2, "new")
    assert (desk.task("beads:bd-1").depends_on, desk.task("beads:bd-1").parent_id) == ([], "")
    told = "\n".join(answer["warnings"])
    assert "what it waits for is not there and was left out: beads:bd-1 needs beads:bd-9" in told
    assert "its parent is not there, so that it has none now: beads:bd-1" in told
    assert "more than one of that id, the one that changed last was taken: beads:bd-2" in told


@pytest.mark.proves("import:hostile:told")
def test_control_characters_never_reach_the_store_and_text_stays_data(desk: Desk, there: Path) -> None:
    title = "\u001b]0;x\u0007Danger\u0000ous\n$(rm -rf ~) `id` '; --\u2028"
    row = {"id": "bd-1", "title": title, "description": "a\u0000b\ud800c\u001b[31m\nd", "labels": ["a,b\u0007", ""]}
    answer = desk.bring("beads", issues(there, {**row, "created_at": "yesterday"}))
    task = desk.task("beads:bd-1")
    assert task.name == "]0;x Danger ous $(rm -rf ~) `id` '; --"
    assert (task.goal, task.labels) == ("abc[31m\nd", ["a b"])
    told = "\n".join(answer["warnings"])
    assert "control characters: beads:bd-1" in told
    assert "created_at is not a time we can read" in told


@pytest.mark.proves("import:hostile:told")
def test_a_text_of_a_megabyte_is_cut_and_told(desk: Desk, there: Path) -> None:
    answer = desk.bring("beads", issues(there, {"id": "bd-1", "title": "t" * 1_000, "description": "x" * 1_000_000}))
    task = desk.task("beads:bd-1")
    assert (len(task.name), len(task.goal)) == (500, 100_000)
    assert any("too long and was cut: beads:bd-1" in warning for warning in answer["warnings"])


@pytest.mark.proves("import:hostile:told")
def test_links_are_not_followed(desk: Desk, sample: Sample, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text(FRONT.format(more=""))
    root = sample("backlog")
    (root / "backlog/tasks/task-99.md").symlink_to(secret)
    (root / "backlog/docs/elsewhere").symlink_to(tmp_path)
    answer = desk.bring("backlog", root)
    assert answer["created"] == 10
    assert "a link was not followed: task-99.md, elsewhere" in answer["warnings"]


@pytest.mark.proves("import:hostile:told")
def test_files_with_unprintable_names_are_left_out_and_told(desk: Desk, sample: Sample) -> None:
    root = sample("backlog")
    (root / "backlog/tasks/task-9 \x1b[2J.md").write_text(FRONT.format(more=""))
    answer = desk.bring("backlog", root)
    assert (answer["created"], answer["warnings"]) == (10, ["a file with an unprintable name was left out"])


@pytest.mark.proves("import:hostile:told")
def test_memory_names_stay_names_and_are_free(desk: Desk, there: Path) -> None:
    desk.call("memory_add", id="etc-passwd", category="rule", title="ours")
    (there / ".beads").mkdir(parents=True)
    lines = [{"_type": "memory", "key": key, "value": "v" * 30_000} for key in ("../../etc/passwd", "…")]
    (there / ".beads/issues.jsonl").write_text("\n".join(map(json.dumps, lines)))
    answer = desk.bring("beads", there)
    assert [row["memory"] for row in answer["memories"]] == ["etc-passwd-2", "memory"]
    assert (desk.memory("etc-passwd").title, len(desk.memory("memory").content)) == ("ours", 20_000)
    assert any("the rest was cut" in warning for warning in answer["warnings"])


@pytest.mark.proves("import:task-master:tags")
def test_the_older_file_without_tags_is_read_where_it_was(desk: Desk, there: Path) -> None:
    file = there / "tasks/tasks.json"
    file.parent.mkdir(parents=True)
    first = {"id": 1, "title": "One", "status": "done", "dependencies": [], "testStrategy": "run it"}
    second = {"id": "2", "title": "Two", "status": "odd", "dependencies": [1], "priority": "urgent"}
    file.write_text(json.dumps({"tasks": [first, second], "meta": {}}))
    answer = desk.bring("task-master", there)
    assert desk.task("task-master:master/1").goal == "## Test strategy\n\nrun it"
    assert desk.origins(desk.task("task-master:master/2").depends_on) == ["task-master:master/1"]
    assert desk.task("task-master:master/2").labels == ["was:odd"]
    assert answer["warnings"] == ["unknown priority: task-master:master/2"]


@pytest.mark.proves("import:beads:issues")
def test_older_files_of_beads_are_found_and_others_can_be_named(there: Path) -> None:
    file = issues(there, {"id": "bd-1"}) / ".beads/issues.jsonl"
    renamed = file.rename(file.with_name("beads.jsonl"))
    assert len(read("beads", str(there)).tasks) == 1
    renamed = renamed.rename(there / "export.jsonl")
    assert len(read("beads", str(there), str(renamed)).tasks) == 1


@pytest.mark.proves("import:backlog:files")
def test_statuses_of_ones_own_are_understood_by_their_place(desk: Desk, sample: Sample) -> None:
    root = sample("backlog")
    config = root / "backlog/config.yml"
    config.write_text(config.read_text().replace('["To Do", "In Progress", "Done"]', '["Idea", "Doing", "Shipped"]'))
    for number, status in enumerate(("Idea", "Doing", "Shipped"), 20):
        text = f"---\nid: task-{number}\ntitle: T\nstatus: {status}\n---\n"
        (root / f"backlog/tasks/task-{number}.md").write_text(text)
    desk.bring("backlog", root)
    tasks = [desk.task(f"backlog:TASK-{number}") for number in (20, 21, 22)]
    assert [(task.status, task.labels) for task in tasks] == [("open", []), ("open", ["was:doing"]), ("done", [])]


@pytest.mark.proves("import:backlog:files")
def test_a_backlog_folder_of_any_name_is_found_by_the_configuration_in_the_root(desk: Desk, there: Path) -> None:
    (there / "planning/work/drafts").mkdir(parents=True)
    (there / "planning/work/drafts/draft-0001 - x.md").write_text(FRONT.format(more="").replace("TASK-1", "DRAFT-0001"))
    (there / "backlog.config.yml").write_text('statuses: ["To Do", "Done"]\nbacklog_directory: "planning/work"\n')
    assert desk.bring("backlog", there)["created"] == 1
    assert len(read("backlog", str(there), str(there / "planning/work")).tasks) == 1
    (there / "backlog.config.yml").write_text("backlog_directory: ../..\n")
    with pytest.raises(DeedlogError, match="leads out of the project"):
        read("backlog", str(there))
