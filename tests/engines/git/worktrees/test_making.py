"""A work tree of its own for a session."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict, Denied, Invalid, NotFound, Part
from tests.engines.git.repo import Engine, Repo
from tests.engines.git.worktrees.sessions import FILES, Place, merge, numbered


def test_a_tree_is_on_a_branch_of_its_own_from_the_tip_of_the_target(place: Place) -> None:
    session = place.make()
    assert session.made.path == str(place.state / "worktrees" / "task-5")
    assert session.git("symbolic-ref", "HEAD").strip() == "refs/heads/task-5-s1"
    assert session.base == session.head() == place.repo.head()
    assert session.on_disk() == {name: f"file {numbered(name)}" for name in FILES}
    assert session.changed() == ""
    assert place.trees.names() == ["task-5"]


def test_the_main_tree_does_not_notice(place: Place) -> None:
    place.repo.append("a.py")
    place.repo.write("new.py")
    place.repo.git("add", "new.py")
    before = place.repo.git("status", "--porcelain=v2", "--branch")
    index = (place.repo.path / ".git" / "index").read_bytes()
    place.make(exclude=("*.env",))
    assert (place.repo.path / ".git" / "index").read_bytes() == index
    assert place.repo.git("status", "--porcelain=v2", "--branch") == before


def test_the_target_is_the_configured_branch_or_the_one_the_main_tree_is_on(place: Place) -> None:
    place.repo.git("branch", "develop")
    assert place.trees.target("") == "main"
    assert place.trees.target("develop") == "develop"
    assert place.trees.target("refs/heads/develop") == "develop"
    place.repo.git("switch", "--quiet", "develop")
    assert place.trees.target("") == "develop"


def test_from_a_linked_tree_the_target_is_still_that_of_the_main_one(place: Place) -> None:
    place.repo.git("worktree", "add", "--quiet", "-b", "other", "../linked")
    assert place.trees.target("") == "main"


@pytest.mark.parametrize("configured", ["nowhere", "origin/main", "a..b", "-x", "HEAD", "x y", "main~1", "x\ny"])
def test_a_configured_branch_that_is_none_is_refused(place: Place, configured: str) -> None:
    with pytest.raises((NotFound, Invalid)) as refused:
        place.trees.target(configured)
    assert refused.value.hint


def test_without_a_branch_the_refusal_is_about_the_configuration(place: Place) -> None:
    place.repo.git("checkout", "--quiet", "--detach")
    with pytest.raises(NotFound) as refused:
        place.trees.target("")
    assert refused.value.part is Part.CONFIGURATION
    assert "base_branch" in refused.value.hint


def test_without_a_commit_the_refusal_is_about_the_configuration(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "empty", Engine(tmp_path, known=False))
    place = Place(repo)
    for ask in (lambda: place.trees.target(""), lambda: place.trees.make("t", "t-s1", "main")):
        with pytest.raises(NotFound) as refused:
            ask()
        assert refused.value.part is Part.CONFIGURATION
    assert place.trees.names() == []


def test_without_git_the_refusal_is_about_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    place = Place(Repo(tmp_path / "plain", Engine(tmp_path, known=False)))
    with pytest.raises(NotFound) as refused:
        place.trees.target("")
    assert refused.value.part is Part.CONFIGURATION


@pytest.mark.proves("worker:tree:own")
def test_a_tree_that_is_there_is_not_taken_over(place: Place) -> None:
    session = place.make()
    session.write("mine.py")
    with pytest.raises(Conflict):
        place.trees.make("task-5", "other", "main")
    assert session.dirty() == ["mine.py"]
    (place.state / "worktrees" / "task-6").mkdir()
    with pytest.raises(Conflict):
        place.trees.make("task-6", "task-6-s1", "main")
    assert place.repo.git("branch", "--list", "other", "task-6-s1") == ""


@pytest.mark.parametrize(("there", "wanted"), [("task-5", "task-5"), ("task", "task/5"), ("task/5/x", "task/5")])
def test_a_branch_that_is_there_is_not_taken_over(place: Place, there: str, wanted: str) -> None:
    place.repo.git("branch", there)
    with pytest.raises(Conflict) as refused:
        place.trees.make("tree", wanted, "main")
    assert "branch_prefix" in refused.value.hint
    assert place.trees.names() == []
    assert place.leftovers() == []


@pytest.mark.parametrize(
    "branch",
    ["", "-b", "a b", "a..b", "a~1", "a^", "a:b", "x.lock", "@{1}", "HEAD", "a\\b", "a?", "*", "[", "a\n", "/x"],
)
def test_a_branch_with_a_name_git_does_not_take_is_refused(place: Place, branch: str) -> None:
    with pytest.raises(Invalid):
        place.trees.make("tree", branch, "main")
    assert place.trees.names() == []


@pytest.mark.parametrize("branch", ["a;rm -rf x", "$(id)", "`id`", "é/中", "a'b", 'a"b', "a|b", "%s", "refs/heads/x"])
def test_a_branch_with_an_odd_name_is_just_a_branch(place: Place, branch: str) -> None:
    if " " in branch:
        with pytest.raises(Invalid):
            place.trees.make("tree", branch, "main")
        return
    made = place.trees.make("tree", branch, "main")
    place.repo.write("x.py")
    assert Repo(Path(made.path), place.repo.engine).git("symbolic-ref", "HEAD").strip() == f"refs/heads/{branch}"
    (Path(made.path) / "n.py").write_text("n\n")
    place.trees.commit(made.path, "n")
    assert merge(place.trees, branch, made.base, "main", "merge", "m").how == "merge"
    place.trees.remove(made.path, branch)
    assert place.repo.git("for-each-ref", "--format=%(refname)", "refs/heads").split() == ["refs/heads/main"]


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", ".hidden", "-x", "a\n", "é", "x" * 300])
def test_a_tree_with_a_name_that_leads_elsewhere_is_refused(place: Place, name: str) -> None:
    with pytest.raises(Invalid):
        place.trees.make(name, "task-s1", "main")


def test_only_trees_of_sessions_are_touched(place: Place) -> None:
    for path in (place.repo.tree, str(place.state), str(place.state / "worktrees"), "/", "/tmp/x"):
        for act in (
            lambda path=path: place.trees.remove(path, "main"),
            lambda path=path: place.trees.put(path, {"x": "y"}),
            lambda path=path: place.trees.commit(path, "x"),
            lambda path=path: place.trees.keep(path, "x"),
            lambda path=path: place.trees.state(path, "HEAD"),
        ):
            with pytest.raises(Denied):
                act()


def test_hooks_do_not_run(place: Place, tmp_path: Path) -> None:
    for name in ("post-checkout", "pre-commit", "commit-msg", "post-commit", "post-merge", "reference-transaction"):
        hook = place.repo.path / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran-{name}'\nexit 1\n")
        hook.chmod(0o755)
    session = place.make()
    session.write("new.py")
    place.trees.commit(session.tree, "new")
    merge(place.trees, session.branch, session.base, "main", "merge", "m")
    session.remove()
    assert list(tmp_path.glob("ran-*")) == []
    assert "new.py" in place.files()


def test_a_shallow_clone_can_have_sessions(place: Place) -> None:
    place.repo.commit({"more.py": "1\n"})
    place.repo.git("clone", "--quiet", "--depth=1", f"file://{place.repo.tree}", "../shallow")
    shallow = Place(Repo(place.repo.path.parent / "shallow", place.repo.engine))
    session = shallow.make()
    session.commit({"n.py": "1\n"})
    assert merge(shallow.trees, session.branch, session.base, "main", "rebase", "").how == "rebase"
    assert session.how_merged() == "merge"


def test_a_partial_clone_fetches_what_a_tree_needs(place: Place) -> None:
    place.repo.git("config", "uploadpack.allowFilter", "true")
    place.repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    place.repo.git("switch", "--quiet", "--create", "other")
    place.repo.commit({"only-there.py": "1\n"})
    place.repo.git("switch", "--quiet", "main")
    url = f"file://{place.repo.tree}"
    place.repo.git("clone", "--quiet", "--filter=blob:none", "--branch=main", url, "../partial")
    partial = Place(Repo(place.repo.path.parent / "partial", place.repo.engine))
    partial.repo.git("branch", "other", "origin/other")
    session = partial.make(target="other")
    assert session.read("only-there.py") == b"1\n"


def test_other_hashes_are_as_good(tmp_path: Path) -> None:
    place = Place.init(tmp_path / "other", "--object-format=sha256")
    session = place.make(exclude=("*.env",))
    session.commit({"n.py": "1\n"})
    session.append("a.py")
    session.git("add", "a.py")
    before = session.changed(), session.on_disk()
    kept = place.trees.keep(session.tree, "task-5")
    session.remove()
    place.trees.restore("task-5", session.branch, kept)
    assert (session.changed(), session.on_disk()) == before
    place.repo.commit({"m.py": "1\n"})
    assert merge(place.trees, session.branch, session.base, "main", "rebase", "").how == "rebase"
    assert session.how_merged() == "rebase"


def test_a_bare_repository_with_a_linked_tree_can_have_sessions(place: Place) -> None:
    place.repo.git("clone", "--quiet", "--bare", place.repo.tree, "../bare.git")
    bare = Repo(place.repo.path.parent / "bare.git", place.repo.engine)
    bare.git("worktree", "add", "--quiet", "../linked", "main")
    linked = Place(Repo(place.repo.path.parent / "linked", place.repo.engine))
    assert linked.trees.target("") == "main"
    session = linked.make(exclude=("*.env",))
    assert ".env" not in session.on_disk()
    assert bare.git("rev-parse", "--is-bare-repository").strip() == "true"
    assert session.changed() == linked.repo.git("status", "--porcelain") == ""
    session.commit({"n.py": "1\n"})
    assert merge(linked.trees, session.branch, session.base, "main", "squash", "s").how == "squash"
    assert linked.repo.read("n.py") == b"1\n"
    assert linked.repo.git("status", "--porcelain") == ""
    session.remove()
    assert bare.git("worktree", "list", "--porcelain").count("worktree ") == 2


def test_a_bare_repository_around_its_trees_can_have_sessions(place: Place) -> None:
    around = place.repo.path.parent / "around"
    around.mkdir()
    place.repo.git("clone", "--quiet", "--bare", place.repo.tree, str(around / ".git"))
    outer = Place(Repo(around, place.repo.engine))
    session = outer.make(exclude=("*.env",))
    session.commit({"n.py": "1\n"})
    assert merge(outer.trees, session.branch, session.base, "main", "merge", "m").how == "merge"
    assert session.how_merged() == "merge"
    assert outer.repo.git("rev-parse", "--is-bare-repository").strip() == "true"


def test_a_submodule_as_project_can_have_sessions(place: Place) -> None:
    outer = place.repo.beside("outer")
    outer.git("submodule", "--quiet", "add", place.repo.tree, "inner")
    outer.commit()
    inner = Place(Repo(outer.path / "inner", place.repo.engine))
    session = inner.make(exclude=("*.env",))
    session.commit({"n.py": "1\n"})
    assert ".env" not in session.on_disk()
    assert merge(inner.trees, session.branch, session.base, "main", "merge", "m").how == "merge"
    assert inner.repo.read("n.py") == b"1\n"
    assert inner.repo.git("status", "--porcelain") == ""


def test_submodules_are_empty_in_it_and_it_says_so(place: Place) -> None:
    other = place.repo.beside("other")
    other.commit({"o.c": "1\n"})
    place.repo.git("submodule", "--quiet", "add", other.tree, "module")
    place.repo.commit()
    session = place.make()
    assert any("submodule" in text for text in session.made.warnings)
    assert session.changed() == ""
    session.git("submodule", "--quiet", "update", "--init")
    session.remove()
    assert place.leftovers() == []


def test_filters_of_the_user_make_the_files(place: Place, git_settings: Path) -> None:
    with git_settings.open("a") as file:
        file.write('[filter "up"]\nclean = tr A-Z a-z\nsmudge = tr a-z A-Z\nrequired = true\n')
    place.repo.commit({".gitattributes": "*.up filter=up\n", "x.up": "SHOUT\n"})
    session = place.make()
    assert session.read("x.up") == b"SHOUT\n"
    assert session.changed() == ""


def test_a_filter_that_does_not_run_leaves_files_as_git_has_them(place: Place, git_settings: Path) -> None:
    place.repo.commit({".gitattributes": "*.up filter=up\n", "x.up": "stored\n"})
    with git_settings.open("a") as file:
        file.write('[filter "up"]\nclean = false\nsmudge = false\nrequired = true\n')
    session = place.make()
    assert session.read("x.up") == b"stored\n"
    assert any("filter" in text for text in session.made.warnings)


def test_a_monitor_of_files_is_left_alone(place: Place, tmp_path: Path) -> None:
    monitor = tmp_path / "monitor"
    monitor.write_text(f"#!/bin/sh\ntouch '{tmp_path}/asked'\nprintf '/\\0'\n")
    monitor.chmod(0o755)
    place.repo.git("config", "core.fsmonitor", str(monitor))
    session = place.make()
    (tmp_path / "asked").unlink(missing_ok=True)
    session.write("n.py")
    assert session.dirty() == ["n.py"]
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize("mode", ["--cone", "--no-cone"])
def test_what_the_main_tree_leaves_out_a_session_leaves_out_too(place: Place, mode: str) -> None:
    place.repo.git("sparse-checkout", "set", mode, "src" if mode == "--cone" else "/src/")
    for exclude in ((), ("*.env",)):
        session = place.make(f"task-{len(exclude)}", exclude=exclude)
        wanted = {str(path.relative_to(place.repo.path)) for path in (place.repo.path / "src").rglob("*")}
        if mode == "--cone":
            wanted |= {name for name in FILES if "/" not in name}
        wanted = {name for name in wanted if not (exclude and name.endswith(".env"))}
        assert set(session.on_disk()) == wanted
        assert session.changed() == ""
    assert place.repo.git("status", "--porcelain") == ""


def test_variables_of_a_git_that_started_us_do_not_lead_astray(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, "/nowhere")
    assert place.make().dirty() == []


def test_several_are_made_at_the_same_time(place: Place) -> None:
    code = "import sys; from deedlog.git.worktrees import GitWorktrees as W; root, state, name = sys.argv[1:]; "
    code += "W(root, state).make(name, name + '-s1', 'main', ['*.env'])"
    words = [sys.executable, "-c", code, place.repo.tree, str(place.state)]
    started = [subprocess.Popen([*words, f"t{number}"], stderr=subprocess.PIPE) for number in range(6)]
    assert [process.communicate()[1] for process in started] == [b""] * 6
    assert place.trees.names() == [f"t{number}" for number in range(6)]
    assert place.leftovers() == []
