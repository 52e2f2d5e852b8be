"""What two plain diffs would say a task changed, held against what Deedlog found."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from deedlog.faces.cli.demo.scratch import Scratch

    Json = dict[str, Any]

STATUSES = {b"A": "added", b"M": "modified", b"D": "deleted"}
OWN = ("task", "subtask")
DIRTY = "it was like this before the start"
ARRIVED = "a merge brought it: somebody else did this"
AS_BEFORE = "it was put back: nothing differs from the start"
UNTRACKED = "git diff does not look at untracked files"
OTHER_BASE = "git diff compares with a commit, not with the start"


def head(scratch: Scratch) -> str:
    return scratch.git("rev-parse", "HEAD").decode().strip()


def untracked(scratch: Scratch) -> set[str]:
    words = scratch.git("ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    return {os.fsdecode(word) for word in words if word}


def dirty(scratch: Scratch) -> set[str]:
    """What is not committed."""
    return untracked(scratch) | claimed(scratch, "HEAD").keys()


def claimed(scratch: Scratch, since: str) -> dict[str, str]:
    """The union of two diffs: what was committed since, and what is not committed."""
    found: dict[str, str] = {}
    for sides in ((since, "HEAD"), ("HEAD",)):
        words = scratch.git("diff", "--name-status", "-z", *sides).split(b"\0")
        pairs = zip(words[0::2], words[1::2], strict=False)
        found |= {os.fsdecode(path): STATUSES.get(status, "modified") for status, path in pairs}
    return found


def compared(
    claims: Mapping[str, str], changes: Sequence[Json], before: Collection[str], unseen: Collection[str]
) -> Json:
    """What git claims and where it is wrong; `before` was dirty at the start, `unseen` is untracked at the end."""
    found = {row["path"]: row["status"] for row in changes if row["by"] in OWN}
    arrived = {row["path"] for row in changes if row["by"] == "arrived"}
    blamed = [path for path in sorted(claims) if path not in found]
    missed = [path for path in sorted(found) if path not in claims]
    mistaken = [path for path in sorted(found) if path in claims and claims[path] != found[path]]
    return {
        "claims": dict(sorted(claims.items())),
        "blamed": [
            {"path": path, "why": ARRIVED if path in arrived else DIRTY if path in before else AS_BEFORE}
            for path in blamed
        ],
        "missed": [{"path": path, "why": UNTRACKED if path in unseen else OTHER_BASE} for path in missed],
        "mistaken": [{"path": path, "why": f"{found[path]}, not {claims[path]}"} for path in mistaken],
    }
