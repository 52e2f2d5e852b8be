"""Everything an operation may ask of the outside world. Engines implement these; operations see nothing else."""

from __future__ import annotations

from deedlog.core.value import Entity, Value
from deedlog.ports.gateway import Gateway, Offer
from deedlog.ports.places import (
    Documents,
    Lent,
    Merging,
    Model,
    Proposal,
    Records,
    Snapshots,
    Survey,
    TreeState,
    Worktree,
    Worktrees,
    Writing,
)
from deedlog.ports.running import Capabilities, Serving
from deedlog.ports.trust import Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Protocol, TypeVar

    from deedlog.core.entry import Event, Op
    from deedlog.core.page import Key
    from deedlog.operation.define import Operation

    Stored = TypeVar("Stored", bound=Entity)
    Answer = TypeVar("Answer")
    Json = dict[str, Any]
else:
    Protocol = object

__all__ = [
    "Capabilities",
    "CheckRun",
    "Context",
    "Documents",
    "EventQuery",
    "Gateway",
    "Gone",
    "Hit",
    "Ledger",
    "Lent",
    "Merging",
    "Model",
    "Offer",
    "Peer",
    "Proposal",
    "Records",
    "Seen",
    "Serving",
    "Silent",
    "Snapshots",
    "Supervisor",
    "Survey",
    "TreeState",
    "Trust",
    "Upkeep",
    "Watch",
    "Workers",
    "Worktree",
    "Worktrees",
    "Writing",
]


class Gone(Value):
    """Committed in place of a thing: it is removed."""

    entity: Entity


class Seen(Value):
    """What a decision rests on: nothing about `subject` came after event `seq`, whether or not it was read.

    Nor about what else is named in `more`.
    """

    subject: str
    seq: int
    more: list[str] = []  # noqa: RUF012  # values are never changed in place


class Outside(Value):
    """What a call changed that no table of ours holds: what it is about, what that was before and is now."""

    subjects: list[str]
    before: Json | None = None
    after: Json | None = None


class EventQuery(Value):
    """Which events: those after `after` and before `before`, oldest first, that match everything given.

    At most `limit`: the first of them, or the last. `entities` are the kinds of things one of which changed,
    `without` those none of which did.
    """

    after: int = 0
    before: int | None = None
    limit: int = 100
    last: bool = False
    subject: str | None = None
    kind: str | None = None
    actor: str | None = None
    operation: str | None = None
    op_id: str | None = None
    entities: list[str] = []  # noqa: RUF012
    without: list[str] = []  # noqa: RUF012


class Hit(Value):
    """One thing a search found, as event `seq` left it `at` a time."""

    uri: str
    kind: str
    title: str
    text: str
    seq: int
    at: int


class Watch(Protocol):
    """Waits for the store to change, whichever process changes it."""

    def wait(self, seconds: float) -> bool:
        """Return True as soon as something may have been committed, False when the time is over."""

    def close(self) -> None: ...


class Ledger(Protocol):
    """The store, as operations see it. Only `write` changes anything."""

    def get(self, entity: type[Stored], entity_id: str) -> Stored:
        """The stored thing, or `NotFound`. A numbered one also answers to what people call it: `5`, `task-5`."""

    def find_one(self, entity: type[Stored], entity_id: str) -> Stored | None: ...

    def find(
        self,
        entity: type[Stored],
        where: Mapping[str, object] | None = None,
        *,
        limit: int,
        before: Key | None = None,
        oldest: bool = False,
        holding: Sequence[str] = (),
    ) -> list[Stored]:
        """Things whose columns equal `where`, newest (or oldest) first; `before` is the key of the last one seen.

        Of those, the ones that have each text of `holding` somewhere in their fields; whoever asks looks where.
        """

    def count(self, entity: type[Entity], where: Mapping[str, object] | None = None) -> int:
        """How many things there are whose columns equal `where`."""

    def tally(self, entity: type[Entity], column: str, where: Mapping[str, object] | None = None) -> dict[str, int]:
        """How many of the things whose columns equal `where` have which text in `column`."""

    def next_number(self, entity: type[Entity]) -> int:
        """A number for a new numbered thing. Never given twice; one that is not used is lost."""

    def next_numbers(self, entity: type[Entity], count: int) -> range:
        """So many numbers at once, one after the other."""

    def keep(self, data: bytes) -> str:
        """Keep bytes beside the log; returns the digest a stored thing then names in its `blobs`."""

    def kept(self, digest: str) -> bytes:
        """What was kept, or `NotFound`."""

    def sort_key(self, entity: Entity) -> Key:
        """The place of a thing in the order of `find`."""

    def events(self, query: EventQuery) -> list[Event]: ...
    def next_events(self, query: EventQuery, seconds: float, stop: Callable[[], bool]) -> list[Event]:
        """The events, as soon as there are any; none when the time is over or `stop` says so."""

    def head(self) -> int:
        """The seq of the last event; 0 when there is none."""

    def op(self, op_id: str) -> Op: ...
    def op_by_key(self, idempotency_key: str) -> Op | None: ...
    def last_op(self, actor: str) -> Op | None:
        """The actor's last op that changed something, is not an undo and has not been undone."""

    def undone_by(self, op_id: str) -> Op | None:
        """The undo of an op that is in force: one that was itself undone counts for nothing."""

    def changes(self, subject: str) -> int:
        """How many ops changed something about `subject`: for a graph, its versions."""

    def extent(self, subject: str, after: int = 0) -> tuple[int, int]:
        """How many events after `after` are about `subject`, and the seq of the last; 0 and 0 where there is none."""

    def nth_last(self, subject: str, number: int) -> int:
        """The seq of the event about `subject` that has `number` - 1 after it; 0 where there are fewer."""

    def places(self, entity: type[Entity], *, after: str = "", prefix: str = "", limit: int) -> list[str]:
        """The places of things in the list of resources, in plain order of text; see `store/place.py`."""

    def search(self, words: Sequence[str], kinds: Sequence[str], limit: int) -> list[Hit]: ...
    def watch(self) -> Watch: ...
    def leave(self) -> None:
        """The calling thread is about to end: let go of what it alone holds."""

    def close(self) -> None: ...
    def write(
        self, op: Op, values: Sequence[Entity | Gone], *, seen: Seen | None = None, outside: Outside | None = None
    ) -> Op:
        """Write `values`, their events, that of what changed `outside`, and `op` together or not at all.

        Returns the op as stored: an earlier one when its idempotency key was used before.

        Raises:
            Overtaken: one of the values changed since it was read, or more was recorded than was `seen`.
        """


