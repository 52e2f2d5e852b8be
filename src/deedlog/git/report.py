"""What the task did, as changes with line counts and one patch.

The changed files alone are put into two small trees, before and after, so that git compares what
changed and nothing else, and finds renames among it.
"""

from __future__ import annotations

import os
import re
from itertools import pairwise
from typing import NamedTuple

from deedlog.core.change import (
    ADDED,
    ARRIVED,
    DELETED,
    MODIFIED,
    NOT_IN_PATCH,
    NOT_KEPT,
    NOT_READ,
    WITHHELD,
    Change,
)
from deedlog.core.secret import may_be_secret
from deedlog.git.command import GitFailed, unquoted
from deedlog.git.contents import LARGE, UNREADABLE
from deedlog.git.pack import Pack
from deedlog.git.status import EMPTY_BLOBS, GITLINK
from deedlog.git.trees import without_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.git.command import Git
    from deedlog.git.deed import Deed

    Facts = dict[str, Any]

MOST_PATCH = 32 * 1024 * 1024
MOST_RENAMES = "-l400"
SECTION = re.compile(rb"^diff --git ", re.MULTILINE)
BINARY = "binary"
NEW_MODE = b"\nnew mode "
MODE_LENGTH = 6
IF_THERE = ("--objects", "--no-object-names", "--no-walk", "--ignore-missing", "--missing=print", "--stdin")


class _Section(NamedTuple):
    """One file of the patch, in one part or two; in none where git has nothing to show."""

    status: str
    old: str
    new: str
    texts: list[bytes]

    @property
    def counts(self) -> tuple[int, int] | None:
        """Lines added and deleted; None where there are no lines."""
        added = deleted = 0
        if not self.texts:
            return None
        for text in self.texts:
            hunks = text.find(b"\n@@ ")
            if hunks >= 0:
                added += text.count(b"\n+", hunks)
                deleted += text.count(b"\n-", hunks)
            elif b"\nGIT binary patch\n" in text or b"\nBinary files " in text:
                return None
        return added, deleted

    @property
    def mode_told(self) -> str:
        """That the mode is another one; in the lines of the file nothing can begin like that."""
        first = self.texts[0] if self.texts else b""
        at = first.find(NEW_MODE)
        if at < 0:
            return ""
        start = at + len(NEW_MODE)
        return f"mode changed to {first[start : start + MODE_LENGTH].decode()}"


def report(git: Git, hash_name: str, deeds: dict[str, Deed]) -> tuple[list[Change], dict[str, bytes]]:
    """The changes, sorted by path, and the patch of those the task made itself, piece by piece."""
    own = {path: deed for path, deed in deeds.items() if deed.origin != ARRIVED}
    left_out = _left_out(git, own, _secrets(deeds))
    facts: dict[str, Facts] = {path: {"note": note} for path, note in left_out.items()}
    patches = {}
    size = 0
    for section in _all_sections(git, hash_name, {path: deed for path, deed in own.items() if path not in left_out}):
        piece = b"".join(section.texts)
        kept = size + len(piece) <= MOST_PATCH
        if kept and piece:
            patches[section.new] = piece
            size += len(piece)
        facts |= _facts(section, "" if kept and piece else NOT_IN_PATCH if piece else NOT_KEPT)
    changes = [_change(path, deed, facts.get(path, {})) for path, deed in sorted(deeds.items())]
    return changes, dict(sorted(patches.items())) if any(deed.place for deed in own.values()) else patches


def _change(path: str, deed: Deed, facts: Facts) -> Change:
    note = "; ".join(filter(None, (facts.get("note", ""), deed.note)))
    return Change(path=path, status=_status(deed), origin=deed.origin, **{**facts, "note": note}, place=deed.place)


def _status(deed: Deed) -> str:
    before = deed.start if deed.origin == ARRIVED else deed.found
    return ADDED if before is None else DELETED if deed.end is None else MODIFIED


