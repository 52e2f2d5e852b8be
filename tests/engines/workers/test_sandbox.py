"""What a worker can write, under what this machine has to keep it in its scope."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.git.worktrees import GitWorktrees
from deedlog.workers import enforcement, landlock, sandbox
from deedlog.workers.checking import check
from deedlog.workers.ground import ground
from deedlog.workers.place import Place
from deedlog.workers.seatbelt import profile
from tests.engines.workers.conftest import Desk

SCOPE = {"read": ["**/*"], "write": ["src/**", "new/**", "*.md"], "exclude": ["src/secrets/**"]}
KINDS = ["bubblewrap", "landlock"]
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main"]


class Sandboxed(Desk):
    """A worker in a linked work tree of a repository."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.root = folder / "root"
        self.home = folder / "home"
        (self.home / ".claude").mkdir(parents=True)
        (self.home / ".profile").write_text("mine\n")
        self.git("init", "--quiet")
        for name in ("src/a.txt", "docs/d.txt", "README.md", "notes.md", "docs/page.md", "package.json"):
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text("before\n")
        (self.root / ".gitignore").write_text("node_modules\nout/\n/.deedlog\n")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message=first")
        self.git("branch", "other")
        self.tree = self.root / ".deedlog/worktrees/task-5"
        self.git("worktree", "add", "--quiet", "-b", "task-5-s7", str(self.tree))
        self.neighbour = self.root / ".deedlog/worktrees/task-6"
        self.git("worktree", "add", "--quiet", "-b", "task-6-s8", str(self.neighbour))
        self.first = self.git("rev-parse", "main")
        (self.root / ".git/worktrees/task-5/deedlog-branch").write_text("task-5-s7")

    def git(self, *words: str) -> str:
        done = subprocess.run([*GIT, *words], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def work(self, kind: str, *lines: str, scope: dict[str, Any] | None = None, client: str = "") -> list[str]:
        """What it printed."""
        environment = {"HOME": str(self.home), "GIT_CONFIG_GLOBAL": "/dev/null"}
        lent = self.trees.lend(str(self.tree))
        end = self.run(
            *lines,
            enforcement=kind,
            environment=environment,
            scope=SCOPE if scope is None else scope,
            repository={"private": lent.folder, "pointer": lent.pointer, "common": lent.common},
            client=client,
        )
        assert end["exitCode"] == 0, self.lines("stderr")
        assert self.told("worker_begin")[-1]["enforcement"] == kind
        self.warnings = self.trees.take_back(str(self.tree))
        return self.lines()

    @property
    def trees(self) -> GitWorktrees:
        return GitWorktrees(str(self.root), str(self.root / ".deedlog"))


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Sandboxed]:
    made = Sandboxed(tmp_path)
    yield made
    made.close()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "bubblewrap" and enforcement.enforcement(str(tmp_path / "probe")) != "bubblewrap":
        pytest.skip("bubblewrap is not installed here, or may not make name spaces")
    if request.param == "landlock" and not landlock.version():
        pytest.skip("this kernel has no Landlock")
    return str(request.param)


def refused(lines: list[str]) -> list[str]:
    return [line.split()[1].rstrip(":") for line in lines if line.startswith("refused ")]


@pytest.mark.proves("worker:scope:enforced")
def test_what_is_in_scope_can_be_written_and_committed(box: Sandboxed, kind: str) -> None:
    said = box.work(
        kind,
        "write src/a.txt after",
        "write src/deep/b.txt made",
        "write new/c.txt made",
        "write README.md after",
        "write docs/page.md after",
        "write node_modules/x/y made",
        "commit done",
    )
    assert refused(said) == []
    changed = box.git("diff", "--name-only", "main", "task-5-s7").splitlines()
    assert changed == ["README.md", "docs/page.md", "new/c.txt", "src/a.txt", "src/deep/b.txt"]
    assert box.git("status", "--porcelain") == ""


@pytest.mark.proves("worker:scope:enforced")
def test_what_is_outside_cannot(box: Sandboxed, kind: str) -> None:
    outside = [
        "docs/d.txt",
        "docs/new.txt",
        "package.json",
        str(box.root / "README.md"),
        str(box.root / "new.txt"),
        str(box.root / ".git/config"),
        str(box.root / ".git/hooks/pre-commit"),
        str(box.neighbour / "README.md"),
        str(box.root / ".deedlog/worktrees/.merging/x"),
        str(box.root / ".deedlog/prepared/x"),
        str(box.store / "ledger.db"),
        str(box.home / ".profile"),
        "/etc/deedlog-was-here",
    ]
    said = box.work(kind, *(f"write {path} after" for path in outside), "delete docs/d.txt", "write src/a.txt after")
    assert refused(said) == [*outside, "docs/d.txt"]
    assert box.git("status", "--porcelain") == ""
    assert (
        subprocess.run(["git", "status", "--porcelain"], cwd=box.tree, check=True, capture_output=True).stdout
        == b" M src/a.txt\n"
    )


