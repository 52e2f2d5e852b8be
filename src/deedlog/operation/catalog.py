"""Every operation there is right now: ours, those plug-ins add, those mounted.

Ours come from `catalog.json`, generated from the files under `ops/`, so that listing them
imports none of them and calling one imports just that one.
"""

from __future__ import annotations

import json
from _thread import allocate_lock
from importlib import import_module

from deedlog.core.errors import Conflict, NotFound
from deedlog.core.words import did_you_mean
from deedlog.operation.define import Effect, Operation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

FILE = __file__.removesuffix(".py") + ".json"


class Catalog:
    def __init__(self, operations: list[Operation] | None = None) -> None:
        self._by_name: dict[str, Operation] = {}
        self._by_words: dict[str, str] = {}
        self._putting = allocate_lock()
        self.listeners: list[Callable[[list[Operation]], None]] = []  # told which operations came or went
        self.add(*(operations or ()))

    def __iter__(self) -> Iterator[Operation]:
        """In the order of the file: the same list every time, for everybody."""
        return iter(list(self._by_name.values()))

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Operation:
        found = self._by_name.get(name)
        if found is None:
            hint = did_you_mean(
                name[:80], self._by_name, "tools/list, `deedlog --help` and /api/openapi.json list them"
            )
            raise NotFound(f"there is no operation {name[:80]!r}", hint=hint, data={"operation": name[:80]})
        return found

    def add(self, *operations: Operation) -> None:
        for op in operations:
            if op.name in self._by_name:
                raise Conflict(f"there is already an operation {op.name!r}")
            for words in filter(None, (op.words, op.alias)):
                if words in self._by_words:
                    raise Conflict(f"{op.name}: {self._by_words[words]} already is `deedlog {words}`")
                self._by_words[words] = op.name
            self._by_name[op.name] = op
        self._tell(list(operations))

    def remove(self, *names: str) -> None:
        gone = [self._by_name.pop(name) for name in names if name in self._by_name]
        self._by_words = {words: name for words, name in self._by_words.items() if name in self._by_name}
        self._tell(gone)

    def put(self, server: str, operations: list[Operation]) -> None:
        """Have the operations of a mounted server in place of those it had; who listens is told once."""
        with self._putting:
            before = [op for op in self._by_name.values() if op.server == server]
            kept = {name: op for name, op in self._by_name.items() if op.server != server}
            if taken := [op.name for op in operations if op.name in kept]:
                raise Conflict(f"there is already an operation {taken[0]!r}")
            self._by_name = kept | {op.name: op for op in operations}
        if [op.tool for op in before] != [
            op.tool for op in operations
        ]:  # else clients would list them anew for nothing
            self._tell([*before, *operations])

    def _tell(self, changed: list[Operation]) -> None:
        for listener in self.listeners if changed else ():
            listener(changed)


def load(path: str = FILE) -> Catalog:
    """The catalog as it was generated."""
    with open(path, encoding="utf-8") as file:
        return Catalog([Operation(**{**row, "effect": Effect(row["effect"])}) for row in json.load(file)])


def function_of(op: Operation, name: str = "") -> Callable[..., Any]:
    """The function behind an operation, or another one beside it; imports its module when it is first called."""
    return (not name and op.run) or getattr(import_module(op.module), name or op.name)
