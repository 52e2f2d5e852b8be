"""A session's work tree while a worker has it: with a private repository, whose commits are taken back at the end.

`deedlog-lent`, in what git keeps of the tree, says what was lent. It goes last: killed at any line, the next call
takes back the rest.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time

from deedlog.core.errors import DeedlogError, Part, Unavailable
from deedlog.git.acting import ActingGit
from deedlog.git.branches import HEADS, tip
from deedlog.git.command import Git
from deedlog.git.foreign_objects import Refused, bring
from deedlog.git.head_log import steps, write_log
from deedlog.git.kept import SPACE
from deedlog.git.large_files import bring_large_files
from deedlog.git.making import own_branch
from deedlog.git.private import RULES, make_private, pointer_to, read_small, write_whole
from deedlog.git.private_refs import PrivateRefs
from deedlog.ports import Lent
from deedlog.project import PRIVATE, STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LENT = "deedlog-lent"
POINTER = "deedlog-pointer"
KEPT_THERE = "modules"  # repositories of submodules: their work trees point there
ASIDE = "replaced-git"
TOOK = "deedlog: took back the work of a session"
MOST_OTHERS = 100
UNFINISHED = (
    *("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG"),
    *("rebase-merge", "rebase-apply", "sequencer"),
)


def lend(common: str, git_dir: str, tree: str) -> Lent:
    """Make a private repository for the worker in a tree. A second call answers the same."""
    folder = os.path.join(git_dir, PRIVATE)
    place = os.path.join(git_dir, LENT)
    lent = Lent(folder=folder, pointer=os.path.join(git_dir, POINTER), common=common)
    if os.path.lexists(place) and os.path.isdir(folder):
        return lent
    branch, at = own_branch(git_dir)
    head = Git(tree=tree, git_dir=git_dir).run("symbolic-ref", "--quiet", "HEAD", fine=(0, 1)).decode().strip()
    if head != HEADS + branch:
        head = Git(tree=tree, git_dir=git_dir).run("rev-parse", "HEAD").decode().strip()
    try:
        shutil.rmtree(folder, ignore_errors=True)
        pointer = read_small(os.path.join(tree, ".git"), 4096) or pointer_to(git_dir)
        known = {"branch": branch, "tip": at, "pointer": os.fsdecode(pointer), "refs": {}}
        write_whole(place, json.dumps(known).encode())  # before anything that the worker could change
        refs = make_private(common, folder, tree, head=head, linked=git_dir)
        write_whole(place, json.dumps({**known, "refs": refs}).encode())
        write_whole(lent.pointer, pointer_to(folder))
    except OSError as error:
        raise Unavailable(
            f"{place} cannot be written: {error.strerror}", hint="check the space there", part=Part.GIT
        ) from error
    return lent


def take_back(common: str, git_dir: str, tree: str) -> list[str]:
    """Bring what the worker committed into the user's repository; returns what a person should know.

    The worker and all its processes must have ended.
    """
    place = os.path.join(git_dir, LENT)
    known = _known(place)
    if known is None:
        return []
    _point_back(tree, os.fsencode(known["pointer"]))
    folder = os.path.join(git_dir, PRIVATE)
    warnings: list[str] = known.get("taken") or []
    if os.path.lexists(folder):
        if "taken" not in known:
            warnings = _taken(common, git_dir, tree, known)
            write_whole(place, json.dumps({**known, "taken": warnings}).encode())  # from here on it may be half gone
        _clear(folder)
    os.unlink(place)
    return warnings


def _taken(common: str, git_dir: str, tree: str, known: dict[str, Any]) -> list[str]:
    try:
        return _Returned(common, git_dir, tree, known).take()
    except Refused as error:
        at = known["tip"][:12]
        return [f"{error.message}: its branch {known['branch']} stays at {at}, its files are in the tree"]


def _known(place: str) -> dict[str, Any] | None:
    try:
        with open(place, "rb") as file:
            found: dict[str, Any] = json.load(file)
    except FileNotFoundError:
        return None
    return found


def _point_back(tree: str, pointer: bytes) -> None:
    """Let the tree belong to the user's repository again; a repository in the place of `.git` is set aside."""
    path = os.path.join(tree, ".git")
    if not os.path.isdir(tree) or read_small(path, 4096) == pointer:
        return
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            ours = os.path.join(tree, STATE)  # git does not look there
            folder = ours if os.path.isdir(ours) and not os.path.islink(ours) else tree
            os.rename(path, os.path.join(folder, f"{ASIDE}-{os.urandom(4).hex()}"))
        write_whole(path, pointer)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be put back: {error.strerror}", hint="check the permissions there", part=Part.GIT
        ) from error