class Upkeep(Protocol):
    """The care of a whole store: checking it, rebuilding it, carrying it elsewhere."""

    def verify(self) -> list[str]:
        """What is wrong with the store, a line each; nothing when all is well."""

    def rebuild(self, *, anyway: bool = False) -> int:
        """Make every table anew from the log; returns how many things there are.

        Blobs nobody names are removed: a call died before it could.
        Refused when the log itself is damaged, unless what is left of it shall do `anyway`.
        """

    def facts(self) -> dict[str, object]: ...
    def export(self) -> Iterator[str]:
        """The whole log, an op a line, after the blobs it names."""

    def merge(self, lines: Iterator[str], *, anyway: bool = False, actor: str = "") -> dict[str, object]:
        """Add the ops this store does not have; never drops or overwrites what it has.

        Refused when the lines are not what was exported, unless they shall be taken `anyway`. Things whose
        number another one here has get a new one, by an op of `actor`.
        """

    def close(self) -> None: ...


class Supervisor(Protocol):
    """A supervisor that waits until what it shall do is committed."""

    process: str

    def go(self) -> None:
        """Let it look into the store: its session is there, or it ends without a trace."""


class CheckRun(Value):
    """What came of running one command of the definition of done."""

    exit_code: int | None  # none where it could not be started or ran out of time
    output: str
    seconds: float
    problem: str = ""
    enforcement: str = ""  # what kept it from writing elsewhere


class Workers(Protocol):
    """Processes that work, on this machine."""

    @property
    def host(self) -> str: ...

    def supervise(self, number: int) -> Supervisor:
        """Start the supervisor of a session: detached, it outlives this process."""

    def lost(self) -> list[int]:
        """The numbers of the sessions whose supervisors are dead and left something to settle."""

    def drive(self, run_id: str) -> Supervisor:
        """Start the driver of a run: detached, it outlives this process."""

    def undriven(self) -> list[str]:
        """The runs whose drivers are dead and left something to do."""

    def let_go(self, run_id: str) -> None:
        """Let go of the traces of dead drivers of a run, once another drives it or it is over."""

    def reap(self, number: int) -> None:
        """End the processes a dead supervisor left on this machine; that it was here is still known."""

    def settled(self, number: int) -> None:
        """Let go of the traces of a dead supervisor, once what became of its session is committed."""

    def forget_log(self, number: int) -> None:
        """Let go of what a supervisor wrote beside the store: nobody needs it once the work is merged or given up."""

    def is_dead(self, process: str) -> bool: ...
    def is_lost(self, host: str, process: str, *, force: bool = False) -> bool:
        """Whether a process is certainly gone; with `force` also one on a machine of which nobody here can tell."""

    def stop(self, process: str) -> None:
        """Ask a living supervisor to end its worker: TERM, then KILL of the whole group."""

    def wake(self, process: str) -> None:
        """Have a living supervisor of this machine read at once what is wanted of its worker."""

    def keep_environment(self, number: int, variables: Mapping[str, str]) -> None:
        """Keep variables for the worker of a session, where only this user can read them; they go when it has ended."""

    def finds(self, program: str, folder: str = "") -> bool:
        """Whether there is such a program.

        One named by its path may come with the work tree: without that `folder` it seems there.
        """

    def enforcement(self) -> str:
        """What keeps workers in their scope on this machine: bubblewrap, landlock, sandbox-exec or none."""

    def check(self, command: Sequence[str], folder: str, seconds: float, stop: Callable[[], bool]) -> CheckRun:
        """Run a command of the definition of done in a sandbox, in which it can write all of the folder."""


