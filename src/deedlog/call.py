"""One call of one operation: what operations see of the world, and their one way to change it."""

from __future__ import annotations

from deedlog import rights
from deedlog.core.caller import Kind
from deedlog.core.entry import Op, digest
from deedlog.core.errors import Conflict, NeedsPerson
from deedlog.core.uid import CHANCE_LENGTH, uid
from deedlog.operation.define import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.app import App, Caller
    from deedlog.core.value import Entity
    from deedlog.operation.define import Operation
    from deedlog.ports import (
        Answer,
        Capabilities,
        Documents,
        Gateway,
        Gone,
        Ledger,
        Model,
        Outside,
        Records,
        Seen,
        Serving,
        Snapshots,
        Survey,
        Trust,
        Workers,
        Worktrees,
    )

SHAPED = ("task", "graph", "workflow")  # of which graphs are made


class Call:
    """One call of one operation; this is the `ports.Context` operations see."""

    def __init__(self, app: App, op: Operation, arguments: dict[str, Any], caller: Caller) -> None:
        self.actor = caller.actor
        self.now = app.now()
        self.op_id = uid("op", self.now, app.chance(CHANCE_LENGTH * 5))
        self.peer = caller.peer
        self.stored: Op | None = None
        self._app = app
        self._op = op
        self._caller = caller
        self._arguments = arguments

    @property
    def ledger(self) -> Ledger:
        return self._app.ledger

    @property
    def snapshots(self) -> Snapshots:
        return self._app.snapshots

    @property
    def worktrees(self) -> Worktrees:
        return self._app.worktrees

    @property
    def workers(self) -> Workers:
        return self._app.workers

    @property
    def documents(self) -> Documents:
        return self._app.documents

    @property
    def records(self) -> Records:
        return self._app.records

    @property
    def survey(self) -> Survey:
        return self._app.survey

    @property
    def model(self) -> Model | None:
        return self._app.model

    @property
    def gateway(self) -> Gateway:
        return self._app.gateway

    @property
    def trust(self) -> Trust:
        return self._app.trust

    @property
    def settings(self) -> Mapping[str, Any]:
        return self._app.settings

    @property
    def capabilities(self) -> Capabilities:
        return self._app.capabilities

    @property
    def serving(self) -> Serving:
        return self._app.serving

    def tools(self) -> list[Operation]:
        return [op for op in self._app.operations() if op.is_tool]

    def publish(self, server: str, operations: list[Operation]) -> None:
        self._app.publish(server, operations)

    def refuse_off(self, name: str) -> None:
        if name in self._app.catalog:
            self._app.allowed(name)

    @property
    def root(self) -> str:
        return self._app.engines.root()

    @property
    def areas(self) -> Mapping[str, list[str]]:
        found: Mapping[str, list[str]] = self._app.settings["areas"]
        return found

    @property
    def is_deedlog(self) -> bool:
        return self._caller.kind is Kind.INTERNAL

    @property
    def is_person(self) -> bool:
        return rights.is_person(self._app, self._caller)

    def may(self, what: str) -> bool:
        return rights.may(self._app, self._caller, f"{self._op.name}.{what}")

    def need_person(self, what: str, message: str) -> None:
        if not self.may(what):
            raise NeedsPerson(message, f"{self._op.name}.{what}")

    def new_id(self, prefix: str) -> str:
        return uid(prefix, self.now, self._app.chance(CHANCE_LENGTH * 5))

    def settle(self) -> None:
        self._app.settle()

    def aside(self, name: str, arguments: dict[str, Any]) -> None:
        self._app.aside(name, arguments)

    def inner(self, name: str, arguments: dict[str, Any]) -> Any:
        return self._app.inner(name, arguments)

    def commit(
        self,
        *values: Entity | Gone,
        answer: Answer,
        undo_of: str | None = None,
        seen: Seen | None = None,
        owner: str = "",
        outside: Outside | None = None,
    ) -> Answer:
        assert self._op.effect is not Effect.READ, f"read operation {self._op.name!r} wrote"
        assert self.stored is None, f"{self._op.name!r} committed twice: one call, one op"
        op = Op(
            op_id=self.op_id,
            operation=self._op.name,
            effect=str(self._op.effect),
            actor=self.actor,
            at=self.now,
            cause=self._caller.cause,
            idempotency_key=self._caller.idempotency_key,
            arguments_digest=self._digest(),
            undo_of=undo_of,
            answer=answer,
        )
        if any(_entity(value).kind in SHAPED for value in values):
            from deedlog.work.locks import guarded  # only where a graph may change

            seen = guarded(self.ledger, values, seen, owner or self.actor, self.now)
        self.stored = self._same(self.ledger.write(op, values, seen=seen, outside=outside))
        return self.stored.answer  # type: ignore[no-any-return]

    def _digest(self) -> str:
        return digest([self._op.name, self._arguments])

    def earlier(self) -> Op | None:
        """What was done already with the caller's idempotency key."""
        key = self._caller.idempotency_key
        found = self.ledger.op_by_key(key) if key else None
        if found is not None and (undo := self.ledger.undone_by(self._same(found).op_id)):
            message = f"what was done with idempotency key {key!r:.60} was undone by {undo.op_id}"
            raise Conflict(message, hint="do it anew with a new key", data={"op_id": undo.op_id})
        return found

    def _same(self, op: Op) -> Op:
        """`op`, refused when its idempotency key stood for other arguments."""
        if op.arguments_digest != self._digest():
            raise Conflict(
                f"idempotency key {op.idempotency_key!r} was used by another call",
                hint="repeat a call with the same arguments, or use a new key",
                data={"op_id": op.op_id, "operation": op.operation},
            )
        return op


def _entity(value: Any) -> Entity:
    """What is committed, or what goes."""
    return getattr(value, "entity", value)  # type: ignore[no-any-return]
