"""The words the gate knows, as data: technologies, areas, questions, and the words of each language."""

from __future__ import annotations

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Technology(Value):
    """A technology, and the field of the architecture that naming it decides.

    `packages` are the names it has in manifests and lock files. One whose name is also a plain word
    (render, express, spring) is `guarded`: it counts only beside other technical words, or when the repository has it.
    """

    name: str
    area: str
    field: str
    aliases: list[str] = []  # noqa: RUF012  # values are never changed in place
    packages: list[str] = []  # noqa: RUF012
    ecosystems: list[str] = []  # noqa: RUF012  # none: any
    guarded: bool = False


class Area(Value):
    """A part of an architecture. A first decision in one that `triggers` is worth an ADR; `paths` are folders of it."""

    name: str
    slots: list[str]  # the fields it has
    triggers: bool = False
    words: dict[str, list[str]] = {}  # noqa: RUF012  # by language
    paths: list[str] = []  # noqa: RUF012


class Lexicon(Value):
    technologies: list[Technology]
    areas: dict[str, Area]
    questions: list[dict[str, Any]]
    words: dict[str, dict[str, Any]]  # by language
