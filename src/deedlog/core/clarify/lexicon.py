"""The words the gate knows, as data: technologies, areas, topics, questions, and the words of each language."""

from __future__ import annotations

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Technology(Value):
    """A technology, and the field of the architecture that naming it decides.

    `packages` are the names it has in manifests and lock files. `guarded` are those of its names that are plain words
    too (render, express, spring): they count only in technical company, or where the repository has it.
    A `versioned` one is decided with the version that is named. `serves` are other fields it can be chosen for:
    "Redis for the job queue".
    """

    name: str
    area: str
    field: str
    aliases: list[str] = []  # noqa: RUF012  # values are never changed in place
    packages: list[str] = []  # noqa: RUF012
    ecosystems: list[str] = []  # noqa: RUF012  # none: any
    guarded: list[str] = []  # noqa: RUF012
    versioned: bool = False
    implies: list[str] = []  # noqa: RUF012  # names of technologies it works with only
    serves: list[str] = []  # noqa: RUF012

    @property
    def key(self) -> str:
        return f"{self.area}.{self.field}"


class Area(Value):
    """A part of an architecture: the fields it has, and the folders it usually lives in."""

    name: str
    slots: list[str]
    paths: list[str] = []  # noqa: RUF012


class Topic(Value):
    """What a request can be about: a field of an area, the words for it, and what is asked when it is open.

    `words` are nouns, by language: they count as the thing that is wanted ("add a cache"), not as an attribute
    ("the cache key"). `needs` say what people want to be able to do ("sign in"); `pairs` say it with two words that
    stand near each other ("upload" and "photos").
    """

    area: str
    field: str
    triggers: bool = True
    words: dict[str, list[str]] = {}  # noqa: RUF012  # by language
    needs: dict[str, list[str]] = {}  # noqa: RUF012  # by language
    pairs: dict[str, list[list[str]]] = {}  # noqa: RUF012  # by language: two lists of words
    asks: list[str] = []  # noqa: RUF012  # ids of questions, best first
    then: list[str] = []  # noqa: RUF012  # those still asked when a request decides the field itself
    settled: list[str] = []  # noqa: RUF012  # other fields that, once decided, leave nothing to ask here

    @property
    def key(self) -> str:
        return f"{self.area}.{self.field}"


class Lexicon(Value):
    technologies: list[Technology]
    areas: dict[str, Area]
    topics: list[Topic]
    questions: dict[str, dict[str, Any]]  # by id
    words: dict[str, dict[str, list[str]]]  # by language, then class
    rivals: dict[str, list[list[str]]] = {}  # noqa: RUF012  # by field: names that are alternatives; see `rivals.py`
