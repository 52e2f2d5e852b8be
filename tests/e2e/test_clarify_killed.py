"""A server that dies while it completes a clarification, before or after it could tell the ledger."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.clarification import COMPLETED, Clarification, WrittenAdr
from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
from tests.e2e.clarifier import Clarifier, files, git
from tests.e2e.official import environment

DECISION = "Use PostgreSQL with Prisma as our database"
DIE = """
import os, sys
from deedlog.store.ledger import SqlLedger
from deedlog.records.writing import FileWriting
write, done = SqlLedger.write, FileWriting.done
where, arguments = sys.argv[1], eval(sys.argv[2])
def dying_write(self, op, values, **more):
    if where == "before":
        os._exit(9)
    return write(self, op, values, **more)
def dying_done(self):
    os._exit(9)
SqlLedger.write, FileWriting.done = dying_write, dying_done
from deedlog import bootstrap, settings
from deedlog.app import Caller
from deedlog.core.caller import Kind
app = bootstrap.build(settings.load(os.getcwd(), os.environ))
app.call("require_clarification", arguments, Caller(actor="mcp", kind=Kind.AGENT))
"""
each_place = pytest.mark.parametrize("where", ["before", "after"])


def die(repo: Path, where: str, **arguments: Any) -> None:
    """Complete a clarification, and die before the ledger knows of it or just after."""
    command = [sys.executable, "-c", DIE, where, repr(arguments)]
    done = subprocess.run(command, cwd=repo, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 9, done.stderr


def recorded(repo: Path) -> tuple[list[str], list[str]]:
    """The ADRs the ledger knows, and the sessions that are completed."""
    database = Sqlite(str(repo / ".git/deedlog"))
    ledger = SqlLedger(database)
    adrs = [adr.id for adr in ledger.find(WrittenAdr, limit=50)]
    sessions = [session.id for session in ledger.find(Clarification, {"status": COMPLETED}, limit=50)]
    database.close()
    return adrs, sessions


def adr_files(repo: Path) -> list[str]:
    return [path for path in files(repo) if path.startswith("docs/adr/")]


@each_place
@pytest.mark.proves("clarify:killed:nothing-lost")
def test_the_same_call_again_finds_what_the_dead_one_wrote(repo: Path, where: str) -> None:
    with Clarifier(repo) as client:
        asked = client.require("Add authentication")
    answers = {question["id"]: "skip" for question in asked["questions"]} | {"auth_strategy": "Email/Password"}
    die(repo, where, user_intention="x", session_id=asked["session_id"], answers=answers)
    before = files(repo)
    assert len(adr_files(repo)) == 1
    with Clarifier(repo) as client:
        done = client.reply(asked, answers)
        assert done["status"] == "completed"
        assert files(repo) == before
        assert done["artifacts_created"][0]["path"] == adr_files(repo)[0]
    assert recorded(repo) == ([done["adr_uid"]], [asked["session_id"]])


@pytest.mark.proves("clarify:killed:nothing-lost")
def test_a_first_call_that_comes_again_finds_what_the_dead_one_wrote(repo: Path) -> None:
    die(repo, "before", user_intention=DECISION)
    before = files(repo)
    with Clarifier(repo) as client:
        done = client.require(DECISION)
        assert files(repo) == before
    assert recorded(repo) == ([done["adr_uid"]], [done["session_id"]])


@pytest.mark.proves("clarify:files:taken-away")
def test_a_first_call_begins_anew_where_the_ledger_has_the_dead_one(repo: Path) -> None:
    die(repo, "after", user_intention=DECISION)
    (known,) = recorded(repo)[1]
    with Clarifier(repo) as client:
        done = client.require(DECISION)
    assert done["session_id"] != known
    assert done["task_uid"] in (repo / "docs/CURRENT_TASK.md").read_text()
    assert set(recorded(repo)[1]) == {known, done["session_id"]}


@each_place
@pytest.mark.proves("clarify:files:taken-away")
def test_what_the_dead_one_wrote_and_somebody_took_away_is_written_again(repo: Path, where: str) -> None:
    die(repo, where, user_intention=DECISION)
    git(repo, "clean", "-fdq", "docs")
    assert not adr_files(repo)
    with Clarifier(repo) as client:
        done = client.require(DECISION)
        found = client.architecture()
    assert found["Database"]["Type"] == "PostgreSQL"
    assert [path.startswith(f"docs/adr/{done['adr_uid']}_") for path in adr_files(repo)] == [True]
    assert done["adr_uid"] in recorded(repo)[0]


@pytest.mark.proves("clarify:files:taken-away")
def test_a_session_whose_files_somebody_took_away_is_completed_by_its_answers_again(repo: Path) -> None:
    with Clarifier(repo) as client:
        asked = client.require("Add authentication")
    answers = {question["id"]: "skip" for question in asked["questions"]} | {"auth_strategy": "Email/Password"}
    die(repo, "before", user_intention="x", session_id=asked["session_id"], answers=answers)
    (repo / "docs/CURRENT_TASK.md").write_text("# mine\n")
    with Clarifier(repo) as client:
        done = client.reply(asked, answers)
    assert done["status"] == "completed"
    assert done["task_uid"] in (repo / "docs/CURRENT_TASK.md").read_text()
    assert recorded(repo)[1] == [asked["session_id"]]
    assert len(recorded(repo)[0]) == len(adr_files(repo))


@each_place
@pytest.mark.proves("clarify:killed:nothing-lost")
def test_another_call_adds_what_the_dead_one_could_not(repo: Path, where: str) -> None:
    die(repo, where, user_intention=DECISION)
    die(repo, where, user_intention="Use OAuth with next-auth for authentication")
    with Clarifier(repo) as client:
        client.require("Fix typo in login button")
        found = client.architecture()
    assert (found["Database"]["Type"], found["Authentication"]["Strategy"]) == ("PostgreSQL", "OAuth")
    adrs, sessions = recorded(repo)
    assert len(adrs) == len(adr_files(repo)) == 2
    assert len(sessions) == 3


@pytest.mark.proves("clarify:killed:nothing-lost")
def test_a_call_that_comes_again_after_another_one_died_too_finds_its_own_files(repo: Path) -> None:
    die(repo, "before", user_intention=DECISION)
    die(repo, "before", user_intention="Use OAuth with next-auth for authentication")
    before = files(repo)
    with Clarifier(repo) as client:
        done = client.require(DECISION)
        assert files(repo) == before
    assert min(adr_files(repo)).startswith(f"docs/adr/{done['adr_uid']}_")
    adrs, sessions = recorded(repo)
    assert (len(adrs), len(sessions)) == (2, 2)
