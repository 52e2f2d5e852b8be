"""Changes of the user's repository that a worker without a sandbox tries to hide are reported all the same."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.ops.workers.conftest import Json, Shop

pytestmark = pytest.mark.proves("worker:unheld:reported")


@pytest.fixture
def unheld(shop: Shop) -> Shop:
    """A machine that has no sandbox, and a repository with a hook, another branch and a second work tree."""
    shop.enforce("none")
    hook = shop.repo / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    shop.git("branch", "release")
    return shop


def changes(shop: Shop, script: str, **more: object) -> list[Json]:
    """What is reported of a worker that runs this, with `$G` for the git directory and `$E` for a folder elsewhere."""
    elsewhere = shop.repo.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    file = elsewhere / "script.sh"
    places = f"G={shlex.quote(str(shop.repo / '.git'))} E={shlex.quote(str(elsewhere))}\n"
    file.write_text(f"set -e\n{places}{script}\necho done\n")
    row = shop.ended(f"run sh {file}", **more)
    assert "done" in shop.said(row["sessionId"]), shop.said(row["sessionId"])
    found: list[Json] = shop.session(row["sessionId"]).repository_changes
    assert ("repository" in shop.reviews()) == bool(found)
    return found


def names(rows: list[Json]) -> list[str]:
    return [row["what"] for row in rows]


def packed(shop: Shop) -> Path:
    shop.git("repack", "-adq")
    [pack] = (shop.repo / ".git/objects/pack").glob("*.pack")
    return pack


FORGE = "chmod u+w {pack}; touch -r {pack} $E/time; printf x | dd of={pack} bs=1 seek=30 conv=notrunc 2>&1"


def test_a_pack_that_was_written_into_is_listed_whatever_time_it_tells(unheld: Shop) -> None:
    pack = packed(unheld)
    rows = changes(unheld, f"{FORGE.format(pack=pack)}; touch -r $E/time {pack}")
    assert {"what": "objects", "before": "", "after": f"pack/{pack.name} is damaged"} in rows


def test_a_pack_that_was_written_anew_with_its_index_is_listed_if_that_is_damaged(unheld: Shop) -> None:
    pack = packed(unheld)
    index = pack.with_suffix(".idx")
    rows = changes(unheld, f"{FORGE.format(pack=pack)}; cp {index} $E/i; rm -f {index}; cp $E/i {index}")
    assert {"what": "objects", "before": "", "after": f"pack/{pack.name} is damaged"} in rows


def test_a_pack_that_git_only_marked_as_used_is_not_listed(unheld: Shop) -> None:
    assert changes(unheld, f"touch {packed(unheld)}") == []


def test_objects_that_became_links_are_listed(unheld: Shop) -> None:
    name = unheld.git("rev-parse", "HEAD^{tree}")
    path = f"$G/objects/{name[:2]}/{name[2:]}"
    assert names(changes(unheld, f"mv {path} $E/object; ln -s $E/object {path}")) == ["objects"]


def test_a_folder_of_objects_that_became_a_link_is_listed(unheld: Shop) -> None:
    name = unheld.git("rev-parse", "HEAD^{tree}")[:2]
    assert names(changes(unheld, f"mv $G/objects/{name} $E/objects; ln -s $E/objects $G/objects/{name}")) == [
        f"objects/{name}"
    ]


def test_a_branch_that_became_another_name_of_the_target_is_listed(unheld: Shop) -> None:
    [row] = changes(unheld, "git --git-dir=$G symbolic-ref refs/heads/release refs/heads/main")
    assert (row["what"], row["after"]) == ("refs/heads/release", "ref: refs/heads/main")


def test_the_branch_of_the_session_itself_is_listed_if_it_leads_elsewhere(unheld: Shop) -> None:
    rows = changes(unheld, "git --git-dir=$G symbolic-ref $(git symbolic-ref HEAD) refs/heads/release")
    assert [(row["what"].rpartition("-")[0], row["after"]) for row in rows] != []
    assert "ref: refs/heads/release" in [row["after"] for row in rows]


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("git --git-dir=$G symbolic-ref refs/heads/new refs/heads/none", "refs/heads/new"),
        ("rm $G/refs/heads/release; ln -s main $G/refs/heads/release", "refs/heads/release"),
        ("git --git-dir=$G update-ref refs/deedlog/x main", "refs/deedlog/x"),
        ("git --git-dir=$G update-ref refs/deedlog/base/x main", "refs/deedlog/base/x"),
        ("chmod -x $G/hooks/pre-push", "hooks/pre-push"),
        ("mv $G/hooks/pre-push $E/hook; ln -s $E/hook $G/hooks/pre-push", "hooks/pre-push"),
        ("mv $G/hooks $E/hooks; ln -s $E/hooks $G/hooks", "hooks"),
        ("rm $G/hooks/pre-push; mkfifo $G/hooks/pre-push", "hooks/pre-push"),
        ("mv $G/logs/HEAD $E/log; ln -s $E/log $G/logs/HEAD", "logs/HEAD"),
        ("mkdir -p $G/modules/logs/hooks; touch $G/modules/logs/hooks/pre-commit", "modules/logs/hooks/pre-commit"),
        ("echo $G/worktrees/x > $G/gitdir", "gitdir"),
    ],
)
def test_what_looks_the_same_but_is_another_is_listed(unheld: Shop, script: str, named: str) -> None:
    assert names(changes(unheld, script)) == [named]


def test_kept_work_that_was_let_go_is_listed(unheld: Shop) -> None:
    done = unheld.ended("write a.txt one", "commit work")
    unheld.call("worker_done", sessionId=done["sessionId"], how="discard", force=True)
    [kept] = unheld.git("for-each-ref", "--format=%(refname)", "refs/deedlog/kept/").splitlines()
    assert names(changes(unheld, f"git --git-dir=$G update-ref -d {kept}")) == [kept]


COPY = "cp -r $G $E/git; rm -rf $E/git/worktrees $E/git/objects $E/git/refs; " + "".join(
    f"ln -s $G/{name} $E/git/{name}; " for name in ("worktrees", "objects", "refs")
)


def test_a_git_directory_that_leads_to_another_is_listed(unheld: Shop) -> None:
    script = f"{COPY} git config -f $E/git/config core.editor evil; echo $E/git > $G/commondir"
    assert "commondir" in names(changes(unheld, script))


OWN_SETTINGS = (
    ": > $(git rev-parse --git-dir)/config.worktree; git config -f $G/config extensions.worktreeConfig true; "
)


@pytest.mark.parametrize("file", ["config", "config.worktree"])
@pytest.mark.parametrize(("name", "value"), [("core.worktree", "$E"), ("core.bare", "true")])
def test_a_new_value_of_a_setting_that_deedlog_moves_is_listed(unheld: Shop, file: str, name: str, value: str) -> None:
    assert f"{file} {name}" in names(changes(unheld, f"{OWN_SETTINGS} git config -f $G/{file} {name} {value}"))


def test_a_setting_that_moved_to_where_nobody_reads_it_is_listed(unheld: Shop) -> None:
    unheld.git("config", "core.worktree", str(unheld.repo))
    script = (
        f"git config -f $G/config.worktree core.worktree {unheld.repo}; git config -f $G/config --unset core.worktree"
    )
    assert names(changes(unheld, script)) == ["config core.worktree", "config.worktree core.worktree"]


def test_a_setting_that_deedlog_moved_for_another_work_tree_is_not_listed(unheld: Shop) -> None:
    unheld.git("config", "core.worktree", str(unheld.repo))
    pipe = unheld.pipe()
    waiting = unheld.run(unheld.task(f"wait {pipe}"))["sessionId"]
    scope = {"read": ["**/*"], "write": ["**/*"], "exclude": ["secret/**"]}
    unheld.run(unheld.task(f"wait {pipe}"), scope=scope)
    assert unheld.git("config", "-f", ".git/config.worktree", "core.worktree") == str(unheld.repo)
    pipe.write_text("go")
    unheld.wait(waiting)
    assert unheld.session(waiting).repository_changes == []


@pytest.mark.parametrize("key", ["include.path", "includeIf.gitdir:/never/.path"])
def test_a_file_that_the_settings_include_is_listed(unheld: Shop, key: str) -> None:
    more = unheld.repo / ".git/more"
    more.write_text("[include]\n\tpath = further\n")
    unheld.git("config", key, "more")
    assert names(changes(unheld, "git config -f $G/more core.editor evil")) == [f"included {more}"]
    assert names(changes(unheld, "git config -f $G/further core.editor evil")) == [
        f"included {unheld.repo / '.git/further'}"
    ]


def test_settings_that_include_each_other_end(unheld: Shop) -> None:
    unheld.git("config", "includeIf.gitdir:/never/.path", "config")
    assert changes(unheld, "true") == []


def test_a_worktree_of_deedlog_that_leads_to_another_repository_is_listed(unheld: Shop) -> None:
    unheld.ended("print x")
    subprocess.run(["git", "init", "-q", "--bare", "other.git"], cwd=unheld.repo.parent, check=True)
    script = f"echo {unheld.repo.parent}/other.git > $G/worktrees/task-1/commondir"
    assert names(changes(unheld, script)) == ["worktrees/task-1/commondir"]
