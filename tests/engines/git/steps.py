"""The things that can happen in a random history."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

from tests.engines.git.histories import AS_THEY_ARE, BRANCHES, FOLDERS, INNER, RULES, SCRATCH, SUBMODULE, History, Step

STEPS: list[Step] = []
FOREIGN: set[str] = set()  # the names of steps that may bring the work of others


def step(times: int = 1, *, foreign: bool = False) -> Callable[[Step], Step]:
    """A step that is taken so many times as often as others."""

    def listed(action: Step) -> Step:
        STEPS.extend([action] * times)
        if foreign:
            FOREIGN.add(action.__name__)
        return action

    return listed


@step(6)
def write(one: History) -> None:
    one.write(one.place(), one.content())


@step(4)
def edit(one: History) -> None:
    if path := one.existing():
        rows = one.read(path).splitlines(keepends=True) or [b""]
        rows[one.chance.randrange(len(rows))] = one.content()
        one.overwrite(path, b"".join(rows))


@step(3)
def append(one: History) -> None:
    if path := one.existing():
        one.overwrite(path, one.read(path) + one.content())


@step(3)
def edit_of_the_same_size(one: History) -> None:
    if path := one.existing():
        one.overwrite(path, bytes(byte ^ 1 if byte > 32 else byte for byte in one.read(path)))


@step(2)
def rewrite_the_same(one: History) -> None:
    if path := one.existing():
        content = one.read(path)
        one.chance.choice([one.overwrite, one.write])(path, content)


@step(2)
def scratch_file(one: History) -> None:
    """Of the same size and age as before, where git has no memory of it."""
    full = one.tree / f"{SCRATCH}{one.chance.randrange(2)}"
    before = full.stat() if full.exists() else None
    full.write_bytes(one.chance.choice([b"one\n", b"two\n"]))
    if before:
        os.utime(full, ns=(before.st_atime_ns, before.st_mtime_ns))
    one.tell(f"{full.name} = {full.read_bytes()!a}")


@step(4)
def delete(one: History) -> None:
    if path := one.existing():
        one.remove(path)


@step(3)
def rename(one: History) -> None:
    old, new = one.existing(), one.place()
    if old and old != new and not new.startswith(f"{old}/"):
        content, mode = one.read(old), (one.tree / old).lstat().st_mode
        link = (one.tree / old).is_symlink()
        one.remove(old)
        one.write(new, content)
        if not link:
            (one.tree / new).chmod(mode & 0o777)


@step(2)
def rename_with_git(one: History) -> None:
    if path := one.existing():
        one.git("mv", "-f", "--", path, one.place())


@step(2)
def rename_folder(one: History) -> None:
    old, new = one.tree / one.chance.choice(FOLDERS), one.tree / one.chance.choice([*FOLDERS, "moved"])
    if old.is_dir() and not os.path.lexists(new) and new.parent.is_dir() and not new.is_relative_to(old):
        old.rename(new)
        one.tell(f"rename {old.name} {new.name}")


@step(3)
def chmod(one: History) -> None:
    path = one.existing()
    if path and not (one.tree / path).is_symlink():
        mode = one.chance.choice([0o644, 0o755, 0o700, 0o600])
        (one.tree / path).chmod(mode)
        one.tell(f"chmod {mode:o} {path!a}")


@step(2)
def link(one: History) -> None:
    path, target = one.place(), one.chance.choice(["a.txt", "dir", "nowhere", ".."])
    one.write(path, b"")
    one.remove(path)
    (one.tree / path).symlink_to(target)
    one.tell(f"link {path!a} {target}")


@step()
def file_becomes_folder(one: History) -> None:
    if path := one.existing():
        one.remove(path)
        one.write(f"{path}/{one.chance.choice(['in', 'side.txt'])}", one.content())


@step()
def folder_becomes_file(one: History) -> None:
    folder = one.chance.choice(FOLDERS)
    if (one.tree / folder).is_dir():
        one.remove(folder)
        one.write(folder, one.content())


@step()
def delete_folder(one: History) -> None:
    one.remove(one.chance.choice(FOLDERS))


@step()
def move_folder_in(one: History) -> None:
    """From elsewhere, with files older than the task."""
    old, new = one.tree.parent / "elsewhere", one.tree / one.chance.choice(["moved", "other/moved"])
    if old.exists() and new.parent.is_dir() and not os.path.lexists(new):
        old.rename(new)
        one.tell(f"move in {new.name}")
    elif not old.exists():
        old.mkdir()
        (old / "old.txt").write_bytes(one.content())
        (old / "old.log").write_bytes(one.content())


@step(4)
def add(one: History) -> None:
    if path := one.existing():
        one.git("add", "--", path)


@step(3)
def add_all(one: History) -> None:
    one.git("add", "--all", "--", *AS_THEY_ARE)


@step(2)
def add_intent(one: History) -> None:
    if path := one.existing():
        one.git("add", "--intent-to-add", "--", path)


@step(2)
def add_by_force(one: History) -> None:
    if path := one.existing():
        one.git("add", "--force", "--", path)


@step(2)
def no_longer_track(one: History) -> None:
    one.git("rm", "-r", "--quiet", "--cached", "--ignore-unmatch", "--", one.place())


@step()
def remove_with_git(one: History) -> None:
    one.git("rm", "-r", "--quiet", "--force", "--ignore-unmatch", "--", one.place())


@step(6)
def commit(one: History) -> None:
    one.git("commit", "--quiet", "--message=step")


@step(4)
def commit_all(one: History) -> None:
    one.git("add", "--all", "--", *AS_THEY_ARE)
    one.git("commit", "--quiet", "--message=all")


@step(2)
def amend(one: History) -> None:
    one.git("commit", "--quiet", "--amend", "--message=amended", *one.chance.choice([[], ["--all"]]))


@step(3, foreign=True)
def reset(one: History) -> None:
    how = one.chance.choice(["--soft", "--mixed", "--hard"])
    one.git("reset", "--quiet", how, one.chance.choice(["HEAD", "HEAD~1", "HEAD~2", "ORIG_HEAD", *BRANCHES]))


@step()
def unstage(one: History) -> None:
    one.git("reset", "--quiet", "--", one.place())


@step(2)
def stash(one: History) -> None:
    untracked = one.chance.choice([[], ["--include-untracked", "--", ".", f":!{INNER}"], ["--keep-index"]])
    one.git("stash", "push", "--quiet", *untracked)


@step(2)
def unstash(one: History) -> None:
    one.git("stash", *one.chance.choice([["pop"], ["pop", "--index"], ["apply"], ["drop"]]))


@step(foreign=True)
def new_branch(one: History) -> None:
    one.git("switch", "--quiet", "--force-create", one.chance.choice(BRANCHES[1:]))


@step(3, foreign=True)
def switch(one: History) -> None:
    how = one.chance.choice([[], [], ["--force"], ["--merge"]])
    one.git("checkout", "--quiet", *how, one.chance.choice([*BRANCHES, "HEAD~1", "-"]), "--")


@step()
def orphan(one: History) -> None:
    one.git("checkout", "--quiet", "--orphan", f"orphan{one.chance.randrange(99)}")


@step(3, foreign=True)
def merge(one: History) -> None:
    how = one.chance.choice([["--no-edit"], ["--no-edit", "--no-ff"], ["--squash"], ["--no-commit"]])
    one.git("merge", "--quiet", *how, one.chance.choice(BRANCHES))


@step(2, foreign=True)
def rebase(one: History) -> None:
    one.git("rebase", "--quiet", *one.chance.choice([[], ["--autostash"]]), one.chance.choice(BRANCHES))


@step(2)
def cherry_pick(one: History) -> None:
    one.git("cherry-pick", one.chance.choice(BRANCHES))


@step()
def revert(one: History) -> None:
    one.git("revert", "--no-edit", "HEAD")


@step(2, foreign=True)
def give_up(one: History) -> None:
    for command in ("merge", "rebase", "cherry-pick", "revert"):
        one.git(command, "--abort")


@step(2)
def restore(one: History) -> None:
    source = one.chance.choice([[], [], ["--staged"], ["--source=feature"], ["--staged", "--worktree"]])
    one.git("restore", *source, "--", one.place())


@step()
def clean(one: History) -> None:
    one.git("clean", "--quiet", "-fd", *one.chance.choice([[], ["-x"], ["-X"]]))


@step(3)
def ignore(one: History) -> None:
    place = one.chance.choice([".gitignore", ".gitignore", "dir/.gitignore", ".git/info/exclude"])
    rules = one.chance.sample(RULES, one.chance.randrange(4))
    if place != "dir/.gitignore" or (one.tree / "dir").is_dir():
        one.write(place, "".join(f"{rule}\n" for rule in rules).encode())


@step()
def tidy(one: History) -> None:
    if one.chance.random() < 0.3:
        one.git("reflog", "expire", "--expire=now", "--all")
        one.git("gc", "--quiet", "--prune=now")
    else:
        one.git("pack-refs", "--all")


@step()
def flag(one: History) -> None:
    one.git("update-index", one.chance.choice(["--assume-unchanged", "--no-assume-unchanged"]), "--", one.place())


@step()
def other_index(one: History) -> None:
    one.git("update-index", one.chance.choice(["--split-index", "--no-split-index", "--index-version=4", "--refresh"]))


@step(2)
def repository_inside(one: History) -> None:
    inner = one.tree / INNER
    if not inner.exists():
        inner.mkdir()
        one.git("init", "--quiet", at=INNER)
    elif one.chance.random() < 0.15:
        shutil.rmtree(inner)
        one.tell("remove the repository inside")
        return
    name = one.chance.choice(["n.txt", "deep/m.txt", "x.log"])
    one.write(f"{INNER}/{name}", one.content())
    if one.chance.random() < 0.5:
        one.git("add", "--all", at=INNER)
        one.git("commit", "--quiet", "--message=inside", at=INNER)


@step()
def touch(one: History) -> None:
    path = one.existing()
    if path and not (one.tree / path).is_symlink():
        os.utime(one.tree / path)
        one.tell(f"touch {path!a}")


@step(3, foreign=True)
def in_the_submodule(one: History) -> None:
    if not (one.tree / SUBMODULE).is_dir():
        return
    name = one.chance.choice(["lib.c", "lib.h", "new.c"])
    what = one.chance.random()
    if what < 0.5:
        one.write(f"{SUBMODULE}/{name}", one.content())
    elif what < 0.6:
        one.remove(f"{SUBMODULE}/{name}")
    elif what < 0.8:
        one.git("add", "--all", at=SUBMODULE)
        one.git("commit", "--quiet", "--message=inside", at=SUBMODULE)
    elif what < 0.9:
        one.git("checkout", "--quiet", one.chance.choice([["--", "."], ["HEAD~1"], ["main"]])[-1], at=SUBMODULE)
    else:
        one.git("submodule", "--quiet", "update", "--force")
