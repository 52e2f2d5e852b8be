"""What is found in the files of a repository, while they are read."""

from __future__ import annotations

import re
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_PACKAGES = 2_000
MOST_PIECES = 200
LONGEST = 200
NAME = re.compile(r"[\w@][\w@./:+~-]*")


class Found:
    """Collects, from the file at `path`. Files are read in a fixed order, and the first one that says something counts.

    `packages` are by ecosystem and name; `named` are technologies a file names otherwise, such as by being there.
    """

    def __init__(self) -> None:
        self.path = ""
        self.ecosystems: set[str] = set()
        self.packages: dict[tuple[str, str], str] = {}
        self.named: dict[str, str] = {}

    def ecosystem(self, *names: str) -> None:
        self.ecosystems.update(names)

    def package(self, ecosystem: str, *names: object) -> None:
        for name in names:
            if isinstance(name, str) and len(self.packages) < MOST_PACKAGES and _is_name(name):
                self.packages.setdefault((ecosystem, name.lower()), self.path)

    def name(self, *technologies: str) -> None:
        for technology in technologies:
            self.named.setdefault(technology, self.path)

    def images(self, names: Iterable[str]) -> None:
        """Images of containers: what they are called, without where they come from and which one it is."""
        for name in names:
            plain = name.partition("@")[0]
            if ":" in plain.rpartition("/")[2]:
                plain = plain.rpartition(":")[0]
            if "$" not in plain and plain not in ("", "scratch"):
                self.package("", plain.rpartition("/")[2])


def pieces(heads: re.Pattern[str], text: str, length: int) -> list[str]:
    """What follows each of the first heads. A pattern that looks for the end itself may look for ever."""
    return [text[found.end() : found.end() + length] for found in islice(heads.finditer(text), MOST_PIECES)]


def _is_name(name: str) -> bool:
    return len(name) <= LONGEST and NAME.fullmatch(name) is not None
