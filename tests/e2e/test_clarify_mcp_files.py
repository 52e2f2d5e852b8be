"""What clarification writes and what it never touches, over standard input and output."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.e2e.clarifier import Clarifier, files, git, path_of, types

DATABASE, SIGN_IN = "Use PostgreSQL with Prisma as our database", "Use OAuth with next-auth for authentication"


@pytest.fixture
def client(repo: Path) -> Iterator[Clarifier]:
    with Clarifier(repo) as clarifier:
        yield clarifier


def moment(uid: str) -> datetime:
    return datetime.strptime(uid.partition("-")[0], "%Y%m%dT%H%M%S.%fZ").replace(tzinfo=UTC)


def test_uids_tell_the_time_and_grow_over_lives_servers_and_clones(repo: Path, tmp_path: Path) -> None:
    before = datetime.now(UTC)
    uids = []
    for intention in (DATABASE, SIGN_IN):
        with Clarifier(repo) as client:
            uids.append(client.require(intention)["adr_uid"])
    git(repo, "add", "docs")
    git(repo, "commit", "--quiet", "--message=decisions")
    git(tmp_path, "clone", "--quiet", str(repo), str(tmp_path / "clone"))
    with Clarifier(repo) as one, Clarifier(repo) as two, Clarifier(tmp_path / "clone") as three:
        asked = {"user_intention": "Switch the database to MySQL", "preferences": {"force_adr": True}}
        uids += [client.call("require_clarification", **asked)["adr_uid"] for client in (one, two, three, two, one)]
    assert uids == sorted(set(uids))
    assert all(before.timestamp() - 5 < moment(uid).timestamp() for uid in uids)
    assert moment(uids[-1]).timestamp() < datetime.now(UTC).timestamp() + 5


def test_part_1_comes_before_part_2_and_the_state_is_part_1_only(client: Clarifier) -> None:
    text = (client.folder / path_of(client.require(DATABASE), "adr")).read_text()
    one, two = text.index("PART 1: ARCHITECTURE SNAPSHOT"), text.index("PART 2: DECISION DETAILS")
    assert one < two
    for heading in ("Context", "Decision", "Rationale", "Alternatives", "Consequences"):
        assert f"## {heading}" in text[two:]
    state = (client.folder / "docs/ARCHITECTURE_STATE.md").read_text()
    assert "PostgreSQL" in state
    assert "Rationale" not in state
    assert "PART 2" not in state


def test_a_deleted_state_is_made_again(client: Clarifier) -> None:
    client.require(DATABASE)
    client.require(SIGN_IN)
    before, state = client.call("read_architecture"), client.folder / "docs/ARCHITECTURE_STATE.md"
    text = state.read_text()
    state.unlink()
    assert client.call("read_architecture") == before
    assert state.read_text() == text
    state.unlink()
    client.require("Switch the database from PostgreSQL to MySQL")
    assert client.architecture()["Authentication"]["Strategy"] == "OAuth"


def test_the_decisions_of_two_branches_are_both_there_after_a_merge(client: Clarifier) -> None:
    repo = client.folder
    git(repo, "switch", "--quiet", "--create", "left")
    client.require(DATABASE)
    git(repo, "add", "docs")
    git(repo, "commit", "--quiet", "--message=left")
    git(repo, "switch", "--quiet", "main")
    git(repo, "switch", "--quiet", "--create", "right")
    client.require(SIGN_IN)
    git(repo, "add", "docs")
    git(repo, "commit", "--quiet", "--message=right")
    subprocess.run(["git", "-C", str(repo), "merge", "--quiet", "left"], check=False, capture_output=True)
    for path in ("docs/ARCHITECTURE_STATE.md", "docs/CURRENT_TASK.md"):
        git(repo, "checkout", "--quiet", "--ours", path)
    found = client.architecture()
    assert (found["Database"]["Type"], found["Authentication"]["Strategy"]) == ("PostgreSQL", "OAuth")


def test_adrs_and_archives_never_change(client: Clarifier) -> None:
    kept: dict[str, str] = {}
    for turn in range(10):
        client.require(f"Switch the database from {'PostgreSQL to MySQL' if turn % 2 else 'MySQL to PostgreSQL'}")
        now = {path: found for path, found in files(client.folder).items() if path.startswith(("docs/adr", "docs/arc"))}
        assert kept.items() <= now.items()
        assert len(now) > len(kept)
        kept = now


@pytest.mark.proves("clarify:error:codes")
def test_where_nothing_can_be_written_nothing_changes(repo: Path) -> None:
    with Clarifier(repo, ordinary=True) as client:
        client.require(DATABASE)
        before, architecture = files(repo), client.architecture()
        folders = [repo / "docs", *(path for path in (repo / "docs").rglob("*") if path.is_dir())]
        for folder in folders:
            folder.chmod(0o555)
        try:
            error = client.refused("require_clarification", user_intention=SIGN_IN)
            assert client.architecture() == architecture
        finally:
            for folder in folders:
                folder.chmod(0o755)
        assert error["code"] == "FILESYSTEM_ERROR"
        assert files(repo) == before
        assert client.require(SIGN_IN)["status"] == "completed"


@pytest.mark.parametrize("blocked", ["docs/adr", "docs/archive", "docs/ARCHITECTURE_STATE.md", "docs/CURRENT_TASK.md"])
def test_something_else_in_the_way_is_told_and_nothing_changes(client: Clarifier, blocked: str) -> None:
    client.require("Fix typo in login button")
    place = client.folder / blocked
    if place.suffix:
        place.unlink(missing_ok=True)
        place.mkdir()
        (place / "mine").write_text("x")
    else:
        place.write_text("mine")
    before = files(client.folder)
    error = client.refused("require_clarification", user_intention=DATABASE)
    assert error["code"] in {"FILESYSTEM_ERROR", "PARSE_ERROR"}
    assert files(client.folder) == before


def test_no_prompt_is_written(client: Clarifier) -> None:
    client.require(DATABASE)
    client.finish("Add a payment page")
    assert not (client.folder / "docs/AGENT_PROMPT.md").exists()


def test_a_task_written_by_hand_is_archived(client: Clarifier) -> None:
    mine = "# My own task\n\nDo not lose me.\n"
    (client.folder / "docs").mkdir()
    (client.folder / "docs/CURRENT_TASK.md").write_text(mine)
    answer = client.require("Fix typo in login button")
    assert (client.folder / path_of(answer, "archive")).read_text() == mine


@pytest.mark.proves("clarify:error:codes")
@pytest.mark.parametrize("text", ["# Our architecture\n\nWritten by hand.\n", "\xff\xfe", "<!-- UID: soon -->\n"])
def test_a_state_that_is_not_ours_is_left_alone(client: Clarifier, text: str) -> None:
    state = client.folder / "docs/ARCHITECTURE_STATE.md"
    state.parent.mkdir()
    state.write_bytes(text.encode("latin-1"))
    for tool, arguments in (("read_architecture", {}), ("require_clarification", {"user_intention": DATABASE})):
        error = client.refused(tool, **arguments)
        assert error["code"] == "PARSE_ERROR"
        assert error["details"]["path"] == "docs/ARCHITECTURE_STATE.md"
    assert state.read_bytes() == text.encode("latin-1")


def test_a_worktree_gets_its_own_files_and_a_session_stays_in_its_tree(client: Clarifier, tmp_path: Path) -> None:
    tree = tmp_path / ".hidden" / "worktree"
    git(client.folder, "worktree", "add", "--quiet", str(tree))
    (tree / "src/auth").mkdir(parents=True)
    (tree / "src/auth/x.py").write_text("x = 1\n")
    git(tree, "add", "src")
    with Clarifier(tree) as other:
        other.require(SIGN_IN)
        assert (tree / "docs/adr").is_dir()
        assert "src/auth/**" in (tree / "docs/CURRENT_TASK.md").read_text()
        assert files(client.folder) == {}
        asked = other.require("Add a database")
        error = client.refused_reply(asked, {})
        assert (error["code"], error["details"]["repo_path"]) == ("SESSION_NOT_FOUND", str(tree))
        answers = {question["id"]: "skip" for question in asked["questions"]}
        assert client.reply(asked, answers, repo_path=str(tree))["status"] == "completed"
    assert files(client.folder) == {}


@pytest.mark.proves("clarify:repo:discovery", "clarify:error:codes")
def test_the_repository_is_named_by_a_path_or_found_upwards(client: Clarifier, tmp_path: Path) -> None:
    inside = client.folder / "src/deep"
    inside.mkdir(parents=True)
    with Clarifier(inside) as below:
        below.require("Fix typo in login button")
    assert (client.folder / "docs/CURRENT_TASK.md").is_file()
    other = tmp_path / "other"
    git(tmp_path, "init", "--quiet", str(other))
    asked = client.require("Add authentication", repo_path=str(other))
    answers = {question["id"]: question["options"][0] for question in asked["questions"]}
    done = client.reply(asked, answers)
    assert (other / path_of(done, "adr")).is_file()
    dangling = tmp_path / "dangling"
    dangling.mkdir()
    (dangling / ".git").write_text("gitdir: /nowhere/at/all\n")
    for wrong in (dangling, tmp_path / "missing", "\0"):
        for tool, arguments in (("read_architecture", {}), ("require_clarification", {"user_intention": "x"})):
            assert client.refused(tool, repo_path=str(wrong), **arguments)["code"] == "REPO_NOT_FOUND"
    with Clarifier(tmp_path) as nowhere:
        assert nowhere.refused("read_architecture")["code"] == "REPO_NOT_FOUND"
        assert nowhere.refused("require_clarification", user_intention="x")["code"] == "REPO_NOT_FOUND"


def test_ignored_files_are_not_looked_at(client: Clarifier) -> None:
    """What a call costs does not depend on them: an ignored folder is not even opened."""
    (client.folder / ".gitignore").write_text("node_modules/\n")
    ignored = client.folder / "node_modules/auth"
    ignored.mkdir(parents=True)
    (ignored / "package.json").write_text('{"dependencies": {"next-auth": "1"}}')
    asked = client.require("Add authentication")
    assert asked["status"] == "needs_clarification"
    answers = {question["id"]: "skip" for question in asked["questions"]}
    client.reply(asked, answers)
    allowed = (client.folder / "docs/CURRENT_TASK.md").read_text().partition("## Allowlist")[2].partition("\n## ")[0]
    assert "node_modules" not in allowed


@pytest.mark.proves("clarify:session:sliding", "clarify:error:expired")
def test_a_session_lives_across_servers_and_expires_when_nobody_uses_it(repo: Path) -> None:
    with Clarifier(repo) as first:
        asked = first.require("Add authentication")
    with Clarifier(repo) as second:
        assert second.reply(asked, {"auth_strategy": "OAuth"})["status"] == "needs_clarification"
    with Clarifier(repo, {"DEEDLOG_CLARIFY_IDLE": "0"}) as impatient:
        error = impatient.refused_reply(asked, {"auth_library": "next-auth"})
        assert error["code"] == "SESSION_EXPIRED"
        assert "require_clarification" in error["recovery_hint"]
        assert impatient.refused_reply({"session_id": "sess-x"}, {})["code"] == "SESSION_NOT_FOUND"
    with Clarifier(repo) as third:
        rest = {question["id"]: "skip" for question in third.reply(asked, None)["questions"]}
        done = third.reply(asked, rest)
        assert "adr" in types(done)
        assert third.architecture()["Authentication"]["Strategy"] == "OAuth"


def test_who_subscribes_to_the_architecture_is_told_of_every_decision(client: Clarifier) -> None:
    info = {"name": "watcher", "version": "1"}
    client.server.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info})
    client.server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    client.server.request("resources/subscribe", {"uri": "project://architecture"})
    arguments = {"name": "require_clarification", "arguments": {"user_intention": DATABASE}}
    client.server.send({"jsonrpc": "2.0", "id": "decide", "method": "tools/call", "params": arguments})
    heard: list[str] = []
    while len(heard) < 2:  # the answer and the news, whichever comes first
        message = client.server.receive()
        if message.get("id") == "decide":
            heard.append("answer")
        elif message.get("method") == "notifications/resources/updated":
            heard.append(message["params"]["uri"])
    assert sorted(heard) == ["answer", "project://architecture"]