class Peer(Protocol):
    """The caller, while its call runs: it can be told things and, where it agrees, asked.

    `meta` is what it said beside the arguments, in the protocol's `_meta`. `speaks_for_person` says whether its replies
    are those of the person behind it: a program that uses the HTTP token may answer for itself.
    """

    meta: Json
    speaks_for_person: bool

    def progress(self, done: float, total: float | None = None, message: str = "") -> None: ...
    def log(self, level: str, data: Any) -> None: ...
    def ask(self, requests: dict[str, Json]) -> dict[str, Json] | None:
        """The caller's replies to requests of ours (`method` and `params`, by a key), or None where it cannot be asked.

        The operation must be marked `waits`, and may be run again from its start to get here: ask before committing.
        """

    def cancelled(self) -> bool: ...
    def replies(self) -> dict[str, Json]:
        """What the caller has replied so far, by key, in a call that it repeats from its start to go on with."""

    def listed(self, seconds: float) -> bool:
        """Wait until the caller has listed its tools anew since they changed in this call; False when it does not."""


class Silent:
    """A caller that cannot be told or asked anything."""

    meta: Json = {}  # noqa: RUF012  # nobody changes it
    speaks_for_person = True

    def progress(self, done: float, total: float | None = None, message: str = "") -> None: ...
    def log(self, level: str, data: Any) -> None: ...
    def ask(self, requests: dict[str, Json]) -> dict[str, Json] | None:  # noqa: ARG002
        return None

    def cancelled(self) -> bool:
        return False

    def replies(self) -> dict[str, Json]:
        return {}

    def listed(self, seconds: float) -> bool:  # noqa: ARG002
        return False


class Context(Protocol):
    """What one call of one operation holds."""

    actor: str
    now: int
    op_id: str  # of the op that this call commits
    peer: Peer

    @property
    def ledger(self) -> Ledger: ...
    @property
    def snapshots(self) -> Snapshots: ...
    @property
    def worktrees(self) -> Worktrees: ...
    @property
    def workers(self) -> Workers: ...
    @property
    def documents(self) -> Documents: ...
    @property
    def records(self) -> Records: ...
    @property
    def survey(self) -> Survey: ...
    @property
    def model(self) -> Model | None: ...
    @property
    def gateway(self) -> Gateway: ...
    @property
    def trust(self) -> Trust: ...
    @property
    def settings(self) -> Mapping[str, Any]:
        """What is configured, by name; see `settings.py`."""

    @property
    def capabilities(self) -> Capabilities: ...
    @property
    def serving(self) -> Serving:
        """The face that runs this call."""

    def tools(self) -> list[Operation]:
        """What agents may call now, as it is described to them."""

    def publish(self, server: str, operations: list[Operation]) -> None:
        """Offer agents the tools of a mounted server in place of those it had; none takes them away."""

    def refuse_off(self, name: str) -> None:
        """Refuse an operation that there is and that is switched off, with what switches it on."""

    @property
    def root(self) -> str:
        """The folder of the project's main work tree."""

    @property
    def areas(self) -> Mapping[str, list[str]]:
        """The areas the project defines: what paths each name stands for, in patterns as .gitignore has them."""

    @property
    def is_deedlog(self) -> bool:
        """Whether Deedlog itself calls, such as the driver of a run."""

    @property
    def is_person(self) -> bool:
        """Whether a person calls, or approved just this call of an agent."""

    def may(self, what: str) -> bool:
        """Whether the caller may do `what`, a part of this operation that needs a person."""

    def need_person(self, what: str, message: str) -> None:
        """Refuse an agent that may not do `what`, before anything is done. A person is asked first where possible."""

    def new_id(self, prefix: str) -> str: ...
    def earlier(self) -> Op | None:
        """What was done already with the caller's idempotency key; to be asked again by who waited for a lock."""

    def settle(self) -> None:
        """Have what dead supervisors left behind settled, by a call of its own; for calls that wait."""

    def aside(self, name: str, arguments: Json) -> None:
        """Have an operation of ours run by a call of its own; whether it succeeds does not matter to this one."""

    def inner(self, name: str, arguments: Json) -> Any:
        """Run an operation of ours as part of this call; it commits for itself, or refuses."""

    def commit(
        self,
        *values: Entity | Gone,
        answer: Answer,
        undo_of: str | None = None,
        seen: Seen | None = None,
        owner: str = "",
        outside: Outside | None = None,
    ) -> Answer:
        """Write `values`, their events and the answer in one transaction, or nothing; then return the answer.

        What the call changed `outside` is an event of its own.

        `owner` is on whose behalf graphs change, the caller if none is named: see `work/locks.py`.
        After a conflict it may be tried again, with values read anew.

        Raises:
            Overtaken: one of the values changed since it was read, or more was recorded than was `seen`.
        """
