"""Bringing commits from a repository that nobody trusts into the user's.

Git never runs in that repository and never reads its settings. It reads only its objects, and the user's repository
computes the name of each object again from its contents.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile

from deedlog.core.errors import Conflict, Part
from deedlog.git.acting import ActingGit
from deedlog.git.command import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import IO

LOOSE = re.compile(r"[0-9a-f]{2}")
PACKED = (".pack", ".idx")
# an index of objects that somebody wrote may claim anything
SETTINGS = {"core.commitGraph": "false", "core.multiPackIndex": "false", "pack.useBitmaps": "false"}
MISSING = 128


class Refused(Conflict):
    """The repository holds something that no git would have written."""


def bring(common: str, objects: str, tips: Collection[str]) -> None:
    """Let the user's repository have these commits, or tags, and all they need; `objects` is where new ones are."""
    git = ActingGit(tree=common, git_dir=common, settings=SETTINGS)
    wanted = [tip for tip in dict.fromkeys(tips) if not _has(git, tip)]
    if not wanted:
        return
    _refuse_links(objects)
    _clean(objects)
    _copy(git, objects, wanted)
    for tip in wanted:
        if not _has(git, tip):
            raise Refused(f"the commit {tip[:12]} of the worker is not whole", part=Part.GIT)


def _has(git: ActingGit, tip: str) -> bool:
    """Whether the repository has an object with all it leads to, as far as no ref has it already."""
    if git.ask("cat-file", "-e", tip, fine=(0, 1, MISSING))[0]:
        return False
    words = ("rev-list", "--objects", "--quiet", *_partial(git), tip, "--not", "--all")
    return git.ask(*words, fine=(0, 1, MISSING))[0] == 0


def _partial(git: ActingGit) -> list[str]:
    """A partial clone lacks objects that its remote has."""
    found = git.run("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$", fine=(0, 1))
    return ["--exclude-promisor-objects"] if found else []


def _refuse_links(objects: str) -> None:
    folder, name = os.path.split(objects)
    if os.path.islink(objects) or os.path.islink(folder) or not os.path.isdir(objects):
        raise Refused(f"the worker replaced its folder of {name}", part=Part.GIT)


def _clean(objects: str) -> None:
    """Remove all but objects and packs in plain files: what else git would read could lead it elsewhere."""
    for entry in _entries(objects):
        is_folder = entry.is_dir(follow_symlinks=False)
        if not (is_folder and (entry.name == "pack" or LOOSE.fullmatch(entry.name))):
            _remove(entry)
            continue
        for inner in _entries(entry.path):
            known = entry.name != "pack" or inner.name.endswith(PACKED)
            if not (known and inner.is_file(follow_symlinks=False)):
                _remove(inner)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        os.chmod(folder, 0o700)
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        raise Refused(f"the objects of the worker cannot be read: {error.strerror}", part=Part.GIT) from error


def _remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path)
    else:
        os.unlink(entry.path)


def _copy(git: ActingGit, objects: str, tips: list[str]) -> None:
    """Pack what the refs of the repository do not have, and let the repository unpack it."""
    known = git.run("for-each-ref", "--format=%(objectname)").decode().split()
    asked = "".join([*(f"{tip}\n" for tip in tips), "--not\n", *(f"{oid}\n" for oid in dict.fromkeys(known))])
    words = ("pack-objects", "--quiet", "--revs", "--thin", "--stdout", "--delta-base-offset", *_partial(git))
    borrowed = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_ALTERNATE_OBJECT_DIRECTORIES": listed(objects)}
    with tempfile.TemporaryFile() as asking:
        asking.write(asked.encode())
        asking.seek(0)
        packing = _started(git, words, asking, subprocess.PIPE, borrowed)
    unpacking = _started(git, ("index-pack", "--stdin", "--strict", "--fix-thin"), packing.stdout, subprocess.DEVNULL)
    assert packing.stdout is not None
    packing.stdout.close()
    codes = unpacking.wait(), packing.wait()
    if any(codes):
        raise Refused("the commits of the worker are damaged, or not whole", part=Part.GIT)


def _started(
    git: ActingGit, words: tuple[str, ...], stdin: IO[bytes] | None, stdout: int, more: dict[str, str] | None = None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  # a list of arguments, never a shell
        git.command(words, {}),
        env={**git.environment(), **(more or {})},
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
    )
