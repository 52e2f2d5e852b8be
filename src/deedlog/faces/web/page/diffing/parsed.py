"""A patch in git's format as files, hunks and lines, from which its text can be made again exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from deedlog.core.patch import paths_of, pieces

SAME, ADDED, REMOVED = " ", "+", "-"
UNENDED = "\\ No newline at end of file"
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)", re.DOTALL)
BINARY = ("GIT binary patch", "Binary files ")
MODES = {"100644": "file", "100755": "executable", "120000": "symbolic link", "160000": "submodule"}
KINDS = {"new file mode": "added", "deleted file mode": "deleted", "rename from": "renamed", "copy from": "copied"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line; `text` is without its line break, undecodable bytes are lone surrogates."""

    sign: str
    text: str
    old: int | None
    new: int | None
    ended: bool = True  # by a line break
    bare: bool = False  # an empty line that stands without its sign, as git may be told to write them


@dataclass(frozen=True, slots=True)
class Hunk:
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    about: str  # what git says it is in, with the space before it
    lines: list[Line]

    @property
    def header(self) -> str:
        return f"@@ -{_range(self.old_start, self.old_count)} +{_range(self.new_start, self.new_count)} @@{self.about}"


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What became of one file; `head` is what stands before its hunks, `bytes_part` what git writes of a binary one."""

    old_path: str
    new_path: str
    status: str
    head: str
    old_mode: str = ""
    new_mode: str = ""
    binary: bool = False
    bytes_part: str = ""
    hunks: list[Hunk] = field(default_factory=list)

    @property
    def lines(self) -> int:
        return sum(len(hunk.lines) for hunk in self.hunks)

    @property
    def mode_told(self) -> str:
        """What to say where the mode is another one, or is none of a plain file."""
        if self.old_mode and self.new_mode and self.old_mode != self.new_mode:
            return f"{mode_name(self.old_mode)} → {mode_name(self.new_mode)}"
        only = self.new_mode or self.old_mode
        return mode_name(only) if only not in ("", "100644") else ""


def parse(patch: bytes) -> list[FilePatch]:
    return [_file(piece) for piece in pieces(patch)]


def text_of(file: FilePatch) -> str:
    """The patch of a file as it was."""
    parts = [file.head, file.bytes_part]
    for hunk in file.hunks:
        parts.append(hunk.header + "\n")
        for line in hunk.lines:
            parts.append(("" if line.bare else line.sign) + line.text + "\n")
            if not line.ended:
                parts.append(UNENDED + "\n")
    return "".join(parts)


def mode_name(mode: str) -> str:
    return MODES.get(mode, mode)


def _file(piece: bytes) -> FilePatch:
    old_path, new_path = paths_of(piece)
    lines = piece.decode("utf-8", "surrogateescape").split("\n")
    end = next((at for at, line in enumerate(lines) if line.startswith(("@@ ", *BINARY))), len(lines))
    binary = end < len(lines) and lines[end].startswith(BINARY)
    head = lines[:end]
    return FilePatch(
        old_path=old_path,
        new_path=new_path,
        status=next(
            (kind for start, kind in KINDS.items() if any(line.startswith(start) for line in head)), "modified"
        ),
        head="\n".join(head) + ("\n" if end < len(lines) else ""),
        **_modes(head),
        binary=binary,
        bytes_part="\n".join(lines[end:]) if binary else "",
        hunks=[] if binary else _hunks(lines, end),
    )


def _modes(head: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in head:
        for start, names in (
            ("old mode ", ("old_mode",)),
            ("new mode ", ("new_mode",)),
            ("new file mode ", ("new_mode",)),
            ("deleted file mode ", ("old_mode",)),
        ):
            if line.startswith(start):
                found |= dict.fromkeys(names, line.removeprefix(start).strip())
    return found


def _hunks(lines: list[str], at: int) -> list[Hunk]:
    hunks = []
    while at < len(lines) and (found := HUNK.fullmatch(lines[at])):
        numbers = [1 if number is None else int(number) for number in found.groups()[:4]]
        old_start, old_count, new_start, new_count = numbers
        body, at = _body(lines, at + 1, numbers)
        hunks.append(Hunk(old_start, old_count, new_start, new_count, found.group(5), body))
    return hunks


def _body(lines: list[str], at: int, numbers: list[int]) -> tuple[list[Line], int]:
    """The lines of a hunk, by how many its header says there are, and where the next one starts."""
    old, old_left, new, new_left = numbers
    body: list[Line] = []
    while at < len(lines) and (old_left or new_left or lines[at].startswith("\\")):
        raw = lines[at]
        at += 1
        if raw.startswith("\\"):
            last = body.pop()
            body.append(Line(last.sign, last.text, last.old, last.new, ended=False))
            continue
        sign = raw[:1] or SAME
        is_old, is_new = sign != ADDED, sign != REMOVED
        body.append(Line(sign, raw[1:], old if is_old else None, new if is_new else None, bare=not raw))
        old, old_left = old + is_old, old_left - is_old
        new, new_left = new + is_new, new_left - is_new
    return body, at


def _range(start: int, count: int) -> str:
    return str(start) if count == 1 else f"{start},{count}"
