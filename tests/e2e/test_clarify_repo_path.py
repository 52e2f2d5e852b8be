"""Which repository a clarification writes into, asked of real servers over stdio."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.e2e.clarifier import Clarifier
from tests.repository import git, repository

TYPO = "Fix typo in login button"
KAFKA = "Introduce Kafka as message broker for order events"


def has_task(folder: Path) -> bool:
    return (folder / "docs/CURRENT_TASK.md").is_file()


def decided(client: Clarifier, path: Path | None = None) -> set[str]:
    answer = client.call("read_architecture", repo_path=str(path) if path else None)
    return {value for fields in answer["architecture"]["categories"].values() for value in fields.values()}


@pytest.mark.proves("clarify:repo:path")
def test_a_server_outside_of_any_project_writes_into_the_one_that_is_named(tmp_path: Path) -> None:
    outside, there = tmp_path / "outside", repository(tmp_path / "there")
    (there / "src").mkdir()
    outside.mkdir()
    with Clarifier(outside) as client:
        assert client.refused("require_clarification", user_intention=TYPO)["code"] == "REPO_NOT_FOUND"
        assert client.refused("read_architecture")["code"] == "REPO_NOT_FOUND"
        assert client.require(TYPO, repo_path="../there/src")["status"] == "completed"
    assert has_task(there)
    assert list(outside.iterdir()) == []


@pytest.mark.proves("clarify:repo:path")
def test_a_session_goes_on_where_it_began_without_naming_the_path_again(repo: Path, tmp_path: Path) -> None:
    there = repository(tmp_path / "there")
    with Clarifier(repo) as client:
        asked = client.require("Add authentication", repo_path=str(there))
        for _ in range(10):
            if asked["status"] == "completed":
                break
            answers = {one["id"]: (one.get("options") or ["x"])[0] for one in asked["questions"]}
            multi = {one["id"] for one in asked["questions"] if one["type"] == "multi_choice"}
            given = {name: [value] if name in multi else value for name, value in answers.items()}
            asked = client.reply({"session_id": asked["session_id"]}, given)
        assert asked["status"] == "completed"
        assert decided(client, there)
        assert decided(client) == set()
    assert has_task(there)
    assert not (repo / "docs").exists()


@pytest.mark.proves("clarify:repo:discovery")
def test_a_work_tree_a_submodule_and_a_tree_below_a_hidden_folder_get_their_own_files(
    repo: Path, tmp_path: Path
) -> None:
    linked = repo / ".hidden/trees/one"
    git(repo, "worktree", "add", "--quiet", str(linked), "-b", "one")
    git(repo, "submodule", "--quiet", "add", str(repository(tmp_path / "library")), "vendor/library")
    with Clarifier(repo) as client:
        for tree in (linked, repo / "vendor/library"):
            assert client.require(TYPO, repo_path=str(tree))["status"] == "completed"
            assert has_task(tree)
    assert not has_task(repo)
    with Clarifier(linked) as client:
        client.require(TYPO)
        assert not has_task(repo)
        assert client.require(TYPO, repo_path=str(repo))["status"] == "completed"
    assert has_task(repo)


@pytest.mark.proves("clarify:repo:discovery")
def test_neither_an_empty_git_folder_nor_a_git_file_that_leads_nowhere_is_a_repository(tmp_path: Path) -> None:
    (tmp_path / "begun/.git").mkdir(parents=True)
    (tmp_path / "begun/sub").mkdir()
    with Clarifier(tmp_path / "begun/sub") as client:
        assert client.refused("require_clarification", user_intention=TYPO)["code"] == "REPO_NOT_FOUND"
    assert not (tmp_path / "begun/.deedlog").exists()
    (tmp_path / "dangling").mkdir()
    (tmp_path / "dangling/.git").write_text("gitdir: /nowhere/at/all\n")
    with Clarifier(tmp_path / "dangling") as client:
        assert client.refused("require_clarification", user_intention=TYPO)["code"] == "REPO_NOT_FOUND"
        assert client.refused("read_architecture")["code"] == "REPO_NOT_FOUND"


@pytest.mark.proves("clarify:repo:discovery")
def test_every_path_that_is_no_repository_is_refused_alike_and_the_server_goes_on(repo: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", str(tmp_path / "bare.git")], check=True)
    (tmp_path / "plain").mkdir()
    paths = [
        "nowhere",
        "a\0b",
        "x" * 5_000,
        "README.md/x",
        str(tmp_path / "bare.git"),
        str(tmp_path / "plain"),
        "/",
        ".git",
    ]
    with Clarifier(repo) as client:
        for tool in ({"tool": "read_architecture"}, {"tool": "require_clarification", "user_intention": TYPO}):
            for path in paths:
                arguments = {name: value for name, value in tool.items() if name != "tool"}
                error = client.refused(tool["tool"], repo_path=path, **arguments)
                assert error["code"] == "REPO_NOT_FOUND", path
                assert error["details"]["path"]
        assert client.require(TYPO, repo_path="")["status"] == "completed"
        assert client.call("read_architecture", repo_path="README.md")["status"] == "success"
    assert has_task(repo)


@pytest.mark.proves("clarify:facts:tracked")
def test_many_ignored_files_are_not_looked_at_by_a_call(repo: Path) -> None:
    (repo / ".gitignore").write_text("junk/\n")
    (repo / "package.json").write_text('{"dependencies": {"kafkajs": "2"}}')
    git(repo, "add", "--all")
    for number in range(200):
        (repo / f"junk/{number}").mkdir(parents=True)
        (repo / f"junk/{number}/package.json").write_text('{"dependencies": {"amqplib": "1"}}')
    (repo / "junk").chmod(0)
    try:
        with Clarifier(repo, ordinary=True) as client:
            assert client.require(KAFKA)["status"] == "completed"
    finally:
        (repo / "junk").chmod(0o700)
