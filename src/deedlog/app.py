"""Where a request becomes an effect: find, allow, check, run, commit. The only caller of operations."""

from __future__ import annotations

import re
from _thread import allocate_lock  # all of `threading` is more than a start needs

from deedlog import rights
from deedlog.call import Call
from deedlog.core.caller import Kind
from deedlog.core.capability import is_inner
from deedlog.core.errors import Conflict, DeedlogError, Denied, Invalid, NeedsPerson, NotFound, Part
from deedlog.core.value import Value
from deedlog.operation import validate
from deedlog.operation.catalog import Catalog, function_of
from deedlog.operation.define import Effect, Operation
from deedlog.operation.tool import KEY, has_key, with_key
from deedlog.ports import (
    Documents,
    Gateway,
    Ledger,
    Model,
    Offer,
    Peer,
    Records,
    Serving,
    Silent,
    Snapshots,
    Survey,
    Trust,
    Workers,
    Worktrees,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from typing import Any, Protocol

    from deedlog.core.gate.server import Standing
    from deedlog.ports import Capabilities

    class Projects(Protocol):
        """Other projects of this machine, by a path; what was begun in one is remembered with the path it had."""

        def visiting(self, path: str) -> AbstractContextManager[App | None]:
            """The app for the project around a path, while it is called; None where that is the one that asks."""

        def reaches(self, path: str, peer: Peer) -> bool:
            """Whether an agent may go there: this project, or a workspace that its client reported."""

        def remember(self, begun: str, path: str) -> None: ...
        def recalled(self, begun: str) -> str: ...
        def close(self) -> None: ...


SILENT: Peer = Silent()
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
MOST_CAUSE = 500
SAID = {  # beside the arguments, whichever face it came through
    "type": "object",
    "properties": {
        "actor": {"type": "string", "minLength": 1, "maxLength": 200},
        "cause": {"type": "string", "maxLength": MOST_CAUSE},
        "idempotency_key": {"type": "string", "minLength": 1, "maxLength": 200},
    },
    "required": ["actor"],
}
SETTLE, DISPATCH, OURSELVES = "worker_settle", "worker_dispatch", "deedlog"
RECORD, PERMISSION = "mcp_record", "permission_ask"
BEGUN = "session_id"  # by which an answer may be gone on with, in the project it came from
IDEMPOTENCY = "idempotency"  # the capability by which a key is an argument and answers tell of it
GATEWAY = "gateway"
PUBLISHED = "published"
FROM = "from"  # an input that no function of Python can have: there it is `from_`
PLAIN_LENGTH = 200  # the shortest of the limits above


class Unexpected(DeedlogError):
    """A bug of ours. Callers learn that it happened, the log learns where."""

    kind = "unexpected"


class Caller(Value):
    """Who calls, and what they said about the call beside its arguments.

    `approval` names the review in which a person approved this call of an agent.
    """

    actor: str
    kind: Kind
    approval: str = ""
    cause: str = ""
    idempotency_key: str | None = None
    peer: Peer = SILENT

    def check(self) -> None:
        """Refuse what the log should not be asked to keep."""
        given = (self.actor, self.cause or None, self.idempotency_key)
        if all(text is None or _plain(text) for text in given):
            return  # as almost always, and many times faster
        said = {name: value for name, value in self.fields().items() if name in SAID["properties"]}
        for name, text in validate.arguments(SAID, said).items():
            if CONTROL.search(text):
                raise Invalid(f"{name}: has a line break or another control character", data={"field": name})


OURS = Caller(actor=OURSELVES, kind=Kind.INTERNAL)


def _plain(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text) <= PLAIN_LENGTH and text.isprintable() and not text.isspace()


def _without_key(arguments: dict[str, Any]) -> tuple[object, dict[str, Any]]:
    """The idempotency key among arguments, and the others."""
    given = [name for name in arguments if KEY in validate.spellings(name)]
    if len(given) != 1:
        return None, arguments
    return arguments[given[0]], {name: value for name, value in arguments.items() if name not in given}


def _renamed(op: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
    if not op.renames or not isinstance(arguments, dict):
        return arguments
    known = {name: own for name, own in op.renames.items() if own not in arguments}
    return {known.get(name, name): value for name, value in arguments.items()}


def _foreign(op: Operation, key: object, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a mounted tool are that server's, whatever they are called; it knows no key of ours."""
    if key is not None:
        raise Invalid(f"{KEY}: a call of {op.server} cannot be made once only", data={"field": KEY})
    return arguments


def _told_anew(op: Operation, call: Call, answer: Any, arguments: dict[str, Any]) -> Any:
    """What a repeated call is told: as before, unless what was done then may have been taken back."""
    return function_of(op, op.retold_by)(call, answer, **arguments) if op.retold_by else answer


def _without_path(op: Operation, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Where a call shall run, and its other arguments. Taken out before they are checked: a path may be any text."""
    given = [name for name in arguments if op.at in validate.spellings(name)]
    if len(given) != 1 or not isinstance(path := arguments[given[0]], str):
        return "", arguments
    return path, {name: value for name, value in arguments.items() if name not in given}


class Engines(Value):
    """How each engine is opened, when it is first needed: a server without a usable store still answers."""

    root: Callable[[], str]
    ledger: Callable[[], Ledger]
    snapshots: Callable[[], Snapshots]
    worktrees: Callable[[], Worktrees]
    workers: Callable[[], Workers]
    documents: Callable[[], Documents]
    records: Callable[[], Records]
    survey: Callable[[], Survey]
    model: Callable[[], Model | None]
    gateway: Callable[[App], Gateway]
    servers: Callable[[], list[Standing]]
    projects: Callable[[], Projects]
    trust: Callable[[], Trust]


class App:
    is_remote = False  # whether calls go to another process, which has the store

    def __init__(
        self,
        catalog: Catalog,
        engines: Engines,
        *,
        clock: Callable[[], int],
        chance: Callable[[int], int],
        capabilities: Capabilities,
        report: Callable[[BaseException], str],
        settings: Mapping[str, Any],
    ) -> None:
        self.catalog = catalog
        self.engines = engines
        self.settings = settings
        self._clock = clock
        self._last = 0
        self._ticking = allocate_lock()
        self.chance = chance
        self.capabilities = capabilities
        self.serving = Serving()  # the face that runs it says otherwise
        self._opened: dict[str, Any] = {}
        self._opening = allocate_lock()
        self._leaving = False
        self.settles = True  # a supervisor leaves it to others: what it starts meanwhile would end with its worker
        self.report = report
        self.listeners: list[Callable[[str, str, dict[str, Any]], None]] = []  # told what mounted servers notify of

    def _engine(self, name: str) -> Any:
        with self._opening:
            if name not in self._opened:
                self._opened[name] = self.engines.fields()[name]()
            return self._opened[name]

    @property
    def ledger(self) -> Ledger:
        return self._engine("ledger")  # type: ignore[no-any-return]

    @property
    def snapshots(self) -> Snapshots:
        return self._engine("snapshots")  # type: ignore[no-any-return]

    @property
    def worktrees(self) -> Worktrees:
        return self._engine("worktrees")  # type: ignore[no-any-return]

    @property
    def workers(self) -> Workers:
        return self._engine("workers")  # type: ignore[no-any-return]

    @property
    def documents(self) -> Documents:
        return self._engine("documents")  # type: ignore[no-any-return]

    @property
    def records(self) -> Records:
        return self._engine("records")  # type: ignore[no-any-return]

    @property
    def survey(self) -> Survey:
        return self._engine("survey")  # type: ignore[no-any-return]

    @property
    def model(self) -> Model | None:
        return self._engine("model")  # type: ignore[no-any-return]

    @property
    def trust(self) -> Trust:
        return self._engine("trust")  # type: ignore[no-any-return]

    @property
    def gateway(self) -> Gateway:
        with self._opening:
            if "gateway" not in self._opened:
                opened = self._opened["gateway"] = self.engines.gateway(self)
                opened.listeners.append(self.noticed)
            return self._opened["gateway"]  # type: ignore[no-any-return]

    def mounted(self) -> dict[str, Offer]:
        """What mounted servers offer; looking does not open the gateway."""
        gateway = self._opened.get("gateway")
        return gateway.mounted() if gateway is not None and self.capabilities.on(GATEWAY) else {}

    def servers(self) -> list[Standing]:
        """How other servers stand, from what is configured; looking does not open the gateway."""
        gateway = self._opened.get("gateway")
        return gateway.standings() if gateway is not None else self.engines.servers()

    def publish(self, server: str, operations: list[Operation]) -> None:
        """Offer the tools of a mounted server in place of those it had; none takes them away."""
        self.catalog.put(server, operations)
        self.noticed(server, PUBLISHED, {})

    def noticed(self, server: str, method: str, params: dict[str, Any]) -> None:
        """Tell who listens what a mounted server notifies of, or that what it offers was `PUBLISHED` anew."""
        for listener in list(self.listeners):
            listener(server, method, params)

    def leave(self) -> None:
        """For a thread that called and is about to end."""
        if (ledger := self._opened.get("ledger")) is not None:
            ledger.leave()

    def close(self) -> None:
        """Stop what is mounted and leave the store in good order; both are opened again when they are needed again."""
        self._leaving = True
        with self._opening:
            gateway = self._opened.pop("gateway", None)
        if gateway is not None:  # first: it records what it was in the middle of
            gateway.close()
        with self._opening:
            opened = [self._opened.pop(name, None) for name in ("ledger", "projects")]
        for engine in opened:
            if engine is not None:
                engine.close()

    def now(self) -> int:
        """The moment of a call: never the same twice in one process, so that ids sort as calls came."""
        with self._ticking:
            self._last = max(self._clock(), self._last + 1)
            return self._last

    def operations(self) -> list[Operation]:
        """The operations that are switched on, as they can be called now."""
        on = self.capabilities.now()
        found = [op for op in self.catalog if on.issuperset(op.capabilities)]
        return [with_key(op) for op in found] if IDEMPOTENCY in on else found

    def meant(self, name: str, arguments: dict[str, Any]) -> tuple[Operation, dict[str, Any]]:
        """The operation that a call is of, and its arguments: those of another one where `name` forwards to it."""
        op = self.allowed(name)
        if not op.forwards or not isinstance(arguments, dict):
            return op, arguments
        key, own = _without_key(arguments)
        checked = validate.arguments(op.input_schema, _renamed(op, own), op.noun, op.instead)
        target = function_of(op)(Call(self, op, checked, OURS), **checked)
        meant = self.allowed(target["name"])
        if not meant.is_tool:
            raise NotFound(f"{meant.name} is no tool", hint=f"it is for people: `deedlog {meant.words}`")
        if meant.server:
            return meant, _foreign(meant, key, target["arguments"])
        inner, others = _without_key(target["arguments"])
        if key is not None and inner not in (None, key):
            raise Invalid(f"{KEY}: differs from the key among the arguments of {meant.name}", data={"field": KEY})
        return meant, (others | {KEY: key} if key is not None else target["arguments"])

    def call(self, name: str, arguments: dict[str, Any], caller: Caller) -> Any:
        """Run operation `name`; return its answer as JSON-ready data."""
        self._leaving = False
        op, arguments = self.meant(name, arguments)
        arguments, caller = self._keyed(op, arguments, caller)
        caller.check()
        if op.at:
            path, arguments = _without_path(op, arguments)
            if path or "projects" in self._opened:
                return self._at(path, op, arguments, caller)
        return self._here(op, arguments, caller)

    def _keyed(self, op: Operation, arguments: dict[str, Any], caller: Caller) -> tuple[dict[str, Any], Caller]:
        """The arguments without an idempotency key among them, which becomes the caller's."""
        keeps = has_key(op) or op.server or not isinstance(arguments, dict)
        key, others = (None, arguments) if keeps else _without_key(arguments)
        if key is None:
            return others, caller
        if op.effect is Effect.READ:
            raise Invalid(f"{KEY}: {op.name} changes nothing, it can be repeated without", data={"field": KEY})
        self._refuse_off(IDEMPOTENCY, f"{KEY} is not taken")
        if not isinstance(key, str):
            raise Invalid(f"{KEY}: must be text", data={"field": KEY})
        if caller.idempotency_key not in (None, key):
            raise Invalid(f"{KEY}: differs from the key beside the arguments", data={"field": KEY})
        return others, caller.replace(idempotency_key=key)

    def _at(self, path: str, op: Operation, arguments: dict[str, Any], caller: Caller) -> Any:
        """Call it in the project around a path, or in the one where what it goes on with began."""
        projects: Projects = self._engine("projects")
        begun = next((arguments[name] for name in arguments if BEGUN in validate.spellings(name)), None)
        asked = bool(path)
        path = path or (projects.recalled(begun) if isinstance(begun, str) else "")
        if not path:
            return self._here(op, arguments, caller)
        if asked and not rights.may(self, caller, f"{op.name}.{op.at}") and not projects.reaches(path, caller.peer):
            needed = NeedsPerson(f"{op.at} leads to another project, which needs a person", f"{op.name}.{op.at}")
            caller = rights.approved(self, op, {**arguments, op.at: path}, caller, needed)
        with projects.visiting(path) as other:
            if other is None:
                return self._here(op, arguments, caller)
            answer = other.call(op.name, arguments, caller)
        if isinstance(answer, dict) and isinstance(begun := answer.get(BEGUN), str):
            projects.remember(begun, path)
        return answer

    def _here(self, op: Operation, arguments: dict[str, Any], caller: Caller) -> Any:
        if op.server:
            return self._run(op, arguments, caller)
        if op.effect is Effect.READ and op.noun == "session" and isinstance(arguments, dict):
            from deedlog.work.meant import newest_of_task  # only where sessions are read

            arguments = dict(newest_of_task(self.ledger, arguments))
        keyed = with_key(op) if self.capabilities.on(IDEMPOTENCY) else op  # a refusal tells which inputs there are
        checked = validate.arguments(keyed.input_schema, _renamed(op, arguments), op.noun, op.instead)
        try:
            rights.refuse_inner(self, op, caller)
            if op.settles:
                self.settle()
            return self._with_rights(op, checked, caller)
        except DeedlogError as error:
            rights.advise(self, caller, error)
            raise
        except Exception as error:
            where = self.report(error)
            raise Unexpected(f"{op.name} failed unexpectedly", hint=where) from error

    def may_wait(self, op: Operation, arguments: dict[str, Any]) -> bool:
        """Whether a call of an agent may take long, or asks a person first."""
        given = _renamed(op, arguments)
        if op.may_wait(given) or not all(rights.may_always(self, what) for what in op.needs_person(given)):
            return True
        path = _without_path(op, given)[0] if op.at and not rights.may_always(self, f"{op.name}.{op.at}") else ""
        return bool(path) and not self._engine("projects").reaches(path, SILENT)  # then the client is asked

    def _with_rights(self, op: Operation, arguments: dict[str, Any], caller: Caller) -> Any:
        """Run it. Where it needs a person and an agent calls, a person is asked first."""
        try:
            rights.check(self, op, arguments, caller)
            return self._run(op, arguments, caller)
        except NeedsPerson as needed:
            if op.effect is not Effect.READ and Call(self, op, arguments, caller).earlier():
                return self._run(op, arguments, caller)  # nothing is done: the first answer is repeated
            return self._run(op, arguments, rights.approved(self, op, arguments, caller, needed))

    def ask_permission(self, asked: dict[str, Any], peer: Peer) -> Any:
        """Ask a person about a call of an agent, by a call of Deedlog's own."""
        cause = f"{asked['by']} called {asked['operation']}"
        return self._run(self.catalog[PERMISSION], asked, OURS.replace(peer=peer, cause=cause[:MOST_CAUSE]))

    def settle(self) -> None:
        """Settle what dead supervisors left. Where that is refused, the next call tries again; this one goes on."""
        if not self.settles:
            return
        from deedlog.work.forsaken import without_supervisor  # only what asks about workers needs it

        lost = {*self.workers.lost(), *(session.number for session in without_supervisor(self))}
        calls = [(SETTLE, {"sessionId": number}) for number in sorted(lost)]
        for name, arguments in [*calls, (DISPATCH, {})] if calls or self.workers.undriven() else ():
            self.aside(name, arguments)

    def aside(self, name: str, arguments: dict[str, Any]) -> bool:
        """Run an operation of ours beside a call; where it fails, the call goes on and the next one tries again.

        Once everything is closed nothing starts by itself: only what was done is still recorded.
        """
        if self._leaving and name != RECORD:
            return False
        try:
            self.inner(name, arguments)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is not what the caller asked for
            self.report(error)
            return False
        return True

    def inner(self, name: str, arguments: dict[str, Any]) -> Any:
        """Run an operation of ours as part of a call."""
        return self._run(self.catalog[name], arguments, OURS)

    def allowed(self, name: str) -> Operation:
        op = self.catalog[name]
        for capability in op.capabilities:
            self._refuse_off(capability, f"{name} is switched off: it belongs to the capability {capability!r}")
        return op

    def _refuse_off(self, capability: str, message: str) -> None:
        if self.capabilities.on(capability):
            return
        held = self.capabilities.held(capability)
        flag = f"--enable-{capability}"
        switch = f"start with {flag}, or switch it on with `capability_set {capability}`"
        hint = switch if not held else held if is_inner(capability) else f"{held}; without that, {flag}"
        raise Denied(message, hint=hint, part=Part.CONFIGURATION, data={"capability": capability})

    def _run(self, op: Operation, arguments: dict[str, Any], caller: Caller) -> Any:
        call = Call(self, op, arguments, caller)
        if op.server:
            return function_of(op)(call, arguments)
        if op.camel:
            arguments = {validate.snake(name): value for name, value in arguments.items()}
        if FROM in arguments:
            arguments = {FROM + "_" if name == FROM else name: value for name, value in arguments.items()}
        if op.effect is Effect.READ:
            return function_of(op)(call, **arguments)
        if earlier := call.earlier():
            return self._told(op, _told_anew(op, call, earlier.answer, arguments), caller, again=True)
        try:
            answer = function_of(op)(call, **arguments)
        except DeedlogError as error:
            is_told = call.stored is not None and isinstance(error, Conflict)  # it refuses what it has recorded itself
            if not is_told and (earlier := call.earlier()):  # the same call was faster: this one found things changed
                return self._told(op, _told_anew(op, call, earlier.answer, arguments), caller, again=True)
            raise
        if call.stored is None and op.only_changes and not caller.idempotency_key:
            return answer
        if call.stored is None:
            call.commit(answer=answer)  # it changed the world, not our tables: the ledger still knows
        assert call.stored is not None
        return self._told(op, call.stored.answer, caller, again=call.stored.op_id != call.op_id)

    def _told(self, op: Operation, answer: Any, caller: Caller, *, again: bool) -> Any:
        """The answer, with what became of the idempotency key where clients are told of it."""
        key = caller.idempotency_key
        if not key or op.passes or not isinstance(answer, dict) or not self.capabilities.on(IDEMPOTENCY):
            return answer
        name = validate.camel(KEY) if op.camel else KEY
        return {**answer, "idempotent": again, name: key}
