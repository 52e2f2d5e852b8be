"""Reading files that other programs wrote: within bounds, and with the place named where they are broken."""

from __future__ import annotations

import os
import stat

from deedlog.core.draft import CONTROL, Warnings
from deedlog.core.errors import Invalid, NotFound
from deedlog.core.moment import SECOND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, BinaryIO

STANDARD_INPUT = "-"
MEGABYTE = 1_000_000
MOST_BYTES = 100 * MEGABYTE
MOST_FILES = 50_000
MOST_TASKS = 20_000  # all are written at once, and nobody else can write meanwhile
MOST_ID = 100
NOTHING_DONE = "nothing was imported; repair the file and try again"


class Broken(Invalid):
    """A file that is not what its tool writes; nothing of it is taken."""

    def __init__(self, place: str, what: str, hint: str = NOTHING_DONE) -> None:
        super().__init__(f"{place}: {what}", hint=hint)


class Folder:
    """The files of one import, together within bounds; links are not followed, they may lead anywhere."""

    def __init__(self, warnings: Warnings) -> None:
        self.warnings = warnings
        self._room = MOST_BYTES

    def text(self, path: str) -> str:
        data = self._data(path)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise Broken(f"{path}, line {line}", "is not UTF-8 text") from error

    def _data(self, path: str) -> bytes:
        try:
            with _opened(path) as file:
                data = file.read(self._room + 1)
        except OSError as error:
            raise Invalid(f"{path} cannot be read: {error.strerror}", hint="nothing was imported") from error
        if len(data) > self._room:
            raise Broken(path, f"there is more to read than {MOST_BYTES // MEGABYTE} MB", "import it in parts")
        self._room -= len(data)
        return data

    def names(self, folder: str, ending: str, *, deep: bool = False) -> list[str]:
        """The files below a folder whose names end so, sorted; none where there is no such folder."""
        found: list[str] = []
        waiting = [folder]
        while waiting:
            here = waiting.pop()
            for entry in _entries(here):
                if CONTROL.search(entry.name):
                    self.warnings.add("a file with an unprintable name was left out")
                elif entry.is_symlink():
                    self.warnings.add("a link was not followed", os.path.relpath(entry.path, folder))
                elif entry.is_dir() and deep:
                    waiting.append(entry.path)
                elif entry.is_file() and entry.name.endswith(ending):
                    found.append(entry.path)
                if len(found) > MOST_FILES:
                    raise Broken(folder, f"has more than {MOST_FILES} files", "import it in parts")
        return sorted(found)


def _opened(path: str) -> BinaryIO:
    if path == STANDARD_INPUT:
        return open(0, "rb", closefd=False)
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would keep us waiting
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return open(handle, "rb")
    os.close(handle)
    raise Broken(path, "is not a file", "name the file, or leave it out")


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise Invalid(f"{folder} cannot be read: {error.strerror}", hint="nothing was imported") from error


def first_that_exists(tool: str, root: str, *places: str) -> str:
    """Where a tool keeps its files in a project."""
    for place in places:
        if os.path.lexists(path := os.path.join(root, place)):
            return path
    raise NotFound(f"{tool} has no files here: there is no {' and no '.join(places)}", hint="name the file or folder")


def parsed(text: str, place: str, first_line: int = 1) -> Any:
    """What a text of JSON says."""
    import json

    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        conflict = text.startswith(("<<<<<<<", "=======", ">>>>>>>"))
        what = "is left over from a merge" if conflict else f"is not JSON (column {error.colno})"
        raise Broken(f"{place}, line {first_line + error.lineno - 1}", what) from error
    except (RecursionError, ValueError) as error:
        raise Broken(f"{place}, line {first_line}", "is nested too deeply or has too large a number") from error


class Record:
    """One thing as it was written, with the place it is at; what has another form than it should is refused."""

    def __init__(self, data: Any, place: str) -> None:
        if not isinstance(data, dict):
            raise Broken(place, "is not an object")
        self.data: Mapping[str, Any] = data
        self.place = place

    def wrong(self, name: str, what: str) -> Broken:
        return Broken(self.place, f"{name} {what}")

    def text(self, name: str, otherwise: str = "") -> str:
        value = self.data.get(name)
        if value is None:
            return otherwise
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        raise self.wrong(name, "is not text")

    def key(self, name: str = "id") -> str:
        found = self.text(name).strip()
        if not found or len(found) > MOST_ID or CONTROL.search(found) or any(char.isspace() for char in found):
            raise self.wrong(name, f"must be a name of at most {MOST_ID} letters without spaces")
        return found

    def title(self, name: str = "title") -> str:
        found = self.text(name)
        if not found.strip():
            raise self.wrong(name, "is missing")
        return found

    def texts(self, name: str) -> list[str]:
        """A list of texts; one alone will do."""
        value = self.data.get(name)
        if value is None or value == "":
            return []
        if isinstance(value, str):
            return [value]
        if not isinstance(value, list) or not all(isinstance(item, str | int) for item in value):
            raise self.wrong(name, "is not a list of texts")
        return [str(item) for item in value]

    def records(self, name: str) -> list[Record]:
        value = self.data.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(name, "is not a list")
        return [Record(item, f"{self.place}, {name}[{at}]") for at, item in enumerate(value)]

    def moment(self, name: str, warnings: Warnings) -> int:
        """A time, 0 where none is told; one that cannot be read is told and counts as none."""
        text = self.text(name).strip()
        found = moment_of(text) if text else 0
        if found is None:
            warnings.add(f"{name} is not a time we can read", self.text("id")[:MOST_ID])
        return found or 0


def moment_of(text: str) -> int | None:
    """`2025-01-15T10:00:00.123Z`, `2025-01-15 10:00` and `2025-01-15`; without a zone it is UTC."""
    from datetime import UTC, datetime

    try:
        found = datetime.fromisoformat(text)
        seconds = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return round(seconds * SECOND) if seconds > 0 else None


def mapped(word: str, known: Mapping[str, str], otherwise: str, unknown: Callable[[], None]) -> str:
    """Our word for theirs."""
    found = known.get(word.strip().lower())
    if found is None and word.strip():
        unknown()
    return found or otherwise