def test_clients_find_their_own_files_and_a_place_for_temporary_ones(box: Sandboxed, kind: str) -> None:
    own = box.home / ".claude"
    said = box.work(kind, f"write {own}/projects/x.jsonl x", "write /dev/null x", "temporary", "env TMPDIR")
    assert refused(said) == []
    assert said[0] == "temporary file made"
    if kind == "landlock":  # the project lies in the folder for temporary files, which therefore cannot be open
        assert str(box.store) in said[1]
    assert list((box.store / "workers").glob("*.tmp")) == []


@pytest.mark.proves("worker:scope:enforced")
def test_nothing_new_can_be_made_in_the_home_where_it_would_run_outside(box: Sandboxed, kind: str) -> None:
    (box.home / ".config/deedlog").mkdir(parents=True)
    (box.home / ".local/share").mkdir(parents=True)
    (box.home / ".local/state").mkdir()
    (box.home / ".cargo/registry").mkdir(parents=True)
    (box.home / ".claude.json").write_text("{}")
    before = sorted(str(path) for path in box.home.rglob("*"))
    names = [".gitconfig", ".config/git/config", ".ssh/config", ".bashrc", ".zshrc", ".local/bin/git", ".cargo/bin/git"]
    sensitive = [f"{box.home}/{name}" for name in (*names, ".profile", ".claude.json", "new/x")]
    own = [f"{box.home}/{name}" for name in (".local/state/x", ".cargo/registry/x")]
    said = box.work(kind, *(f"write {path} x" for path in (*sensitive, *own)))
    assert refused(said) == sensitive
    made = [f"{box.home}/.cargo/registry/x", f"{box.home}/.local/state/x"]
    assert sorted(str(path) for path in box.home.rglob("*")) == sorted([*before, *made])


def test_bubblewrap_keeps_the_settings_of_clients_as_they_are(box: Sandboxed) -> None:
    (box.home / ".claude/hooks").mkdir()
    (box.home / ".claude/settings.json").write_text("{}")
    shut = [f"{box.home}/.claude/{name}" for name in ("settings.json", "hooks/x.sh")]
    assert refused(box.work("bubblewrap", *(f"write {path} x" for path in shut))) == shut


def test_a_worker_that_may_write_nothing_can_still_use_git(box: Sandboxed, kind: str) -> None:
    said = box.work(
        kind,
        "write src/a.txt after",
        "write x.txt new",
        "git commit --allow-empty --message=looked",
        scope={"write": []},
    )
    assert refused(said) == ["src/a.txt", "x.txt"]
    assert said[-1].startswith("git commit: 0")
    assert box.git("log", "--format=%s", "-1", "task-5-s7") == "looked"


def test_one_without_a_write_list_may_write_all_of_its_tree_and_nothing_else(box: Sandboxed, kind: str) -> None:
    said = box.work(kind, "write docs/d.txt after", "write x.txt new", f"write {box.root}/x.txt new", scope={})
    assert refused(said) == [f"{box.root}/x.txt"]


@pytest.mark.parametrize("kind", ["none", "landlock"])
def test_a_repository_made_in_place_of_its_own_is_set_aside(box: Sandboxed, kind: str) -> None:
    own = box.root / ".git/worktrees/task-5"
    (box.tree / ".deedlog").mkdir()
    said = box.work(kind, "delete .git x", "git init --quiet", "write docs/d.txt after", "commit elsewhere", scope={})
    assert refused(said) == []
    assert (box.tree / ".git").read_text() == f"gitdir: {own}\n"
    [aside] = (box.tree / ".deedlog").iterdir()
    assert (aside / "HEAD").exists()
    assert box.git("-C", str(box.tree), "status", "--porcelain", "docs") == "M docs/d.txt"


def test_what_is_new_at_the_top_bubblewrap_leaves_to_the_comparison(box: Sandboxed) -> None:
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed here")
    assert refused(box.work("bubblewrap", "write CHANGES.md new", "write x.txt new")) == []


def test_nothing_new_is_made_outside_a_scope_of_folders(box: Sandboxed, kind: str) -> None:
    scope = {"write": ["src/**", "new/deep/**"], "exclude": ["src/secrets/**"]}
    inside = ["src/x.txt", "new/deep/y.txt", "node_modules/a/b", "out/c"]
    outside = ["x.txt", "docs/x.txt", "new/x.txt", "other/x.txt", "README.md", ".git", ".deedlog/x"]
    said = box.work(kind, *(f"write {path} made" for path in (*inside, *outside)), "commit made", scope=scope)
    assert refused(said) == outside
    assert box.git("diff", "--name-only", "main", "task-5-s7").splitlines() == ["new/deep/y.txt", "src/x.txt"]


