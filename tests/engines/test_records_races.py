"""Several processes, clones and branches write records: UIDs are distinct and ordered, no decision is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from deedlog.records.engine import FileRecords
from tests.engines.record_keeping import files, found_problems, record, wanted

GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid"]


def git(folder: Path, *words: str, fine: Sequence[int] = (0,)) -> None:
    done = subprocess.run([*GIT, "-C", str(folder), *words], capture_output=True, text=True, check=False)
    assert done.returncode in fine, done.stderr


def race(tree: Path, store: Path, names: Sequence[str], count: int) -> list[list[str]]:
    """The UIDs that processes gave which all begin at once, each in its order."""
    command = [sys.executable, "-m", "tests.engines.record_keeping", str(tree), str(store), str(count)]
    racers = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for name in names
    ]
    for racer in racers:
        assert racer.stdout
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin
        racer.stdin.write("go\n")
        racer.stdin.flush()
    told = [racer.communicate()[0].split() for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * len(racers)
    return told


@pytest.mark.proves("clarify:uid:increasing", "clarify:files:races")
@pytest.mark.parametrize(("racers", "count"), [(2, 200), (40, 1)])
def test_racing_processes_lose_no_decision_and_give_distinct_ordered_uids(
    tmp_path: Path, racers: int, count: int
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    names = [f"racer{number}x" for number in range(racers)]
    told = race(tree, tmp_path / "store", names, count)
    assert all(uids == sorted(set(uids)) for uids in told)
    records = FileRecords(str(tree), str(tmp_path / "store"))
    book = records.book()
    given = sorted(uid for uids in told for uid in uids)
    assert [adr.uid for adr in book.adrs] == given
    assert len(set(given)) == racers * count
    assert [adr.previous for adr in book.adrs] == ["", *given[:-1]]
    latest = range(max(0, count - 10), count)
    expected = {f"{name}{number % 10}": str(number) for name in names for number in latest}
    assert book.architecture.plain() == {"Area": expected}
    assert len(list((tree / "docs/archive/task").iterdir())) == racers * count - 1
    assert found_problems(records) == []


@pytest.fixture
def attributes() -> str:
    return ""


@pytest.fixture
def merged(repo: Path, tmp_path: Path, attributes: str) -> Path:
    """A repository with what two clones decided on their own after one common decision."""
    (repo / ".gitattributes").write_text(attributes)
    record(FileRecords(str(repo), str(repo / ".git/deedlog")), wanted("Start", Database_Type="PostgreSQL"))
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "start")
    for name in ("one", "two"):
        git(tmp_path, "clone", "-q", str(repo), name)
    for name, value in (("one", "Kafka"), ("two", "RabbitMQ")):
        clone = tmp_path / name
        own = {f"Area_{name}": name}
        record(FileRecords(str(clone), str(clone / ".git/deedlog")), wanted(f"In {name}", Queue_Broker=value, **own))
        git(clone, "checkout", "-qb", name)
        git(clone, "add", ".")
        git(clone, "commit", "-qm", name)
        git(repo, "fetch", "-q", str(clone), f"{name}:{name}")
        git(repo, "merge", "-q", name, "-m", "merge", fine=(0, 1))
    return repo


@pytest.mark.proves("clarify:projection:fold", "clarify:projection:conflicts", "clarify:uid:increasing")
def test_merged_branches_keep_both_decisions_and_name_what_they_disagree_on(merged: Path) -> None:
    records = FileRecords(str(merged), str(merged / ".git/deedlog"))
    assert b"<<<<<<<" in (merged / "docs/ARCHITECTURE_STATE.md").read_bytes()
    book = records.book()
    uids = [adr.uid for adr in book.adrs]
    assert uids == sorted(set(uids))
    assert len(uids) == 3
    assert book.architecture.plain() == {
        "Area": {"one": "one", "two": "two"},
        "Database": {"Type": "PostgreSQL"},
        "Queue": {"Broker": "RabbitMQ"},
    }
    (conflict,) = book.architecture.conflicts
    assert (conflict.area, conflict.field, conflict.values) == (
        *("Queue", "Broker"),
        {uids[1]: "Kafka", uids[2]: "RabbitMQ"},
    )
    assert b"<<<<<<<" not in (merged / "docs/ARCHITECTURE_STATE.md").read_bytes()


@pytest.mark.proves("clarify:projection:conflicts")
def test_a_later_decision_settles_the_conflict_even_with_the_value_that_won(merged: Path) -> None:
    records = FileRecords(str(merged), str(merged / ".git/deedlog"))
    loser, winner = records.book().architecture.conflicts[0].values
    planned = record(records, wanted("Settle it", Queue_Broker="RabbitMQ"))
    assert planned.adr
    (change,) = planned.adr.changes
    assert (change.was_uid, change.over) == (winner, [loser])
    assert records.book().architecture.conflicts == []


@pytest.mark.proves("clarify:files:archive")
def test_a_task_file_that_a_merge_left_in_conflict_is_archived_as_it_is(merged: Path) -> None:
    text = (merged / "docs/CURRENT_TASK.md").read_bytes()
    assert b"<<<<<<<" in text
    records = FileRecords(str(merged), str(merged / ".git/deedlog"))
    planned = record(records, wanted("Next"))
    archived = next(artifact for artifact in planned.artifacts if artifact["type"] == "archive")
    assert files(merged)[archived["path"]] == text
    records.book()
    assert found_problems(records) == []


@pytest.mark.parametrize("attributes", ["docs/ARCHITECTURE_STATE.md merge=union\n"])
def test_with_a_union_of_both_sides_git_does_not_stop_at_the_architecture(merged: Path) -> None:
    assert b"<<<<<<<" not in (merged / "docs/ARCHITECTURE_STATE.md").read_bytes()
    records = FileRecords(str(merged), str(merged / ".git/deedlog"))
    assert found_problems(records) != []
    records.book()
    assert found_problems(records) == []
