"""What a hostile worker tries, under each sandbox of Linux: the user's repository and keys stay out of its reach."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.engines.workers.conftest import until
from tests.engines.workers.test_sandbox import Sandboxed, box, kind, refused

__all__ = ["box", "kind"]  # fixtures

EVERYTHING = {"write": ["**"]}
KEYS = (
    *(".ssh/id_ed25519", ".gnupg/secring.gpg", ".aws/credentials", ".config/gh/hosts.yml", ".netrc"),
    *(".git-credentials", ".docker/config.json", ".kube/config", ".config/deedlog/secrets.json"),
    *(".mozilla/firefox/cookies.sqlite", ".local/share/keyrings/login.keyring"),
)


def state(box: Sandboxed) -> dict[str, str]:
    """All files of the user's repository but what belongs to the session."""
    git = box.root / ".git"
    files = (path for path in git.rglob("*") if path.is_file() and "task-5" not in path.parts)
    return {str(path.relative_to(git)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def attack(box: Sandboxed, kind: str, script: str, *lines: str, client: str = "") -> list[str]:
    """Let the worker run a script; it may write all of its tree."""
    path = box.root / "attack.sh"
    path.write_text(script)
    return box.work(kind, f"run sh {path}", *lines, scope=EVERYTHING, client=client)


DESTRUCTION = """
G={root}/.git
rm -rf $G/objects/??
rm -rf $G/objects $G/refs $G/logs
: > $G/logs/HEAD
: > $G/logs/refs/heads/main
git rev-parse HEAD > $G/refs/heads/main
git rev-parse HEAD > $G/refs/heads/other
echo "$(git rev-parse HEAD) refs/heads/evil" > $G/packed-refs
mkdir -p $G/hooks; printf '#!/bin/sh\\ntrue\\n' > $G/hooks/pre-commit
git config --file $G/config core.fsmonitor evil
git config --file $G/config.worktree core.fsmonitor evil
git config --file $G/worktrees/task-5/config.worktree core.fsmonitor evil
mkdir -p $G/info; echo '* filter=evil' > $G/info/attributes
echo /tmp/elsewhere > $G/worktrees/task-5/commondir
echo /tmp/elsewhere > $G/worktrees/task-5/gitdir
echo 'ref: refs/heads/main' > $G/HEAD
echo 'ref: refs/heads/main' > $G/worktrees/task-5/HEAD
rm -f $G/index $G/worktrees/task-5/index
mv $G/worktrees/task-5/private $G/worktrees/task-5/moved
git --git-dir=$G update-ref refs/heads/main $(git rev-parse HEAD)
git --git-dir=$G branch -D other
git --git-dir=$G gc --prune=now
git --git-dir=$G worktree add /tmp/deedlog-evil-$$ main
git --git-dir=$G worktree prune
git --git-dir=$G reflog expire --expire=now --all
git --git-dir=$G tag evil
"""


@pytest.mark.proves("worker:scope:enforced")
def test_nothing_in_the_users_repository_changes(box: Sandboxed, kind: str) -> None:
    box.git("pack-refs", "--all")
    before = state(box)
    attack(box, kind, "git commit --allow-empty -qm x\n" + DESTRUCTION.format(root=box.root))
    assert state(box) == before
    assert box.git("fsck", "--strict", "--no-dangling") == ""
    assert {box.git("rev-parse", name) for name in ("main", "other", "task-5-s7")} == {box.first}


@pytest.mark.proves("worker:scope:enforced", "worker:private-repository")
def test_only_its_own_branch_comes_back(box: Sandboxed, kind: str) -> None:
    said = box.work(
        kind,
        "write src/a.txt after",
        "commit done",
        "git update-ref refs/heads/main HEAD",
        "git branch --force other HEAD",
        "git update-ref refs/heads/task-6-s8 HEAD",
        "git tag v1",
        "git update-ref -d refs/heads/other",
    )
    assert [line.split()[2] for line in said if line.startswith("git ")] == ["0"] * 5
    assert {box.git("rev-parse", name) for name in ("main", "other", "task-6-s8")} == {box.first}
    assert box.git("log", "--format=%s", "-1", "task-5-s7") == "done"
    assert box.git("tag") == ""
    kept = [warning.split()[-1] for warning in box.warnings]
    assert kept == [f"refs/deedlog/kept/task-5.refs/{name}" for name in ("heads/main", "heads/task-6-s8", "tags/v1")]
    assert {box.git("rev-parse", name) for name in kept} == {box.git("rev-parse", "task-5-s7")}


def test_plumbing_and_flags_leave_nothing_hidden(box: Sandboxed, kind: str) -> None:
    script = """
    blob=$(echo evil | git hash-object -w --stdin)
    git update-index --add --cacheinfo 100644,$blob,Makefile
    tree=$(git write-tree)
    commit=$(git -c user.name=t -c user.email=t@t commit-tree $tree -p HEAD -m hidden)
    git update-ref refs/heads/task-5-s7 $commit
    git update-index --skip-worktree Makefile
    echo after > src/a.txt
    git update-index --assume-unchanged src/a.txt
    """
    attack(box, kind, script)
    assert box.git("ls-tree", "--name-only", "task-5-s7", "Makefile") == "Makefile"
    dirty = box.trees.state(str(box.tree), box.first).dirty
    assert {"Makefile", "src/a.txt"} <= set(dirty)


@pytest.mark.proves("worker:secrets:unreadable")
def test_neither_the_token_nor_the_keys_of_the_user_can_be_read(box: Sandboxed, kind: str) -> None:
    for name in KEYS:
        (box.home / name).parent.mkdir(parents=True, exist_ok=True)
        (box.home / name).write_text("the secret\n")
    (box.store / "token").write_text("the secret\n")
    (box.home / "keys").symlink_to(box.home / ".ssh")
    (box.home / "visible").write_text("in sight\n")
    paths = [*(f"{box.home}/{name}" for name in KEYS), f"{box.store}/token", f"{box.home}/keys/id_ed25519"]
    lines = [f"run cat {path}" for path in paths]
    tricks = [f"run ln {path} stolen" for path in paths[:1]]
    tricks += ["run cat stolen", f"run cp -r {box.home}/.ssh copied", "run cat copied/id_ed25519"]
    said = box.work(kind, *lines, *tricks, f"run cat {box.home}/visible", scope=EVERYTHING)
    assert "the secret" not in "\n".join(said)
    assert said[-1] == "in sight"


@pytest.mark.proves("worker:secrets:unreadable")
@pytest.mark.parametrize("base", ["", "configuration"])
def test_settings_that_the_user_makes_while_it_runs_cannot_be_read(
    box: Sandboxed, kind: str, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = box.home / (base or ".config")
    if base:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    else:
        monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    gate = box.root / "gate"
    os.mkfifo(gate)
    secret = folder / "deedlog/config.toml"
    lent = box.trees.lend(str(box.tree))
    box.spawn(
        f"wait {gate}",
        f"run cat {secret}",
        enforcement=kind,
        environment={"HOME": str(box.home)},
        scope=EVERYTHING,
        repository={"private": lent.folder, "pointer": lent.pointer, "common": lent.common},
    )
    box.go()
    file = opened(gate)
    assert secret.parent.stat().st_mode & 0o777 == 0o700
    secret.write_text("the secret\n")
    os.close(file)
    assert box.ended()["exitCode"] == 0
    assert "the secret" not in "\n".join(box.lines())


def opened(fifo: Path) -> int:
    """Open a pipe for writing, when the worker waits for it."""
    found: list[int] = []

    def is_open() -> bool:
        with suppress(OSError):
            found.append(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
        return bool(found)

    until(is_open)
    return found[0]


@pytest.mark.proves("worker:secrets:unreadable")
def test_a_client_reads_its_own_login_and_not_that_of_another(box: Sandboxed, kind: str) -> None:
    for name in (".claude/.credentials.json", ".codex/auth.json"):
        (box.home / name).parent.mkdir(exist_ok=True)
        (box.home / name).write_text(f"login of {name}\n")
    lines = [f"run cat {box.home}/.claude/.credentials.json", f"run cat {box.home}/.codex/auth.json"]
    said = "\n".join(box.work(kind, *lines, client="codex"))
    assert "login of .codex" in said
    assert "login of .claude" not in said


def test_processes_of_others_show_nothing_of_their_environment(
    box: Sandboxed, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = subprocess.Popen(["sleep", "600"], env={**os.environ, "SOME_TOKEN": "the secret"})
    try:
        script = f"cat /proc/{outside.pid}/environ /proc/{outside.pid}/root{box.store}/token; kill {outside.pid}"
        (box.store / "token").write_text("the secret\n")
        said = attack(box, kind, script)
        assert "the secret" not in "\n".join(said)
        assert outside.poll() is None or kind == "landlock"
    finally:
        outside.kill()
        outside.wait()


@pytest.mark.proves("worker:secrets:unreadable")
def test_variables_that_look_like_secrets_are_not_passed(box: Sandboxed, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PGPASSWORD", "NAMED_SECRET"):
        monkeypatch.setenv(name, "the secret")
    names = ("GITHUB_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PGPASSWORD", "NAMED_SECRET", "SSH_AUTH_SOCK")
    end = box.run(*(f"env {name}" for name in names), client="codex", named=["NAMED_SECRET"])
    assert end["exitCode"] == 0
    found = [name for name, line in zip(names, box.lines(), strict=True) if "the secret" in line]
    assert found == ["OPENAI_API_KEY", "NAMED_SECRET"]


def test_bubblewrap_lets_no_worker_change_modes_times_or_attributes_outside(box: Sandboxed) -> None:
    target = box.root / "README.md"
    before = target.stat()
    script = f"chmod 777 {target}; touch -d 2001-01-01 {target}; setfattr -n user.x -v y {target}; chmod 777 {box.home}"
    attack(box, "bubblewrap", script)
    after = target.stat()
    assert (before.st_mode, before.st_mtime_ns) == (after.st_mode, after.st_mtime_ns)
    assert box.home.stat().st_mode & 0o777 != 0o777


def test_git_of_the_user_outside_never_sees_the_private_repository_of_bubblewrap(box: Sandboxed) -> None:
    script = f"git config core.fsmonitor 'touch {box.tree}/src/ran; false'; git commit --allow-empty -qm x"
    attack(box, "bubblewrap", script)
    assert (box.tree / ".git").read_text() == f"gitdir: {box.root}/.git/worktrees/task-5\n"


def test_the_rules_of_landlock_are_made_fast(box: Sandboxed) -> None:
    from deedlog.workers.landlock import readable

    hidden = [str(box.home / ".ssh"), str(box.store)]
    for name in ("a", "b", ".ssh"):
        (box.home / name).mkdir()
    found = list(readable("/", hidden))
    assert len(found) < 5_000
    assert str(box.home / "a") in found
    assert not any(path == box.home or str(path).startswith(tuple(hidden)) for path in map(Path, found))


def test_a_worker_cannot_escape_by_a_hard_link_into_the_repository(box: Sandboxed, kind: str) -> None:
    (box.root / ".git/refs/heads/main").chmod(0o666)
    script = f"ln {box.root}/.git/refs/heads/main src/link && echo 1 > src/link; {sys.executable} -c 1"
    attack(box, kind, script)
    assert box.git("rev-parse", "main") == box.first
    assert refused([]) == []