def _clear(folder: str) -> None:
    """Remove a private repository, but for the repositories of submodules."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        os.unlink(folder)
        return
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name == KEPT_THERE:
            continue
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)


class _Returned:
    """A private repository whose worker has ended."""

    def __init__(self, common: str, git_dir: str, tree: str, known: dict[str, Any]) -> None:
        self._common = common
        self._git_dir = git_dir
        self._tree = tree
        self._folder = os.path.join(git_dir, PRIVATE)
        self._branch: str = known["branch"]
        self._tip: str = known["tip"]
        self._refs: dict[str, str] = known["refs"]
        self._git = ActingGit(tree=common, git_dir=common)

    def take(self) -> list[str]:
        if os.path.islink(self._folder) or not os.path.isdir(self._folder):
            raise Refused("the worker replaced its repository", part=Part.GIT)
        private = PrivateRefs(self._folder)
        refs = private.all()
        now = refs.get(HEADS + self._branch, "")
        head, is_on_branch = private.head(refs, HEADS + self._branch)
        others = {name: oid for name, oid in refs.items() if self._refs.get(name) != oid}
        others.pop(HEADS + self._branch, None)
        listed = dict(sorted(others.items())[:MOST_OTHERS])
        self._bring(*(oid for oid in (now, head) if oid))
        came = steps(self._git, self._tip, head or now or self._tip)  # before a ref leads there
        write_log(os.path.join(self._git_dir, "logs", "HEAD"), came, int(time.time()))
        warnings = self._move(now)
        warnings += bring_large_files(os.path.join(self._folder, "lfs"), os.path.join(self._common, "lfs"))
        unfinished = [name for name in UNFINISHED if os.path.lexists(os.path.join(self._folder, name))]
        self._stand(head or now or self._tip, detached=not is_on_branch or bool(unfinished))
        warnings += self._keep(listed)
        if not now:
            warnings.append(f"the worker removed its branch {self._branch}: it stays at {self._tip[:12]}")
        return warnings

    def _bring(self, *commits: str) -> None:
        bring(self._common, os.path.join(self._folder, "objects"), commits)
        if any(self._git.run("cat-file", "-t", oid).strip() != b"commit" for oid in commits):
            raise Refused("the branch of the worker is at no commit", part=Part.GIT)

    def _move(self, now: str) -> list[str]:
        """Move the branch from where it was lent to where the worker left it."""
        at = tip(self._git, self._branch)
        if not now or now == at:
            return []
        if at == self._tip:
            said = [step.said for step in steps(self._git, at, now)]
            why = said[0] if len(said) == 1 and not said[0].startswith("commit") else TOOK
            order = os.fsencode(f"update {HEADS}{self._branch}\0{now}\0{at}\0")
            self._git.run("update-ref", "--create-reflog", "-m", why, "-z", "--stdin", stdin=order)
            return []
        kept = self._keep({HEADS + self._branch: now})
        return [f"the branch {self._branch} moved in your repository while the worker ran, and stays there", *kept]

    def _keep(self, refs: dict[str, str]) -> list[str]:
        """Keep other branches, tags and stashes of the worker under refs of ours."""
        name = os.path.basename(self._git_dir)
        warnings = []
        for ref, oid in refs.items():
            kept = f"{SPACE}{name}.refs/{ref.removeprefix('refs/')}"
            try:
                bring(self._common, os.path.join(self._folder, "objects"), [oid])
                self._git.run("update-ref", "-m", TOOK, kept, oid)
            except DeedlogError:
                warnings.append(f"the worker's {ref} cannot be kept")
            else:
                warnings.append(f"the worker made or moved {ref}: it is kept as {kept}")
        return warnings

    def _stand(self, commit: str, *, detached: bool) -> None:
        """Let HEAD and the index of the tree be those of the worker's last commit; its own index is not read."""
        if not os.path.isdir(self._tree):
            return
        git = ActingGit(tree=self._tree, git_dir=self._git_dir)
        if detached:
            write_whole(os.path.join(self._git_dir, "HEAD"), f"{commit}\n".encode())
        git.run("read-tree", "--reset", commit)
        if os.path.isfile(os.path.join(self._git_dir, RULES)):
            with tempfile.TemporaryDirectory() as empty:  # nothing is there to be removed or written
                git.replace(tree=empty).run("sparse-checkout", "reapply")
