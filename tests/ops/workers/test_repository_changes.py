"""Direct changes of the user's repository by a worker that no sandbox holds are found and reported."""

from __future__ import annotations

import pytest

from tests.ops.workers.conftest import Shop

pytestmark = pytest.mark.proves("worker:unheld:reported")


@pytest.fixture
def unheld(shop: Shop) -> Shop:
    """A machine that has no sandbox."""
    shop.enforce("none")
    return shop


def test_refs_settings_and_hooks_that_changed_are_listed_and_asked_about(unheld: Shop) -> None:
    git = f"{unheld.repo}/.git"
    row = unheld.ended(
        "write a.txt one",
        "commit work",
        f"git --git-dir={git} update-ref refs/heads/main HEAD",
        f"git --git-dir={git} branch evil main",
        f"git --git-dir={git} config core.fsmonitor evil",
        f"write {git}/hooks/pre-commit x",
        f"write {git}/info/attributes x",
    )
    session = unheld.session(row["sessionId"])
    assert session.enforcement == "none"
    named = [change["what"] for change in session.repository_changes]
    assert named == ["config core.fsmonitor", "hooks/pre-commit", "info/attributes", "refs/heads/evil"]
    shown = unheld.call("session_get", sessionId=row["sessionId"])
    assert [change["what"] for change in shown["repositoryChanges"]] == named
    assert any("changed directly" in text for text in shown["verification"]["warnings"])
    assert "repository" in unheld.reviews()


def test_a_moved_branch_is_listed(unheld: Shop) -> None:
    git = f"{unheld.repo}/.git"
    before = unheld.git("rev-parse", "main")
    row = unheld.ended(f"write {git}/refs/heads/main {'0' * 39}1")
    [change] = unheld.session(row["sessionId"]).repository_changes
    assert (change["what"], change["before"]) == ("refs/heads/main", before)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("git --git-dir={git} replace HEAD HEAD~1", "refs/replace/"),
        ("git --git-dir={git} notes add -m x HEAD", "refs/notes/commits"),
        ("git --git-dir={git} symbolic-ref HEAD refs/heads/other", "HEAD"),
        ("write {git}/logs/HEAD x", "logs/HEAD"),
        ("write {git}/shallow x", "shallow"),
        ("write {git}/config x", "config "),
        ("git --git-dir={git} config branch.main.pushRemote evil", "config branch.main.pushremote"),
        ("git --git-dir={git} config extensions.worktreeConfig true", "config extensions.worktreeconfig"),
        ("write {git}/config [core", "the repository"),
        ("write {git}/MERGE_HEAD x", "MERGE_HEAD"),
        ("write {git}/rebase-merge/git-rebase-todo exec", "rebase-merge/"),
        ("write {git}/rr-cache/a/postimage x", "rr-cache/"),
        ("write {git}/modules/x/hooks/pre-commit x", "modules/x/"),
        ("write {git}/logs/refs/stash x", "logs/refs/stash"),
        ("write {git}/objects/info/commit-graph x", "objects/info/commit-graph"),
        ("git --git-dir={git} worktree add -q --detach {git}/../../elsewhere", "worktrees/elsewhere/"),
    ],
)
def test_every_other_direct_change_is_listed(unheld: Shop, line: str, named: str) -> None:
    (unheld.repo / "more.txt").write_text("more\n")
    unheld.git("add", "more.txt")
    unheld.git("commit", "-qm", "more")
    unheld.git("update-ref", "--create-reflog", "refs/stash", "HEAD")
    row = unheld.ended(line.format(git=f"{unheld.repo}/.git"))
    found = [change["what"] for change in unheld.session(row["sessionId"]).repository_changes]
    assert found
    assert all(what.startswith(named) for what in found), found


