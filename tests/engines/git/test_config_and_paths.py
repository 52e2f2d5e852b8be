"""Whatever the user's settings of git, the variables around it and the names of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deedlog.core.errors import DeedlogError, Part
from tests.engines.git.repo import KNOWN, Repo, lines

SPECIAL = pytest.mark.proves("track:change:special")
PATHS = pytest.mark.proves("track:change:paths")
ODD = [
    'a"q.ts',
    "new\nline.ts",
    "tab\there.ts",
    "é中.ts",
    "-dash.ts",
    "sp ace.ts ",
    "g*lob?[x].ts",
    ":(top)magic.ts",
    "back\\slash",
    "a/b -> c.ts",
    "'single'.ts",
]


@SPECIAL
@KNOWN
@pytest.mark.parametrize(
    "settings",
    [
        {"status.showUntrackedFiles": "no"},
        {"color.ui": "always"},
        {"color.status": "always", "color.diff": "always", "core.pager": "false"},
        {"diff.ignoreSubmodules": "all", "core.safecrlf": "true", "core.autocrlf": "input"},
        {"status.short": "true", "status.branch": "true", "status.relativePaths": "false"},
        {"core.quotePath": "false", "diff.algorithm": "histogram", "diff.mnemonicPrefix": "true"},
        {"core.untrackedCache": "true", "feature.manyFiles": "true"},
        {"core.checkStat": "minimal", "core.trustctime": "false"},
        {"diff.external": "false", "diff.context": "0", "diff.interHunkContext": "9"},
        {"core.preloadIndex": "false", "index.threads": "1", "index.version": "4"},
        {"core.hooksPath": "nowhere", "core.fsmonitor": "false", "core.commentChar": "%"},
    ],
)
def test_settings_of_the_user_change_nothing(repo: Repo, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        repo.git("config", "--global", name, value)
    with repo.task() as task:
        repo.append("auth.ts")
        repo.write("n.ts")
    assert task.net == {"auth.ts": "M", "n.ts": "A"}
    assert b"--- a/auth.ts\n+++ b/auth.ts\n" in task.patch


@SPECIAL
def test_settings_of_diffs_and_a_caller_in_a_folder_below(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    (repo.path.parent / "order").write_text("src/*\n")
    for name, value in {"noprefix": "true", "relative": "true", "orderFile": "../order"}.items():
        repo.git("config", "--global", f"diff.{name}", value)
    monkeypatch.chdir(repo.path / "src")
    with repo.task() as task:
        repo.append("auth.ts")
        repo.append("src/u.ts")
    assert task.net == {"auth.ts": "M", "src/u.ts": "M"}
    assert b"--- a/auth.ts\n+++ b/auth.ts\n" in task.patch


@SPECIAL
def test_variables_of_git_that_leak_from_a_hook(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    other = repo.beside("other")
    other.commit({"z": "1\n"})
    leaked = {
        "GIT_DIR": other.path / ".git",
        "GIT_WORK_TREE": other.path,
        "GIT_INDEX_FILE": other.path / ".git/index",
        "GIT_OBJECT_DIRECTORY": other.path / ".git/objects",
        "GIT_PREFIX": "src/",
        "GIT_LITERAL_PATHSPECS": "0",
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_CONFIG_PARAMETERS": "'diff.noprefix'='true'",
        "GIT_DIFF_OPTS": "--unified=0",
        "GIT_TRACE": "1",
    }
    for name, value in leaked.items():
        monkeypatch.setenv(name, str(value))
    with repo.task() as task:
        repo.append("auth.ts")
    assert task.net == {"auth.ts": "M"}
    assert b"--- a/auth.ts\n+++ b/auth.ts\n" in task.patch


@SPECIAL
def test_a_watcher_of_files_that_misses_changes(repo: Repo, tmp_path: Path) -> None:
    watcher = tmp_path / "watcher"
    watcher.write_text("#!/bin/sh\nprintf 'token\\0'\n")
    watcher.chmod(0o755)
    repo.git("config", "core.fsmonitor", str(watcher))
    repo.git("update-index", "--fsmonitor")
    repo.git("status")
    with repo.task() as task:
        repo.append("auth.ts")
        repo.write("n.ts")
    assert task.net == {"auth.ts": "M", "n.ts": "A"}


@SPECIAL
@KNOWN
@pytest.mark.parametrize("attributes", ["*.ts -diff\n", "*.ts diff=odd\n", "*.ts binary\n"])
def test_attributes_that_change_how_git_shows_differences(repo: Repo, attributes: str) -> None:
    repo.git("config", "diff.odd.textconv", "false")
    repo.git("config", "diff.odd.command", "false")
    repo.commit({".gitattributes": attributes})
    with repo.task() as task:
        repo.append("auth.ts")
        repo.write("n.ts")
    assert task.net == {"auth.ts": "M", "n.ts": "A"}


@PATHS
def test_odd_names(repo: Repo) -> None:
    for name in ODD:
        repo.write(f"edited/{name}", lines("one"))
        repo.write(f"deleted/{name}", lines("two"))
        repo.write(f"kept/{name}", lines("three"))
    repo.commit()
    with repo.task() as task:
        for name in ODD:
            repo.append(f"edited/{name}")
            repo.delete(f"deleted/{name}")
            repo.write(f"added/{name}", lines("four"))
    assert task.net == {
        **{f"edited/{name}": "M" for name in ODD},
        **{f"deleted/{name}": "D" for name in ODD},
        **{f"added/{name}": "A" for name in ODD},
    }
    assert {task[f"edited/{name}"].added for name in ODD} == {1}
    assert {task[f"added/{name}"].added for name in ODD} == {10}


@PATHS
def test_names_that_are_not_valid_text(repo: Repo) -> None:
    old, new = os.fsdecode(b"caf\xe9.ts"), os.fsdecode(b"\xff\xfe/\xe9.ts")
    repo.commit({old: lines("one")})
    with repo.task() as task:
        repo.append(old)
        repo.write(new)
    assert task.net == {old: "M", new: "A"}


@PATHS
def test_odd_names_already_dirty_before_the_start(repo: Repo) -> None:
    for name in ODD:
        repo.write(f"untracked/{name}", lines("one"))
        repo.write(f"tracked/{name}", lines("two"))
    repo.git("add", "tracked")
    repo.git("commit", "--quiet", "--message=odd")
    for name in ODD:
        repo.append(f"tracked/{name}")
    with repo.task() as task:
        repo.append(f"tracked/{ODD[0]}")
        repo.append(f"untracked/{ODD[1]}")
    assert task.net == {f"tracked/{ODD[0]}": "M", f"untracked/{ODD[1]}": "M"}


@PATHS
def test_a_tree_whose_own_path_is_odd(repo: Repo) -> None:
    odd = repo.beside('o\'d "d" é\n:(x)')
    odd.commit({"auth.ts": lines("auth.ts")})
    with odd.seen().task() as task:
        odd.append("auth.ts")
        odd.write("n.ts")
    assert task.net == {"auth.ts": "M", "n.ts": "A"}


@PATHS
def test_a_tree_reached_through_a_link(repo: Repo) -> None:
    linked = repo.path.parent / "linked"
    linked.symlink_to(repo.path)
    repo.engine.take("start", str(linked))
    repo.append("auth.ts")
    repo.engine.take("end", repo.tree)
    compared = repo.engine.compare(str(linked), ["start", "end"])
    assert [change.path for change in compared.changes] == ["auth.ts"]


@SPECIAL
def test_settings_the_user_breaks_during_the_task_are_refused_and_never_an_empty_result(
    repo: Repo, git_settings: Path
) -> None:

    before = git_settings.read_text()
    repo.engine.take("start", repo.tree)
    repo.append("auth.ts")
    git_settings.write_text("[broken")
    with pytest.raises(DeedlogError) as refused:
        repo.engine.take("end", repo.tree)
    assert refused.value.part is Part.GIT
    git_settings.write_text(before)
    repo.engine.take("end", repo.tree)
    assert [one.path for one in repo.engine.compare(repo.tree, ["start", "end"]).changes] == ["auth.ts"]
