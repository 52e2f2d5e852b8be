"""Trees inside the tree, trees of which only a part is there, and files git ignores."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.engines.git.repo import Engine, Repo, lines

pytestmark = pytest.mark.proves("track:change:special")


@pytest.fixture
def lib(repo: Repo) -> Repo:
    """A submodule `lib` of the repository."""
    source = repo.beside("source")
    source.commit({"lib.c": lines("lib"), "lib.h": lines("header")})
    repo.git("submodule", "--quiet", "add", "../source", "lib")
    repo.commit()
    return Repo(repo.path / "lib", repo.engine)


def nested(repo: Repo, *, commits: bool) -> Repo:
    """An independent repository inside, which the outer one does not track."""
    (repo.path / "vendor").mkdir()
    inner = Repo.init(repo.path / "vendor/x", repo.engine)
    inner.write("n.c", lines("n"))
    if commits:
        inner.commit()
    return inner


def test_a_file_edited_in_a_submodule(repo: Repo, lib: Repo) -> None:
    with repo.task() as task:
        lib.append("lib.c")
    assert task.net == task.own == {"lib/lib.c": "M"}


def test_a_commit_and_a_new_file_in_a_submodule(repo: Repo, lib: Repo) -> None:
    with repo.task() as task:
        lib.commit({"lib.c": lines("other")})
        lib.write("new.c")
    assert task.net == {"lib": "M", "lib/lib.c": "M", "lib/new.c": "A"}


def test_a_commit_in_a_submodule_that_the_outer_repository_commits_too(repo: Repo, lib: Repo) -> None:
    with repo.task() as task:
        lib.commit({"lib.c": lines("other")})
        repo.commit()
    assert task.net == {"lib": "M", "lib/lib.c": "M"}


def test_a_submodule_dirty_before_the_start(repo: Repo, lib: Repo) -> None:
    lib.append("lib.c")
    lib.write("new.c")
    with repo.task() as task:
        repo.append("auth.ts")
    assert task.net == {"auth.ts": "M"}


def test_a_submodule_dirty_before_the_start_and_cleaned_by_the_task(repo: Repo, lib: Repo) -> None:
    lib.append("lib.c")
    lib.write("new.c")
    with repo.task() as task:
        lib.git("checkout", "--", "lib.c")
        lib.delete("new.c")
    assert task.net == {"lib/lib.c": "M", "lib/new.c": "D"}


def test_a_submodule_that_others_moved_on(repo: Repo, lib: Repo) -> None:
    other = repo.clone("other")
    other.git("submodule", "--quiet", "update", "--init")
    Repo(other.path / "lib", repo.engine).commit({"lib.c": lines("other")})
    other.commit()
    with repo.task() as task:
        repo.git("pull", "--quiet", "--no-recurse-submodules", "origin", "main")
        lib.git("fetch", "--quiet", "../../other/lib")
        repo.git("submodule", "--quiet", "update")
        lib.write("new.c")
    assert task.net == {"lib": "M", "lib/lib.c": "M", "lib/new.c": "A"}
    assert task.own == {"lib/new.c": "A"}


def test_a_submodule_that_was_never_checked_out(repo: Repo, lib: Repo) -> None:
    repo.git("clone", "--quiet", repo.tree, "../bare-bones")
    bones = Repo(repo.path.parent / "bare-bones", repo.engine).seen()
    with bones.task() as task:
        bones.append("auth.ts")
    assert task.net == {"auth.ts": "M"}


def test_a_submodule_in_a_submodule(repo: Repo, lib: Repo) -> None:
    deeper = repo.beside("deeper")
    deeper.commit({"deep.c": lines("deep")})
    lib.git("submodule", "--quiet", "add", deeper.tree, "deep")
    lib.commit()
    repo.commit()
    with repo.task() as task:
        repo.append("lib/deep/deep.c")
        repo.write("lib/deep/new.c")
    assert task.net == {"lib/deep/deep.c": "M", "lib/deep/new.c": "A"}


def test_a_submodule_taken_away(repo: Repo, lib: Repo) -> None:
    with repo.task() as task:
        repo.git("rm", "--quiet", "lib")
    assert {".gitmodules": "M", "lib": "D"}.items() <= task.net.items()


def test_a_submodule_that_the_user_has_git_ignore(repo: Repo, lib: Repo) -> None:
    repo.git("config", "submodule.lib.ignore", "all")
    repo.git("config", "diff.ignoreSubmodules", "all")
    with repo.task() as task:
        lib.append("lib.c")
    assert task.net == {"lib/lib.c": "M"}


def test_a_submodule_added_during_the_task(repo: Repo) -> None:
    source = repo.beside("source")
    source.commit({"lib.c": lines("lib")})
    with repo.task() as task:
        repo.git("submodule", "--quiet", "add", "../source", "lib")
    assert {".gitmodules": "A", "lib": "A"}.items() <= task.net.items()


@pytest.mark.parametrize("commits", [True, False])
def test_an_edit_in_an_independent_repository_inside(repo: Repo, *, commits: bool) -> None:
    inner = nested(repo, commits=commits)
    with repo.task() as task:
        inner.append("n.c")
        repo.append("auth.ts")
    assert task.net == task.own == {"vendor/x/n.c": "M", "auth.ts": "M"}


def test_commits_in_an_independent_repository_inside(repo: Repo) -> None:
    inner = nested(repo, commits=True)
    inner.append("n.c")
    with repo.task() as task:
        inner.commit({"m.c": "1\n"})
        inner.write("o.c")
    assert task.net == {"vendor/x/m.c": "A", "vendor/x/o.c": "A"}


def test_an_independent_repository_made_during_the_task(repo: Repo) -> None:
    with repo.task() as task:
        nested(repo, commits=True)
    assert task.net == {"vendor/x/n.c": "A"}


def test_an_independent_repository_deleted_during_the_task(repo: Repo) -> None:
    nested(repo, commits=True)
    with repo.task() as task:
        repo.git("clean", "-ffdq")
    assert task.net == {"vendor/x/n.c": "D"}


def test_a_folder_that_becomes_a_repository_has_not_changed(repo: Repo) -> None:
    repo.write("vendor/x/n.c", lines("n"))
    with repo.task() as task:
        inner = Repo(repo.path / "vendor/x", repo.engine)
        inner.git("init", "--quiet")
        inner.commit()
    assert task.net == {}


@pytest.mark.parametrize("commits", [True, False])
def test_a_repository_that_becomes_a_folder_has_not_changed(repo: Repo, *, commits: bool) -> None:
    inner = nested(repo, commits=commits)
    inner.write("untracked.c")
    with repo.task() as task:
        (inner.path / ".git").rename(repo.path.parent / "taken-away")
        inner.write("new.c")
    assert task.net == {"vendor/x/new.c": "A"}


def test_a_repository_that_becomes_a_folder_and_is_edited(repo: Repo) -> None:
    inner = nested(repo, commits=True)
    with repo.task() as task:
        (inner.path / ".git").rename(repo.path.parent / "taken-away")
        repo.commit()
        inner.append("n.c")
    assert task.net == {"vendor/x/n.c": "M"}


@pytest.mark.parametrize("tracked", [True, False])
def test_a_folder_that_becomes_a_repository_and_is_edited(repo: Repo, *, tracked: bool) -> None:
    for name in ("kept.c", "edited.c", "deleted.c"):
        repo.write(f"vendor/x/{name}", lines(name))
    if tracked:
        repo.commit()
    with repo.task() as task:
        inner = Repo(repo.path / "vendor/x", repo.engine)
        inner.git("init", "--quiet")
        inner.commit()
        inner.append("edited.c")
        inner.delete("deleted.c")
        inner.write("new.c")
    assert task.net == {"vendor/x/edited.c": "M", "vendor/x/deleted.c": "D", "vendor/x/new.c": "A"}


def test_work_trees_of_other_tasks_inside_the_tree_are_not_reported(repo: Repo) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "task-4", ".agents/worktrees/task-4")
    with repo.task() as task:
        repo.git("worktree", "add", "--quiet", "-b", "task-5", ".agents/worktrees/task-5")
        for name in ("task-4", "task-5"):
            Repo(repo.path / ".agents/worktrees" / name, repo.engine).commit({"auth.ts": name, "n.ts": "1\n"})
        repo.append("database.ts")
    assert task.net == {"database.ts": "M"}


@pytest.fixture
def sparse(repo: Repo) -> Repo:
    """Of `src` and `docs` only `src` is in the tree."""
    repo.commit({"docs/guide.md": lines("guide")})
    repo.git("sparse-checkout", "set", "--cone", "src")
    assert not (repo.path / "docs").exists()
    return repo


def test_files_outside_a_sparse_checkout_are_absent_not_deleted(sparse: Repo) -> None:
    with sparse.task() as task:
        sparse.write("src/n.ts")
        sparse.commit({"src/u.ts": lines("other")})
    assert task.net == task.own == {"src/n.ts": "A", "src/u.ts": "M"}


def test_a_file_written_outside_a_sparse_checkout(sparse: Repo) -> None:
    with sparse.task() as task:
        sparse.write("docs/new.md")
    assert task.net == {"docs/new.md": "A"}


def test_a_file_outside_a_sparse_checkout_that_comes_back_changed(sparse: Repo) -> None:
    with sparse.task() as task:
        sparse.write("docs/guide.md", "other\n")
    assert task.net == {"docs/guide.md": "M"}


@pytest.mark.parametrize(
    ("before", "during"), [(["set", "--cone", "src"], ["disable"]), (["disable"], ["set", "--cone", "src"])]
)
def test_widening_or_narrowing_a_sparse_checkout_changes_nothing(
    sparse: Repo, before: list[str], during: list[str]
) -> None:
    sparse.git("sparse-checkout", *before)
    with sparse.task() as task:
        sparse.git("sparse-checkout", *during)
        sparse.append("src/u.ts")
    assert task.net == {"src/u.ts": "M"}


def test_a_file_outside_a_sparse_checkout_that_the_task_removes_from_the_repository(sparse: Repo) -> None:
    with sparse.task() as task:
        sparse.git("rm", "--quiet", "--cached", "--sparse", "docs/guide.md")
        sparse.git("commit", "--quiet", "--message=gone")
    assert task.net == {"docs/guide.md": "D"}


def test_a_sparse_index(sparse: Repo) -> None:
    sparse.git("sparse-checkout", "init", "--cone", "--sparse-index")
    with sparse.task() as task:
        sparse.append("src/u.ts")
        sparse.write("docs/new.md")
    assert task.net == {"src/u.ts": "M", "docs/new.md": "A"}


def ignoring(repo: Repo, *rules: str) -> None:
    repo.commit({".gitignore": "".join(f"{rule}\n" for rule in rules)})


def test_an_ignored_file_that_is_watched(repo: Repo) -> None:
    ignoring(repo, ".env*")
    watching = Engine(repo.engine.place, known=repo.engine.known, watch_ignored=[".env", "config/.env.*"])
    watched = Repo(repo.path, watching).seen()
    watched.write(".env", "TOKEN=before\n")
    watched.write("config/.env.local", "TOKEN=before\n")
    with watched.task() as task:
        watched.write(".env", "TOKEN=during\n")
        watched.write("config/.env.test", "TOKEN=during\n")
        watched.delete("config/.env.local")
        watched.write(".env.other", "TOKEN=during\n")
    assert task.net == {".env": "M", "config/.env.test": "A", "config/.env.local": "D"}
    assert b"TOKEN" not in task.patch


def test_an_ignored_file_is_not_reported_otherwise(repo: Repo) -> None:
    ignoring(repo, ".env", "build/")
    repo.write(".env")
    with repo.task() as task:
        repo.append(".env")
        repo.write("build/out.o")
    assert task.net == {}


def test_a_new_file_the_task_has_ignored_is_not_reported(repo: Repo) -> None:
    with repo.task() as task:
        repo.write("n.log")
        repo.write(".gitignore", "*.log\n")
    assert task.net == {".gitignore": "A"}


def test_an_old_file_that_is_no_longer_ignored_is_not_new(repo: Repo) -> None:
    ignoring(repo, "*.log", "build/")
    repo.write("n.log")
    repo.write("build/out.o")
    with repo.task() as task:
        repo.write(".gitignore", "")
    assert task.net == {".gitignore": "M"}


def test_a_file_of_the_task_that_is_no_longer_ignored_is_new(repo: Repo) -> None:
    ignoring(repo, "*.log")
    with repo.task() as task:
        repo.write("n.log")
        repo.write(".gitignore", "")
    assert task.net == {".gitignore": "M", "n.log": "A"}


def test_an_ignored_folder_that_gets_a_visible_name_is_new(repo: Repo) -> None:
    ignoring(repo, "build/")
    repo.write("build/out.o")
    with repo.task() as task:
        repo.rename("build", "dist")
    assert task.net == {"dist/out.o": "A"}


def test_a_folder_moved_in_while_rules_change_is_new_although_its_files_are_old(repo: Repo) -> None:
    ignoring(repo, "*.log", "build/")
    elsewhere = repo.beside("elsewhere")
    elsewhere.write("made/one.ts")
    repo.write("old.log")
    with repo.task() as task:
        (elsewhere.path / "made").rename(repo.path / "made")
        repo.write(".gitignore", "build/\n")
    assert task.net == {".gitignore": "M", "made/one.ts": "A"}


def test_an_old_ignored_file_that_the_task_merely_tracks_has_not_changed(repo: Repo) -> None:
    ignoring(repo, "*.log")
    repo.write("old.log")
    with repo.task() as task:
        repo.git("add", "--force", "old.log")
    assert task.net == {}


@pytest.mark.parametrize("where", ["info/exclude", "excludesFile"])
def test_an_old_file_that_rules_outside_the_tree_no_longer_hide_is_not_new(repo: Repo, where: str) -> None:
    rules = repo.path / ".git/info/exclude" if where == "info/exclude" else repo.path.parent / "excludes"
    rules.write_text("*.log\n")
    if where == "excludesFile":
        repo.git("config", "--global", "core.excludesFile", str(rules))
    repo.write("old.log")
    with repo.task() as task:
        rules.write_text("*.txt\n")
        repo.write("new.log")
    assert task.net == {"new.log": "A"}


def test_an_untracked_file_of_before_that_becomes_ignored_is_not_deleted(repo: Repo) -> None:
    repo.write("kept.log")
    repo.write("edited.log")
    repo.write("gone.log")
    with repo.task() as task:
        repo.write(".gitignore", "*.log\n")
        repo.append("edited.log")
        repo.delete("gone.log")
    assert task.net == {".gitignore": "A", "edited.log": "M", "gone.log": "D"}


def force_and_commit(repo: Repo) -> None:
    repo.git("add", "--force", "kept.log")
    repo.git("commit", "--quiet", "--message=forced")


@pytest.mark.parametrize("track", [force_and_commit, lambda repo: repo.git("add", "--force", "kept.log")])
def test_a_file_tracked_although_ignored(repo: Repo, track: Callable[[Repo], object]) -> None:
    ignoring(repo, "*.log")
    repo.write("kept.log")
    track(repo)
    with repo.task() as task:
        repo.append("kept.log")
    assert task.net == {"kept.log": "M"}


@pytest.mark.parametrize("track", [force_and_commit, lambda repo: repo.git("add", "--force", "kept.log")])
def test_an_ignored_file_that_the_task_writes_and_tracks(repo: Repo, track: Callable[[Repo], object]) -> None:
    ignoring(repo, "*.log")
    with repo.task() as task:
        repo.write("kept.log")
        track(repo)
    assert task.net == {"kept.log": "A"}


def test_an_ignored_file_tracked_only_before_the_start_is_ignored_again(repo: Repo) -> None:
    """Private state may still list it."""
    ignoring(repo, "*.log")
    repo.write("kept.log")
    repo.git("add", "--force", "kept.log")
    with repo.task("earlier-still"):
        repo.append("auth.ts")
    repo.git("reset", "--quiet", "--", "kept.log")
    with repo.task() as task:
        repo.append("kept.log")
    assert task.net == {}


def test_an_ignored_file_in_conflict_is_shown(repo: Repo) -> None:
    ignoring(repo, "*.log")
    repo.git("switch", "--quiet", "--create", "feature")
    repo.write("kept.log", lines("kept"))
    force_and_commit(repo)
    repo.git("switch", "--quiet", "main")
    with repo.task() as task:
        repo.git("switch", "--quiet", "feature")
        repo.append("kept.log")
        repo.git("checkout", "--quiet", "--merge", "main")
    assert task.net == {"kept.log": "A"}


def test_a_tracked_file_that_the_task_leaves_to_be_ignored_is_deleted_for_others_only(repo: Repo) -> None:
    with repo.task() as task:
        repo.git("rm", "--quiet", "--cached", "auth.ts")
        repo.commit({".gitignore": "auth.ts\n"})
    assert task.net == {".gitignore": "A", "auth.ts": "D"}
    assert (task[".gitignore"].place, task["auth.ts"].place) == ("", "HEAD")
