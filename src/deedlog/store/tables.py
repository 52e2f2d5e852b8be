"""Every table, once, in the words both databases understand.

`{text}`, `{int}`, `{bytes}` and `{kept}` are the four spellings that differ. A thing is kept as its
JSON `body` beside the columns its queries need; those columns are lifted from the body.
"""

from __future__ import annotations

from deedlog.core.kinds import KINDS
from deedlog.core.value import Entity, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Table(Value):
    """Where things of one kind are kept."""

    entity: type[Entity]

    @property
    def name(self) -> str:
        return self.entity.kind

    @property
    def lifted(self) -> tuple[str, ...]:
        return self.entity.found_by

    @property
    def order(self) -> str:
        return self.entity.sorted_by

    @property
    def row(self) -> str:
        """The columns of `rows.entity_row`."""
        return ", ".join(("id", "version", *self.lifted, "body"))


TABLES = {kind: Table(entity=entity) for kind, entity in KINDS.items()}


def spelt(step: str, words: Mapping[str, str]) -> str:
    """A step in the words of one database."""
    for word, spelling in words.items():
        step = step.replace(word, spelling)
    return step
