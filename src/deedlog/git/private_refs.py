"""The refs of a private repository, read without git: a worker may have written anything there."""

from __future__ import annotations

import os
import re

from deedlog.git.private import read_small

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OBJECT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
NAME = re.compile(r"refs/(?:heads/.+|tags/.+|stash)")
READ = ("refs/heads", "refs/tags")
MOST_BYTES, LARGEST_PACKED = 4096, 64_000_000
MOST = 10_000
DEEPEST = 20


class PrivateRefs:
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def all(self) -> dict[str, str]:
        """Branches, tags and the stash, with what they are at. A ref that is no plain file is not there."""
        found = self._packed()
        for name in (*self._loose("refs/heads", DEEPEST), *self._loose("refs/tags", DEEPEST), "refs/stash"):
            text = read_small(os.path.join(self._folder, name), MOST_BYTES)
            if text is not None and OBJECT.fullmatch(text.strip()):
                found[name] = text.strip().decode()
        return found

    def head(self, refs: dict[str, str], branch: str) -> tuple[str, bool]:
        """The commit HEAD is at, and whether it is on the branch."""
        text = (read_small(os.path.join(self._folder, "HEAD"), MOST_BYTES) or b"").strip()
        if OBJECT.fullmatch(text):
            return text.decode(), False
        name = os.fsdecode(text.removeprefix(b"ref: "))
        return refs.get(name, ""), name == branch

    def _packed(self) -> dict[str, str]:
        text = read_small(os.path.join(self._folder, "packed-refs"), LARGEST_PACKED) or b""
        found = {}
        for line in text.splitlines():
            oid, _, name = line.partition(b" ")
            if OBJECT.fullmatch(oid) and NAME.fullmatch(os.fsdecode(name)):
                found[os.fsdecode(name)] = oid.decode()
        return found

    def _loose(self, folder: str, deep: int) -> Iterator[str]:
        try:
            with os.scandir(os.path.join(self._folder, folder)) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)[:MOST]
        except OSError:
            return
        for entry in entries:
            name = f"{folder}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from self._loose(name, deep - 1) if deep else ()
            elif entry.is_file(follow_symlinks=False) and not name.endswith(".lock"):
                yield name
