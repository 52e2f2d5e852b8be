"""The merge gate: what reaches the target is exactly what was judged, whatever a worker did to hide it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from deedlog.core.caller import Kind
from deedlog.core.errors import Conflict
from deedlog.core.task import Session
from deedlog.testing import caller
from tests.ops.workers.conftest import Shop

SCOPE = {"write": ["src/**"]}
EVIL = "Makefile"


class Attempt:
    """A session that a person runs in a tree of its own: nothing but the gate stands between it and the target."""

    def __init__(self, shop: Shop, **task: Any) -> None:
        self.shop = shop
        scope = task.pop("scope", SCOPE)
        self.task = shop.task(**task)
        self.number = int(shop.call("worker_command", taskId=self.task, scope=scope)["sessionId"])
        self.tree = shop.repo / self.session.worktree
        self.commit("src/work.txt", "work\n")

    @property
    def session(self) -> Session:
        return self.shop.session(self.number)

    def git(self, *words: str, stdin: str = "") -> str:
        done = subprocess.run(["git", *words], cwd=self.tree, input=stdin, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        place = self.tree / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def commit(self, path: str, text: str) -> None:
        self.write(path, text)
        self.git("add", path)
        self.git("commit", "--quiet", "--message", path)

    def end(self) -> dict[str, object]:
        return dict(self.shop.call("session_end", sessionId=self.number, exitCode=0))

    def done(self, **more: object) -> dict[str, Any]:
        return dict(self.shop.call("worker_done", sessionId=self.number, **more))

    def refused(self, **more: object) -> Conflict:
        head = self.shop.git("rev-parse", "main")
        with pytest.raises(Conflict) as refused:
            self.done(**more)
        assert self.shop.git("rev-parse", "main") == head
        assert self.shop.status(self.task) != "done"
        return refused.value


def outside(refusal: Conflict) -> list[str]:
    rows: Any = refusal.data["violations"]
    return [row["path"] for row in rows]


def hidden_blob(attempt: Attempt, flag: str) -> None:
    blob = attempt.git("hash-object", "-w", "--stdin", stdin="evil\n")
    attempt.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{EVIL}")
    attempt.git("commit", "--quiet", "--message", "hidden")
    attempt.write(EVIL, "x\n")  # the flag needs a file
    attempt.git("update-index", flag, EVIL)


def dangling_commit(attempt: Attempt) -> None:
    blob = attempt.git("hash-object", "-w", "--stdin", stdin="evil\n")
    tree = attempt.git("mktree", stdin=f"100644 blob {blob}\t{EVIL}\n")
    commit = attempt.git("commit-tree", tree, "-m", "dangling")
    attempt.git("merge", "--quiet", "--allow-unrelated-histories", "--no-edit", commit)


def pull_from_elsewhere(attempt: Attempt) -> None:
    other = attempt.shop.repo.parent / "other"
    subprocess.run(["git", "clone", "--quiet", str(attempt.shop.repo), str(other)], check=True)
    (other / EVIL).write_text("evil\n")
    for words in (["add", EVIL], ["-c", "user.name=o", "-c", "user.email=o@x.invalid", "commit", "-qm", "evil"]):
        subprocess.run(["git", *words], cwd=other, check=True)
    attempt.git("pull", "--quiet", "--no-edit", "--no-rebase", str(other), "main")


def plumbing(attempt: Attempt) -> None:
    """A commit that only moves the ref, with an index and a file that say the same."""
    blob = attempt.git("hash-object", "-w", "--stdin", stdin="evil\n")
    listed = attempt.git("ls-tree", "HEAD") + f"\n100644 blob {blob}\t{EVIL}\n"
    commit = attempt.git("commit-tree", attempt.git("mktree", stdin=listed), "-p", "HEAD", "-m", "plumbing")
    attempt.git("update-ref", f"refs/heads/{attempt.session.branch}", commit)
    attempt.git("reset", "--quiet", "--hard")


def with_attributes(attempt: Attempt) -> None:
    """Attributes and a filter that make the working copy look unchanged."""
    attempt.git("config", "filter.hide.clean", "cat /dev/null")
    attempt.write("src/.gitattributes", "* -text\n")
    attempt.commit("src/.gitattributes", "* -text export-ignore\n")
    attempt.commit(EVIL, "evil\n")


HIDING: dict[str, Callable[[Attempt], None]] = {
    "assume-unchanged": lambda attempt: hidden_blob(attempt, "--assume-unchanged"),
    "skip-worktree": lambda attempt: hidden_blob(attempt, "--skip-worktree"),
    "dangling commit": dangling_commit,
    "pull": pull_from_elsewhere,
    "plumbing": plumbing,
    "attributes": with_attributes,
}


@pytest.mark.proves("worker:done:unseen")
@pytest.mark.parametrize("way", HIDING)
@pytest.mark.parametrize("when", ["before the end", "after the end"])
def test_what_is_hidden_from_index_and_tree_is_judged(shop: Shop, way: str, when: str) -> None:
    attempt = Attempt(shop)
    if when == "after the end":
        attempt.end()
    HIDING[way](attempt)
    if when == "before the end":
        attempt.end()
    refusal = attempt.refused(commit=True)
    assert EVIL in outside(refusal)
    assert EVIL not in shop.files()


ZEROS = "0" * 39 + "1"


@pytest.mark.proves("worker:done:unseen")
def test_a_submodule_that_gitmodules_hides_is_judged(shop: Shop) -> None:
    (shop.repo / ".gitmodules").write_text('[submodule "vendor"]\n\tpath = vendor\n\turl = .\n\tignore = all\n')
    shop.git("add", ".gitmodules")
    shop.git("update-index", "--add", "--cacheinfo", f"160000,{shop.git('rev-parse', 'main')},vendor")
    shop.git("commit", "--quiet", "--message", "submodule")
    shop.git("config", "diff.ignoreSubmodules", "all")
    attempt = Attempt(shop)
    attempt.git("update-index", "--cacheinfo", f"160000,{ZEROS},vendor")
    attempt.git("commit", "--quiet", "--allow-empty", "--message", "moved")
    attempt.end()
    assert outside(attempt.refused()) == ["vendor"]


@pytest.mark.proves("worker:done:unseen")
@pytest.mark.parametrize(
    ("mode", "path", "scope"),
    [
        ("160000", ".deedlog", {"write": ["**"]}),
        ("120000", ".Deedlog", {"write": ["**"]}),
        ("120000", "secret", {"write": ["**"], "exclude": ["secret/**"]}),
        ("100644", '"src/evil\\377"', {"write": ["src/**"]}),  # these quotes are part of its name
    ],
)
def test_a_path_that_looks_like_another_is_judged_as_it_is(
    shop: Shop, mode: str, path: str, scope: dict[str, list[str]]
) -> None:
    attempt = Attempt(shop, scope=scope)
    attempt.end()
    oid = ZEROS if mode == "160000" else attempt.git("hash-object", "-w", "--stdin", stdin="src")
    attempt.git("update-index", "--add", "-z", "--index-info", stdin=f"{mode} {oid}\t{path}\0")
    attempt.git("commit", "--quiet", "--message", "odd")
    if mode != "160000":
        attempt.git("checkout-index", "--all", "--force")
    assert outside(attempt.refused()) == [path]


@pytest.mark.proves("worker:done:unseen")
def test_a_flagged_file_that_was_edited_is_committed_and_judged(shop: Shop) -> None:
    attempt = Attempt(shop)
    attempt.git("update-index", "--assume-unchanged", "README.md")
    attempt.write("README.md", "evil\n")
    attempt.end()
    assert outside(attempt.refused()) == ["README.md"]


@pytest.mark.proves("worker:done:judged")
def test_an_edit_after_the_session_ended_is_judged_and_recorded(shop: Shop) -> None:
    attempt = Attempt(shop)
    attempt.end()
    attempt.write(EVIL, "late\n")
    attempt.refused()
    assert [row["path"] for row in attempt.session.violations] == [EVIL]
    assert attempt.session.files == [EVIL, "src/work.txt"]
    (attempt.tree / EVIL).unlink()
    attempt.git("rm", "--quiet", EVIL) if EVIL in attempt.git("ls-files") else ""
    attempt.commit("src/late.txt", "late\n")
    assert attempt.done()["merged"]
    assert attempt.session.files == ["src/late.txt", "src/work.txt"]
    assert attempt.session.violations == []
    patch = shop.call("task_patch", task_id=attempt.task)["patch"]
    assert "src/late.txt" in patch
    assert EVIL not in patch


@pytest.mark.proves("worker:done:judged")
def test_the_recorded_changes_are_those_of_the_judged_commit(shop: Shop) -> None:
    attempt = Attempt(shop)
    attempt.end()
    (shop.repo / "src").mkdir(exist_ok=True)
    (shop.repo / "src/theirs.txt").write_text("theirs\n")
    shop.git("add", "src/theirs.txt")
    shop.git("commit", "--quiet", "--message", "meanwhile")
    before = shop.git("rev-parse", "main")
    done = attempt.done()
    changed = shop.git("diff", "--name-only", before, "main").splitlines()
    assert attempt.session.files == changed == ["src/work.txt"]
    assert attempt.session.judged["commit"] == done["commit"] == shop.git("rev-parse", "main")
    assert attempt.session.judged["onto"] == before


@pytest.mark.proves("worker:done:unseen")
@pytest.mark.parametrize("way", ["rm", "git worktree remove", "move the repository"])
def test_a_check_runs_although_the_work_tree_is_gone_or_moved(shop: Shop, way: str) -> None:
    attempt = Attempt(shop, checks=[{"label": "never", "command": ["false"]}])
    attempt.end()
    if way == "rm":
        shutil.rmtree(attempt.tree)
    elif way == "git worktree remove":
        shop.git("worktree", "remove", "--force", attempt.session.worktree)
    else:
        moved = shop.repo.parent / "moved"
        shop.repo.rename(moved)
        shop.repo = moved
        shop.open()
    assert attempt.refused().data["failed"] == ["never"]
    [check] = attempt.session.checks
    assert check["passed"] is False
    shop.call("task_update", id=attempt.task, checks=[])
    assert attempt.done()["merged"]
    assert shop.files() == ["README.md", "src/work.txt"]
    back = shop.call("worker_restore", sessionId=attempt.number)
    assert (shop.repo / back["worktree"] / "src/work.txt").read_text() == "work\n"


@pytest.mark.proves("worker:done:unseen")
def test_uncommitted_work_that_went_with_its_tree_is_named_and_nothing_is_called_done(shop: Shop) -> None:
    attempt = Attempt(shop)
    attempt.git("reset", "--quiet", "--soft", "HEAD~1")
    attempt.end()
    shutil.rmtree(attempt.tree)
    for force in (False, True):
        refusal = attempt.refused(force=force)
        assert "src/work.txt" in refusal.message
    assert attempt.done(how="discard", force=True)["merged"] is False


@pytest.mark.proves("worker:done:judged")
@pytest.mark.parametrize("path", [".deedlog/config.toml", "CLAUDE.local.md", "docs/CURRENT_TASK.md"])
def test_files_of_deedlog_and_of_clients_are_judged_like_all_others(shop: Shop, path: str) -> None:
    attempt = Attempt(shop)
    attempt.write(path, "x\n")
    attempt.git("add", "--force", path)
    attempt.git("commit", "--quiet", "--message", "own")
    attempt.end()
    assert outside(attempt.refused()) == [path]


@pytest.mark.proves("worker:done:judged")
def test_the_configuration_of_deedlog_is_in_no_scope_that_does_not_name_it(shop: Shop) -> None:
    attempt = Attempt(shop, scope={"write": ["**/*"]})
    attempt.write(".deedlog/config.toml", "x\n")
    attempt.git("add", "--force", ".deedlog/config.toml")
    attempt.git("commit", "--quiet", "--message", "own")
    attempt.end()
    assert outside(attempt.refused()) == [".deedlog/config.toml"]


@pytest.mark.proves("worker:done:unseen")
def test_a_commit_that_is_not_on_disk_is_undone_by_what_is_on_disk(shop: Shop) -> None:
    attempt = Attempt(shop)
    blob = attempt.git("hash-object", "-w", "--stdin", stdin="evil\n")
    attempt.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{EVIL}")
    attempt.git("commit", "--quiet", "--message", "hidden")
    attempt.git("update-index", "--skip-worktree", EVIL)
    attempt.end()
    assert attempt.done()["merged"]
    assert shop.files() == ["README.md", "src/work.txt"]


@pytest.mark.proves("worker:done:judged")
def test_an_approval_holds_for_what_was_approved_and_nothing_else(shop: Shop) -> None:
    attempt = Attempt(shop)
    attempt.commit(EVIL, "harmless\n")
    attempt.end()
    attempt.refused()
    [review] = shop.call("review_list")["reviews"]
    shop.call("review_close", review_id=review["review_id"], verdict="approved", note="fine")
    attempt.commit(EVIL, "harmful\n")
    attempt.refused()
    assert shop.reviews() == ["scope"]
    [review] = shop.call("review_list")["reviews"]
    shop.call("review_close", review_id=review["review_id"], verdict="approved", note="fine too")
    assert attempt.done()["merged"]


@pytest.mark.proves("worker:done:judged", "rights:same")
@pytest.mark.parametrize("verdict", ["approved", "noted", "sent_back"])
def test_work_that_changes_after_a_person_looked_is_asked_about_under_another_id(shop: Shop, verdict: str) -> None:
    attempt = Attempt(shop)
    attempt.commit(EVIL, "harmless\n")
    attempt.end()
    attempt.refused()
    [seen] = shop.call("review_list")["reviews"]
    attempt.commit(EVIL, "harmful\n")
    attempt.refused()
    [now] = shop.call("review_list")["reviews"]
    assert now["review_id"] != seen["review_id"]
    with pytest.raises(Conflict, match="has changed since") as late:
        shop.call("review_close", review_id=seen["review_id"], verdict=verdict)
    assert now["review_id"] in late.value.hint
    attempt.refused()
    assert [row["review_id"] for row in shop.call("review_list")["reviews"]] == [now["review_id"]]
    shop.call("review_close", review_id=now["review_id"], verdict="approved")
    assert attempt.done()["merged"]


@pytest.mark.proves("worker:done:judged")
def test_work_that_another_hand_merged_is_judged_too(shop: Shop) -> None:
    attempt = Attempt(shop)
    attempt.commit(EVIL, "evil\n")
    attempt.end()
    shop.git("merge", "--quiet", "--no-edit", attempt.session.branch)
    refusal = attempt.refused()
    assert "in main already, not merged by Deedlog" in refusal.message
    assert shop.reviews() == ["scope"]
    assert attempt.done(force=True)["by"] == "elsewhere"


@pytest.mark.proves("worker:done:judged")
def test_nothing_is_never_called_merged(shop: Shop) -> None:
    row = shop.ended("print it is fine", scope={"write": []})
    done = shop.call("worker_done", sessionId=row["sessionId"])
    assert (done["merged"], done["how"], done["note"]) == (False, "nothing", "there was nothing to merge")


@pytest.mark.proves("worker:done:judged")
def test_work_that_could_have_changed_something_and_did_not_is_not_done(shop: Shop) -> None:
    before = shop.git("rev-parse", "main")
    task = shop.task("print it is fine", scope=SCOPE, checks=[{"label": "passes", "command": ["true"]}])
    number = shop.run(task)["sessionId"]
    shop.wait(number)
    with pytest.raises(Conflict, match="changed nothing: nothing was merged"):
        shop.call("worker_done", sessionId=number)
    session = shop.session(number)
    assert (session.dod_result, session.merge, session.judged) == ("pending", {}, {})
    assert (shop.status(task), len(shop.trees())) == ("in_progress", 1)
    done = shop.call("worker_done", sessionId=number, force=True)
    assert (done["merged"], done["how"], done["note"]) == (False, "nothing", "there was nothing to merge")
    assert not {"commit", "by", "checks"} & set(done)
    assert (shop.status(task), shop.git("rev-parse", "main")) == ("done", before)


@pytest.mark.proves("worker:done:judged")
@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_commits_that_come_to_nothing_are_merged_in_no_way(shop: Shop, how: str) -> None:
    attempt = Attempt(shop)
    attempt.git("revert", "--no-edit", "HEAD")
    attempt.end()
    assert "changed nothing: nothing was merged" in attempt.refused(how=how).message
    assert attempt.session.judged == {}


LOOKS = "import os, json; print(json.dumps(sorted(os.listdir('.')) + sorted(os.listdir('src'))))"


@pytest.mark.proves("worker:done:fresh")
def test_checks_see_exactly_the_commit_that_is_merged(shop: Shop) -> None:
    attempt = Attempt(shop, checks=[{"label": "look", "command": [sys.executable, "-c", LOOKS]}])
    (shop.repo / ".git/info/exclude").write_text("ignored\n")
    attempt.write("ignored", "x\n")
    attempt.end()
    (shop.repo / "theirs.txt").write_text("x\n")
    shop.git("add", "theirs.txt")
    shop.git("commit", "--quiet", "--message", "meanwhile")
    done = attempt.done()
    assert json.loads(done["checks"][0]["output"]) == [
        ".git",
        "README.md",
        "src",
        "theirs.txt",
        "work.txt",
    ]


@pytest.mark.proves("worker:done:fresh")
def test_what_checks_make_or_change_is_neither_merged_nor_left(shop: Shop) -> None:
    makes = "open('built.o', 'w').write('x'); open('src/work.txt', 'a').write('formatted')"
    more = "; import subprocess; subprocess.run(['git', 'commit', '-qam', 'by a check'], check=True)"
    attempt = Attempt(shop, checks=[{"label": "build", "command": [sys.executable, "-c", makes + more]}])
    attempt.end()
    attempt.done()
    assert shop.files() == ["README.md", "src/work.txt"]
    assert shop.git("show", "main:src/work.txt") == "work"
    assert [path.name for path in (shop.repo / ".deedlog/worktrees").iterdir() if path.name != ".lock"] == []


@pytest.mark.proves("worker:done:judged")
def test_the_target_that_moves_during_the_checks_is_judged_and_checked_again(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = Attempt(shop, checks=[{"label": "passes", "command": ["true"]}])
    attempt.end()
    check = shop.app.workers.check
    runs: list[str] = []

    def moving(*arguments: Any) -> Any:
        if not runs:
            shop.git("commit", "--quiet", "--allow-empty", "--message", "meanwhile")
        runs.append(shop.git("rev-parse", "main"))
        return check(*arguments)

    monkeypatch.setattr(shop.app.workers, "check", moving)
    assert attempt.done()["merged"]
    assert len(runs) == 2
    assert attempt.session.judged["onto"] == shop.git("rev-parse", "main^1") == runs[-1]


@pytest.mark.proves("worker:done:fresh")
def test_a_check_cannot_change_the_repository(shop: Shop) -> None:
    script = f"import os; os.chdir({str(shop.repo)!r}); open('.git/refs/heads/evil', 'w'); open('evil', 'w')"
    attempt = Attempt(shop, checks=[{"label": "evil", "command": [sys.executable, "-c", script]}])
    attempt.end()
    assert attempt.refused().data["failed"] == ["evil"]
    [row] = attempt.session.checks
    assert row["enforcement"] == shop.app.workers.enforcement() != "none"
    assert not (shop.repo / "evil").exists()


@pytest.mark.proves("worker:done:judged")
def test_the_recorded_patch_hides_the_token_of_the_server(shop: Shop) -> None:
    token = "0123456789abcdef" * 4
    (shop.repo / ".git/deedlog/token").write_text(token)
    attempt = Attempt(shop)
    attempt.commit("src/client.json", f'{{"token": "{token}"}}\n')
    attempt.end()
    assert attempt.done()["merged"]
    patch = shop.call("task_patch", task_id=attempt.task)["patch"]
    assert "src/client.json" in patch
    assert token not in patch


@pytest.mark.proves("worker:done:judged")
def test_an_agent_that_plans_a_task_cannot_give_its_worker_more_than_the_worker_s_own_scope(shop: Shop) -> None:
    shop.call("agent_create", name="narrow", scope={"read": ["**/*"], "write": ["src/**"], "exclude": []})
    planner = caller("planner/1", kind=Kind.AGENT)
    said = {"title": "wide", "scope": {"write": ["**/*"]}, "assignee": "narrow"}
    task = shop.app.call("task_create", said, planner)["id"]
    made = shop.app.call("worker_command", {"taskId": task}, planner)
    (shop.repo / made["worktree"] / EVIL).write_text("evil\n")
    shop.call("session_end", sessionId=made["sessionId"], exitCode=0)
    with pytest.raises(Conflict, match="outside its scope"):
        shop.call("worker_done", sessionId=made["sessionId"])
    assert shop.files() == ["README.md"]
