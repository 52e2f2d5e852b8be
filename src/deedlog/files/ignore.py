"""Which files a snapshot leaves out: those a `.gitignore` names, at every level, as git would."""

from __future__ import annotations

import os
import re

from deedlog.core.glob import SIGNS, translated
from deedlog.files.patterns import Pattern, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NEVER_LOOKED_INTO = frozenset(
    {".git", ".deedlog", ".hg", ".svn", ".jj", ".bzr", "CVS", "_darcs", ".pijul", ".fslckout"}
)
PLAIN_SET = re.compile(r"([^\[\\]*)\[([A-Za-z0-9]+)\]([^\[\\]*)")
WITHOUT_A_GITIGNORE = b"""
node_modules/
bower_components/
__pycache__/
.venv/
.tox/
.nox/
.mypy_cache/
.pytest_cache/
.ruff_cache/
.hypothesis/
.gradle/
.terraform/
.next/
.nuxt/
.svelte-kit/
.turbo/
.parcel-cache/
.DS_Store
"""


class Rules:
    """The rules in force in a folder, the nearest first. Only what is `suspect` need be judged by `ignores`."""

    def __init__(self, specs: tuple[Spec, ...]) -> None:
        self._specs = specs
        hints = [spec.hints for spec in specs]
        self._literals = NEVER_LOOKED_INTO.union(*(hint.literals for hint in hints))
        self._beginnings = tuple({text for hint in hints for text in hint.beginnings})
        self._endings = tuple({text for hint in hints for text in hint.endings})
        others = [text for hint in hints for text in hint.others]
        self._others = re.compile("|".join(others), re.DOTALL).fullmatch if others else None
        self._folders = [(spec, holds) for spec in specs for holds in spec.hints.folders]

    def below(self, folder: str, content: bytes) -> Rules:
        """The rules with those of a `.gitignore` in `folder` before them."""
        return Rules((Spec(folder, parse(content)), *self._specs))

    def suspect(self, folder: str, names: list[str]) -> set[str]:
        """The names in a folder that some pattern may match: nearly always none, which must cost little to tell."""
        if any(holds(spec.relative(_bytewise(folder)) + "/") for spec, holds in self._folders):
            return set(names)
        literals, beginnings, endings, others = self._literals, self._beginnings, self._endings, self._others
        found = {
            name
            for name in names
            if name in literals or name.endswith(endings) or name.startswith(beginnings) or not name.isascii()
        }
        return found.union(filter(others, names)) if others else found

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Judge a path whose folder is not ignored itself."""
        name = path.rpartition("/")[2]
        if name in NEVER_LOOKED_INTO:
            return True
        name, path = _bytewise(name), _bytewise(path)
        for spec in self._specs:
            relative = spec.relative(path)
            for pattern in spec.patterns:
                if pattern.only_folders and not is_folder:
                    continue
                if pattern.matches(name if pattern.by_name else relative):
                    return not pattern.negative
        return False


class Spec:
    """One `.gitignore`: its patterns, the last one first."""

    def __init__(self, folder: str, patterns: list[Pattern]) -> None:
        self._cut = len(_bytewise(folder)) + 1 if folder else 0
        self.patterns = patterns[::-1]
        self.hints = Hints()
        for pattern in patterns:
            if not pattern.negative:
                self.hints.add(pattern)

    def relative(self, path: str) -> str:
        return path[self._cut :]


class Hints:
    """What the names have in common that some patterns match, in forms that are quick to check.

    A pattern may also match whatever is in certain folders.
    """

    def __init__(self) -> None:
        self.literals: set[str] = set()
        self.beginnings: set[str] = set()
        self.endings: set[str] = set()
        self.others: list[str] = []
        self.folders: list[Callable[[str], object]] = []

    def add(self, pattern: Pattern) -> None:
        head, _, last = pattern.text.rpartition("/")
        if _crosses_slashes(head, pattern.text):
            self.folders.append(_always)
        elif not last.strip("*"):
            self.folders.append(_always if pattern.by_name else _folders(head, last))
        else:
            for name in _spelt_out(last):
                self._add_name(name)

    def _add_name(self, name: str) -> None:
        if not SIGNS.search(name):
            self.literals.add(name)
        elif name[0] == "*" and not SIGNS.search(name, 1):
            self.endings.add(name[1:])
        elif name[-1] == "*" and not SIGNS.search(name[:-1]):
            self.beginnings.add(name[:-1])
        else:
            self.others.append(translated(name))


def _spelt_out(name: str) -> list[str]:
    """`*.py[co]` as `*.pyc` and `*.pyo`: plain ends are quicker to check."""
    found = PLAIN_SET.fullmatch(name)
    return [found[1] + char + found[3] for char in found[2]] if found else [name]


def _crosses_slashes(head: str, pattern: str) -> bool:
    """Whether the part behind the last slash may not be all that the name has to match.

    A slash may stand in brackets, and git has `foo**/bar` match `foobar`.
    """
    if head and ("[" in pattern or "\\" in pattern):
        return True
    return any("**" in segment and segment.strip("*") for segment in head.split("/"))


def _folders(head: str, last: str) -> Callable[[str], object]:
    """In which folders a pattern that ends in stars may match whatever is there."""
    deeper = "" if last == "*" else ".*"
    return re.compile(f"{translated(head + '/')}{deeper}" if head else deeper or "/", re.DOTALL).fullmatch


def _always(_folder: str) -> bool:
    return True


def _bytewise(text: str) -> str:
    return text if text.isascii() else os.fsencode(text).decode("latin-1")


class Judge:
    """Judges any path of a tree, given what the `.gitignore` of each folder says."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = contents
        self._rules: dict[str, Rules | None] = {"": rules_at_root(contents.get(""))}

    def ignores(self, path: str, *, is_folder: bool = False) -> bool:
        rules = self._within(path.rpartition("/")[0])
        return rules is None or rules.ignores(path, is_folder=is_folder)

    def _within(self, folder: str) -> Rules | None:
        """The rules in force in a folder; none if it or one around it is ignored."""
        rules = self._rules[""]
        end = 0 if folder else -1
        while rules and end >= 0:
            end = folder.find("/", end + 1)
            rules = self._entered(folder if end < 0 else folder[:end], rules)
        return rules

    def _entered(self, folder: str, around: Rules) -> Rules | None:
        if folder not in self._rules:
            rules = None if around.ignores(folder, is_folder=True) else around
            if rules and folder in self._contents:
                rules = rules.below(folder, self._contents[folder])
            self._rules[folder] = rules
        return self._rules[folder]


def rules_at_root(content: bytes | None) -> Rules:
    """A tree without a `.gitignore` of its own gets one of ours."""
    return Rules(()).below("", WITHOUT_A_GITIGNORE if content is None else content)
