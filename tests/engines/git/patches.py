"""Whether a patch and its counts of lines are true."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from deedlog.core.change import ARRIVED, HEAD, MIXED, NOT_IN_PATCH, NOT_KEPT, NOT_READ, WITHHELD, Change, Comparison
from tests.engines.git.histories import INNER, SUBMODULE
from tests.engines.git.repo import scrubbed
from tests.engines.git.walk import File, Seen, look

INSIDE = (INNER, SUBMODULE)
LEFT_OUT = (NOT_IN_PATCH, NOT_KEPT, NOT_READ, WITHHELD)


def left_out(change: Change) -> bool:
    """Whether its content is not in the patch."""
    return change.note.startswith(LEFT_OUT)


def check_patch(place: Path, before: Seen, after: Seen, compared: Comparison) -> list[str]:
    """What is wrong with it. What the task changed on top of others' work has no start state to apply it to."""
    own = [one for one in compared.changes if one.origin != ARRIVED and not left_out(one)]
    if any(one.origin == MIXED or not known(one, before) or is_submodule(one, before, after) for one in own):
        return []
    if any(one.place not in ("", HEAD) or (one.place and one.path.startswith(INSIDE)) for one in own):
        return []
    wrong = []
    for where in {one.place for one in own}:  # a folder on disk may be a file in a commit
        there = [one for one in own if one.place == where]
        paths = [one.path for one in there]
        lay_out(place / "old", before.files, paths)
        lay_out(place / "new", after.committed if where else after.files, paths)
        patch = b"".join(compared.patches.get(path, b"") for path in paths)
        wrong += wrong_counts(place, there) + wrong_result(place, patch)
        shutil.rmtree(place)
    return wrong


def known(one: Change, before: Seen) -> bool:
    """Whether the engine could know the file's start; of what git ignored then it could not."""
    return one.path in before.shown or one.path not in before.files


def is_submodule(one: Change, *seen: Seen) -> bool:
    """Whose commit git shows as a line of text, and does not apply."""
    return any(one.path in moment.files and moment.files[one.path].mode == "submodule" for moment in seen)


def lay_out(folder: Path, files: dict[str, File], paths: Iterable[str]) -> None:
    folder.mkdir(parents=True)
    for path in paths:
        if path in files:
            mode, content = files[path]
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            if mode == "link":
                (folder / path).symlink_to(os.fsdecode(content))
            else:
                (folder / path).write_bytes(content)
                (folder / path).chmod(0o755 if mode == "program" else 0o644)


def run(place: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {**scrubbed(), "GIT_CEILING_DIRECTORIES": str(place.parent)}
    return subprocess.run(
        ["git", *arguments], cwd=place, env=environment, input=given, capture_output=True, check=False
    )


def wrong_result(place: Path, patch: bytes) -> list[str]:
    """Applied to the old files it gives the new ones, byte for byte."""
    if patch:
        done = run(place / "old", "apply", "--whitespace=nowarn", given=patch)
        if done.returncode:
            return [f"the patch does not apply: {done.stderr!a}", os.fsdecode(patch)]
    got, wanted = look(str(place / "old")).files, look(str(place / "new")).files
    return [f"patched {path!a} differs" for path in got.keys() | wanted.keys() if got.get(path) != wanted.get(path)]


def wrong_counts(place: Path, own: Iterable[Change]) -> list[str]:
    """Lines are counted as `git diff --numstat` counts them; those of a rename are where the new name stands."""
    counts = numbers(place, "--no-renames", "old", "new")
    wrong = []
    for one in own:
        if one.renamed_to:
            wanted: tuple[int | None, int | None] = (0, 0)
        elif one.renamed_from:
            wanted = next(iter(numbers(place, f"old/{one.renamed_from}", f"new/{one.path}").values()), (0, 0))
        else:
            wanted = counts.get(one.path, (0, 0))
        if (one.added, one.deleted) != wanted:
            wrong.append(f"{one.path!a} counts {one.added}, {one.deleted} and not {wanted}")
    return wrong


def numbers(place: Path, *what: str) -> dict[str, tuple[int | None, int | None]]:
    out = run(place, "diff", "--no-index", "--numstat", "-z", *what).stdout
    words = iter(os.fsdecode(out).split("\0"))
    found: dict[str, tuple[int | None, int | None]] = {}
    for facts in words:
        if not facts:
            break
        added, deleted, name = facts.split("\t", 2)
        old, new = (name, name) if name else (next(words), next(words))
        path = (old if new == "/dev/null" else new).split("/", 1)[1]
        counts = (None, None) if added == "-" else (int(added), int(deleted))
        before = found.get(path)  # a change of the kind of file is two rows
        found[path] = _sum(before, counts) if before else counts
    return found


def _sum(one: tuple[int | None, int | None], other: tuple[int | None, int | None]) -> tuple[int | None, int | None]:
    if None in (*one, *other):
        return None, None
    return (one[0] or 0) + (other[0] or 0), (one[1] or 0) + (other[1] or 0)
