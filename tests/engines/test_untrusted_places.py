"""Folders that a clone, an archive or another user prepared: Deedlog neither adopts nor writes what they bring."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from deedlog import bootstrap, project
from deedlog.app import App
from deedlog.core.errors import Denied, NotFound
from deedlog.settings import Settings, load
from deedlog.testing import caller
from deedlog.token import token
from deedlog.trust import Trusted

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
NOBODY = 65534


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def prepared(folder: Path, environment: dict[str, str], memory: str = "") -> App:
    """A project without git that has a store."""
    folder.mkdir(parents=True, exist_ok=True)
    project.make_folder(str(folder))
    app = bootstrap.build(load(str(folder), environment))
    app.call("start_workflow", {"name": memory or "ours"}, caller())
    token(load(str(folder), environment))
    return app


def workflows(settings: Settings) -> list[str]:
    app = bootstrap.build(settings)
    return [row["name"] for row in app.call("workflow_list", {}, caller())["workflows"]]


@pytest.mark.proves("trust:store:nested")
def test_a_store_in_a_subfolder_of_a_clone_is_never_adopted(repo: Path, environment: dict[str, str]) -> None:
    elsewhere = {"HOME": str(repo.parent / "attacker")}
    prepared(repo.parent / "evil", elsewhere, "theirs").close()
    shutil.copytree(repo.parent / "evil/.deedlog", repo / "pkg/.deedlog")
    found = load(str(repo / "pkg"), environment)
    assert found.the_project().root == str(repo)
    assert found.the_project().store == str(repo / ".git/deedlog")
    assert token(found) != (repo / "pkg/.deedlog/store/token").read_text().strip()
    assert workflows(found) == []
    assert any(str(repo / "pkg/.deedlog/store") in note for note in found.notes)


@pytest.mark.proves("trust:store:unpacked")
def test_a_store_that_came_with_an_archive_is_refused_until_a_person_approves_it(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    prepared(tmp_path / "evil", {"HOME": str(tmp_path / "attacker")}, "theirs").close()
    shutil.copytree(tmp_path / "evil", tmp_path / "mine")
    found = load(str(tmp_path / "mine"), environment)
    with pytest.raises(Denied, match="does not know the store") as refused:
        found.the_project()
    assert "deedlog trust approve store-" in refused.value.hint
    app = bootstrap.build(found)
    with pytest.raises(Denied, match="does not know the store"):
        app.call("workflow_list", {}, caller())
    (item,) = app.call("trust_list", {}, caller())["items"]
    assert (item["kind"], item["state"]) == ("store", "waiting")
    app.call("trust_approve", {"ids": [item["id"]]}, caller())
    assert [row["name"] for row in app.call("workflow_list", {}, caller())["workflows"]] == ["theirs"]
    assert load(str(tmp_path / "mine"), environment).the_project().root == str(tmp_path / "mine")


@pytest.mark.proves("trust:store:unpacked")
def test_a_store_of_an_earlier_version_opens_after_one_approval(tmp_path: Path, environment: dict[str, str]) -> None:
    prepared(tmp_path / "old", environment, "kept").close()
    (tmp_path / "home/.config/deedlog/trusted.json").unlink()
    (tmp_path / "old/.deedlog/store/made-here").unlink()
    app = bootstrap.build(load(str(tmp_path / "old"), environment))
    (item,) = app.call("trust_list", {}, caller())["items"]
    app.call("trust_approve", {"ids": [item["id"]]}, caller())
    assert workflows(load(str(tmp_path / "old"), environment)) == ["kept"]


@pytest.mark.proves("trust:store:unpacked")
def test_another_store_in_the_place_of_a_known_one_is_refused(tmp_path: Path, environment: dict[str, str]) -> None:
    prepared(tmp_path / "mine", environment).close()
    prepared(tmp_path / "evil", {"HOME": str(tmp_path / "attacker")}).close()
    shutil.rmtree(tmp_path / "mine")
    shutil.copytree(tmp_path / "evil", tmp_path / "mine")
    with pytest.raises(Denied, match="does not know the store"):
        load(str(tmp_path / "mine"), environment).the_project()


@pytest.mark.proves("trust:store:unpacked")
def test_a_repository_that_was_unpacked_with_a_store_beside_its_files_is_asked_about(
    repo: Path, environment: dict[str, str]
) -> None:
    prepared(repo.parent / "evil", {"HOME": str(repo.parent / "attacker")}).close()
    shutil.copytree(repo.parent / "evil/.deedlog", repo / ".deedlog")
    with pytest.raises(Denied, match="does not know the store"):
        load(str(repo), environment).the_project()
    assert load(str(repo), {**environment, "DEEDLOG_STORE": str(repo / ".git/deedlog")}).project is not None


def test_whoever_makes_a_store_second_finds_the_first_one_known(tmp_path: Path) -> None:
    (tmp_path / ".deedlog").mkdir()
    store = str(tmp_path / ".deedlog/store")
    for _ in range(2):
        Trusted(str(tmp_path / "own")).make_store(store)
        assert Trusted(str(tmp_path / "own")).knows_store(store)
    assert os.listdir(tmp_path / ".deedlog") == ["store"]
    assert os.stat(store).st_mode & 0o777 == 0o700
    assert (tmp_path / "own/trusted.json").stat().st_mode & 0o777 == 0o600


def tree_of(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


@pytest.mark.proves("trust:links")
@pytest.mark.parametrize("link", ["", "logs", "config.toml", "worktrees", "exports", "logs/errors.log", "store"])
def test_a_link_in_the_project_s_folder_that_leads_out_of_it_is_refused(
    repo: Path, environment: dict[str, str], link: str
) -> None:
    outside = repo.parent / "outside"
    outside.mkdir()
    (repo / ".deedlog" / link).parent.mkdir(parents=True, exist_ok=True)
    (repo / ".deedlog" / link if link else repo / ".deedlog").symlink_to(outside)
    before = tree_of(outside), tree_of(repo / ".git")
    found = load(str(repo), environment)
    with pytest.raises(Denied, match="is a link that leads out"):
        found.the_project()
    with pytest.raises(Denied, match="is a link that leads out"):
        bootstrap.build(found).call("start_workflow", {"name": "x"}, caller())
    bootstrap.report(found, ValueError("boom"))
    assert (tree_of(outside), tree_of(repo / ".git")) == before


def test_a_link_that_stays_in_the_project_s_folder_is_fine(repo: Path, environment: dict[str, str]) -> None:
    (repo / ".deedlog/logs").mkdir(parents=True)
    (repo / ".deedlog/exports").symlink_to("logs")
    assert load(str(repo), environment).project is not None


@pytest.mark.proves("project:find:as-git")
@pytest.mark.parametrize("broken", ["", "HEAD", "objects"])
def test_a_git_folder_that_is_no_repository_is_passed_by_as_git_does(
    tmp_path: Path, environment: dict[str, str], broken: str
) -> None:
    (tmp_path / "parent/.git" / broken).mkdir(parents=True)
    (tmp_path / "parent/below").mkdir()
    words = ["git", "-C", str(tmp_path / "parent/below"), "rev-parse", "--show-toplevel"]
    assert subprocess.run(words, check=False, capture_output=True).returncode != 0, "git finds none either"
    with pytest.raises(NotFound, match="not in a project"):
        load(str(tmp_path / "parent/below"), environment).the_project()


@pytest.mark.proves("project:find:as-git")
def test_climbing_goes_on_past_an_empty_git_folder(repo: Path, environment: dict[str, str]) -> None:
    (repo / "inner/.git").mkdir(parents=True)
    (repo / "inner/deep").mkdir()
    assert load(str(repo / "inner/deep"), environment).the_project().root == str(repo)


@AS_ROOT
@pytest.mark.proves("store:place:foreign")
@pytest.mark.parametrize("part", [".git", ".", ".deedlog"])
def test_a_repository_above_that_another_user_owns_is_not_adopted(
    repo: Path, environment: dict[str, str], part: str
) -> None:
    (repo / "below").mkdir()
    (repo / ".deedlog").mkdir()
    (repo / ".deedlog/config.toml").write_text("lease = 1\n")
    os.chown(repo / part, NOBODY, -1)
    found = load(str(repo / "below"), environment)
    with pytest.raises(Denied, match="belongs to another user"):
        found.the_project()
    assert found["lease"] == 900, "its settings do not count either"


def test_the_store_that_a_token_is_made_in_is_known_too(tmp_path: Path, environment: dict[str, str]) -> None:
    project.make_folder(str(tmp_path))
    made = token(load(str(tmp_path), environment))
    assert token(load(str(tmp_path), environment)) == made