def test_objects_that_vanished_or_were_forged_are_listed(unheld: Shop) -> None:
    name = unheld.git("rev-parse", "HEAD^{tree}")
    path = f"{unheld.repo}/.git/objects/{name[:2]}/{name[2:]}"
    row = unheld.ended(f"delete {path}", "write a.txt one")
    told = [change["after"] for change in unheld.session(row["sessionId"]).repository_changes]
    assert any("missing" in text and name in text for text in told), told


def test_an_object_whose_contents_changed_is_listed(unheld: Shop) -> None:
    name = unheld.git("rev-parse", "HEAD^{tree}")
    path = f"{unheld.repo}/.git/objects/{name[:2]}/{name[2:]}"
    row = unheld.ended(f"delete {path}", f"write {path} forged")
    told = [change["after"] for change in unheld.session(row["sessionId"]).repository_changes]
    assert f"the contents of {name[:2]}/{name[2:]} are not what its name says" in told


def test_a_repository_that_was_packed_meanwhile_is_not(unheld: Shop) -> None:
    row = unheld.ended("write a.txt one", "commit work", f"git --git-dir={unheld.repo}/.git gc -q --prune=now")
    assert unheld.session(row["sessionId"]).repository_changes == []


def test_work_that_stays_on_its_branch_and_merges_of_deedlog_are_not(unheld: Shop) -> None:
    pipe = unheld.pipe()
    waiting = unheld.run(unheld.task(f"wait {pipe}", "write b.txt two", "commit more"))["sessionId"]
    done = unheld.ended("write a.txt one", "commit work")
    assert unheld.call("worker_done", sessionId=done["sessionId"])["merged"]
    pipe.write_text("go")
    unheld.wait(waiting)
    assert unheld.session(waiting).repository_changes == []
    assert "repository" not in unheld.reviews()


def test_what_deedlog_sets_for_another_work_tree_is_not(unheld: Shop) -> None:
    pipe = unheld.pipe()
    waiting = unheld.run(unheld.task(f"wait {pipe}"))["sessionId"]
    scope = {"read": ["**/*"], "write": ["**/*"], "exclude": ["secret/**"]}
    done = unheld.ended("write a.txt one", "commit work", scope=scope)
    assert unheld.call("worker_done", sessionId=done["sessionId"], how="discard", force=True)
    unheld.run(unheld.task(f"wait {pipe}"), scope=scope)
    pipe.write_text("go")
    unheld.wait(waiting)
    assert unheld.session(waiting).repository_changes == []


def test_a_target_that_is_set_back_is_listed_also_where_deedlog_had_moved_it(unheld: Shop) -> None:
    commits = []
    for name in ("a", "b"):
        done = unheld.ended(f"write {name}.txt x", "commit work")
        unheld.call("worker_done", sessionId=done["sessionId"])
        commits.append(unheld.git("rev-parse", "main"))
    row = unheld.ended(f"git --git-dir={unheld.repo}/.git update-ref refs/heads/main {commits[0]}")
    [change] = unheld.session(row["sessionId"]).repository_changes
    assert (change["what"], change["before"], change["after"]) == ("refs/heads/main", commits[1], commits[0])


def test_the_branch_of_a_session_that_had_ended_is_listed(unheld: Shop) -> None:
    ended = unheld.ended("write a.txt x", "commit work")
    branch = unheld.session(ended["sessionId"]).branch
    row = unheld.ended(f"git --git-dir={unheld.repo}/.git update-ref refs/heads/{branch} main")
    assert [change["what"] for change in unheld.session(row["sessionId"]).repository_changes] == [
        f"refs/heads/{branch}"
    ]


def test_a_command_that_a_person_runs_is_watched_without_a_question(shop: Shop) -> None:
    answer = shop.call("worker_command", taskId=shop.task("print x"))
    shop.git("branch", "mine")
    shop.call("session_end", sessionId=answer["sessionId"], exitCode=0)
    session = shop.session(answer["sessionId"])
    assert [change["what"] for change in session.repository_changes] == ["refs/heads/mine"]
    assert "repository" not in shop.reviews()