def _left_out(git: Git, own: dict[str, Deed], secret: set[str]) -> dict[str, str]:
    """The paths whose contents cannot or shall not be shown, and why."""
    found: dict[str, str] = {}
    wanted: dict[str, list[str]] = {}
    for path, deed in own.items():
        oids = _contents(deed)
        if any(oid.startswith(UNREADABLE) for oid in oids):
            found[path] = NOT_READ
        elif may_be_secret(path) or not secret.isdisjoint(oids):
            found[path] = WITHHELD
        for oid in oids if path not in found else ():
            wanted.setdefault(oid, []).append(path)
    sizes = _sizes(git, list(wanted))
    for oid, paths in wanted.items():
        if sizes.get(oid, LARGE + 1) > LARGE:
            found |= dict.fromkeys(paths, NOT_KEPT)
    return found


def _contents(deed: Deed) -> list[str]:
    return [state[1] for state in (deed.found, deed.end) if state and state[0] != GITLINK]


def _secrets(deeds: dict[str, Deed]) -> set[str]:
    """What files that may hold secrets held before: a secret stays one where the file gets another name."""
    states = [state for path, deed in deeds.items() if may_be_secret(path) for state in (deed.start, deed.found)]
    return {state[1] for state in states if state and state[1].encode() not in EMPTY_BLOBS}


def _sizes(git: Git, oids: list[str]) -> dict[str, int]:
    """How large those contents are that are there."""
    if not oids:
        return {}
    words = ("cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer")
    try:
        rows = git.run(*words, stdin=_listed(oids)).decode().splitlines()
    except GitFailed:  # a clone without all contents: git wants to fetch them, and may not
        there = git.run("rev-list", *IF_THERE, stdin=_listed(oids)).split()
        rows = git.run(*words, stdin=b"".join(oid + b"\n" for oid in there)).decode().splitlines()
    found = (row.split(" ", 1) for row in rows)
    return {oid: int(size) for oid, size in found if size != "missing"}


def _listed(oids: list[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode()


def _all_sections(git: Git, hash_name: str, own: dict[str, Deed]) -> Iterator[_Section]:
    """What is in the tree and what is elsewhere are compared each for itself: a rename is within one place."""
    for place in sorted({deed.place for deed in own.values()}):
        yield from _sections(git, hash_name, {path: deed for path, deed in own.items() if deed.place == place})


def _sections(git: Git, hash_name: str, own: dict[str, Deed]) -> Iterator[_Section]:
    if not own:
        return
    pack = Pack(hash_name)
    before = pack.add_tree({path: deed.found for path, deed in own.items() if deed.found})
    after = pack.add_tree({path: deed.end for path, deed in own.items() if deed.end})
    pack.write(git.objects)
    out = without_index(git).run(
        "diff-tree", "-r", "-M", MOST_RENAMES, "--raw", "-p", "--binary", "--full-index", "--no-abbrev",
        "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", before, after,
    )  # fmt: skip
    listed, _, patch = out.partition(b"\n\n")
    texts = _texts(patch)
    for line in listed.splitlines():
        facts, *names = line.split(b"\t")
        status = facts.split(b" ")[4][:1].decode()
        old, new = os.fsdecode(unquoted(names[0])), os.fsdecode(unquoted(names[-1]))
        header = b"diff --git %s %s" % (_prefixed(b"a/", names[0]), _prefixed(b"b/", names[-1]))
        yield _Section(status=status, old=old, new=new, texts=texts.get(header, []))


def _texts(patch: bytes) -> dict[bytes, list[bytes]]:
    """The parts of the patch by their first lines.

    There are two where the kind of file changed: git writes one deleted, then the other one added.
    """
    starts = [found.start() for found in SECTION.finditer(patch)]
    found: dict[bytes, list[bytes]] = {}
    for start, end in pairwise([*starts, len(patch)]):
        text = patch[start:end]
        found.setdefault(text.partition(b"\n")[0], []).append(text)
    return found


def _prefixed(prefix: bytes, name: bytes) -> bytes:
    return b'"' + prefix + name[1:] if name.startswith(b'"') else prefix + name


def _facts(section: _Section, note: str) -> dict[str, Facts]:
    """What a section tells about its path, or about both paths of a rename."""
    counts = section.counts
    found: Facts = {"note": "; ".join(filter(None, (note or ("" if counts else BINARY), section.mode_told)))}
    if counts:
        found |= {"added": counts[0], "deleted": counts[1]}
    if section.status != "R":
        return {section.new: found}
    return {
        section.old: {"renamed_to": section.new, "added": 0, "deleted": 0},
        section.new: {**found, "renamed_from": section.old},
    }