def test_a_stopped_worker_in_bubblewrap_has_time_to_leave(box: Sandboxed) -> None:
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed here")
    ready = str(box.tree / "src/ready")
    lines = ("polite src/note", f"write {ready} x", "hang")
    end = box.run(*lines, timeoutSeconds=1, ready=ready, enforcement="bubblewrap", scope=SCOPE)
    assert (end["reason"], end["exitCode"]) == ("timeout", 42)
    assert (box.tree / "src/note").read_text() == "asked to go"


def test_a_sandbox_that_cannot_be_made_is_none_and_the_worker_runs(
    box: Sandboxed, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = box.run("write docs/d.txt after", enforcement="sandbox-exec", scope=SCOPE)
    assert end["reason"] in ("exit", "launch")


def test_what_a_machine_has_is_tried_once_and_remembered(tmp_path: Path) -> None:
    found = enforcement.enforcement(str(tmp_path))
    assert found in ("bubblewrap", "landlock", "none")
    path = tmp_path / "workers/enforcement"
    key, _, _ = path.read_text().strip().rpartition("\n")
    path.write_text(f"{key}\nnone\n")
    assert enforcement.enforcement(str(tmp_path)) == "none"
    path.write_text("another machine\nnone\n")
    assert enforcement.enforcement(str(tmp_path)) == found


@pytest.mark.parametrize(
    ("write", "whole", "folders"),
    [
        (["src/**"], False, ["src"]),
        (["/src/auth/*.ts", "docs/"], False, ["docs", "src/auth"]),
        (["./src/**"], False, ["src"]),
        (["src/*/x"], False, ["src"]),
        (["*.md", "**/x.txt", "README.md"], False, []),
        (["**/*"], True, []),
        (["**"], True, []),
        (None, True, []),
        (["!docs/**"], True, []),
        ([], False, []),
        (["../x/**"], False, []),
        (["a\\*/b"], False, []),
    ],
)
def test_globs_become_folders(tmp_path: Path, write: list[str] | None, whole: bool, folders: list[str]) -> None:  # noqa: FBT001
    found = ground(str(tmp_path), {"write": write})
    assert (found.whole, found.folders) == (whole, folders)


def test_a_profile_for_macos_names_what_is_open_and_what_is_not(box: Sandboxed, tmp_path: Path) -> None:
    where = ground(str(box.tree), SCOPE)
    place = Place(store=str(box.store), root=str(box.root), tree=str(box.tree), private=f"{box.root}/.git/p")
    (box.home / ".ssh").mkdir()
    text = profile(where, place, {"HOME": str(box.home)})
    lines = text.splitlines()
    assert lines[:3] == ["(version 1)", "(allow default)", "(deny file-write*)"]
    order = [
        lines.index(f'({verb} file-write* (subpath "{path}"))')
        for verb, path in (
            ("allow", box.home / ".claude"),
            ("deny", box.home / ".claude/settings.json"),
            ("deny", box.root),
            ("allow", box.tree),
            ("deny", box.tree / "docs"),
            ("allow", box.tree / "docs/page.md"),
        )
    ]
    assert order == sorted(order)
    for path in (box.home / ".ssh", box.store):
        assert f'(deny file-read* (subpath "{path}"))' in lines
    assert lines[-1] == f'(allow file-write* (subpath "{box.root}/.git/p"))'
    name = '/a "b\\'
    assert '(subpath "/a \\"b\\\\")' in profile(ground(name, {}), place, {})


def many_files(box: Sandboxed) -> None:
    for number in range(5_000):
        (box.tree / f"n{number}.md").write_text("")


@pytest.mark.proves("worker:sandbox:closed")
def test_a_scope_that_bubblewrap_cannot_hold_is_held_by_landlock(box: Sandboxed) -> None:
    if enforcement.enforcement(str(box.folder / "probe")) != "bubblewrap" or not landlock.version():
        pytest.skip("this machine has not both sandboxes")
    many_files(box)
    end = box.run(
        f"write {box.root}/README.md evil", enforcement="bubblewrap", environment={}, scope={"write": ["*.md"]}
    )
    assert box.told("worker_begin")[-1]["enforcement"] == "landlock"
    assert end["reason"] == "exit"
    assert (box.root / "README.md").read_text() == "before\n"


@pytest.mark.proves("worker:sandbox:closed")
def test_neither_worker_nor_check_runs_where_no_sandbox_can_hold_it(
    box: Sandboxed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 0)
    monkeypatch.setattr(sandbox, "enforcement", lambda _: "bubblewrap")
    monkeypatch.setattr("deedlog.workers.bubblewrap.MOST_WORDS", 10)
    place = Place(store=str(tmp_path / "s"), root=str(box.root), tree=str(box.tree), scratch=str(tmp_path / "scratch"))
    with pytest.raises(OSError, match="too many mounts"):
        sandbox.sandbox_for(place, {"write": ["*.md"]})
    found = check(["touch", str(box.root / "ran")], str(box.tree), 60.0, lambda: False, place, [])
    assert (found.exit_code, "too many mounts" in found.problem) == (None, True)
    assert not (box.root / "ran").exists()
