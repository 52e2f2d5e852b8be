"""Which workers run: as many at once as are allowed on a machine, the others wait their turn."""

from __future__ import annotations

from deedlog.core.task import QUEUED, RUNNING, Session
from deedlog.ports import Seen
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deedlog.ports import Context, Supervisor


class Slots:
    """The supervisors one call starts. Each waits until `go`; one whose session was not committed then ends."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._started: dict[int, Supervisor] = {}

    def seen(self) -> Seen:
        """What a decision about slots rests on, from now on."""
        return Seen(subject=f"host://{self._ctx.workers.host}", seq=self._ctx.ledger.head())

    def filled(self, new: Sequence[Session] = (), *, freed: int = 0) -> list[Session]:
        """The sessions to commit: those that start now, and the `new` ones that have to wait.

        `freed` are slots that what is committed with them frees.
        """
        waiting = [*self._of(QUEUED), *new]
        free = max(0, self._ctx.settings["max_workers"] - len(list(self._of(RUNNING))) + freed)
        starting, rest = waiting[:free], waiting[free:]
        return [*map(self._running, starting), *(session for session in rest if session.version == 0)]

    def go(self) -> None:
        for supervisor in self._started.values():
            supervisor.go()
        self._started.clear()

    def _of(self, status: str) -> Iterable[Session]:
        return every(self._ctx.ledger, Session, {"host": self._ctx.workers.host, "status": status}, oldest=True)

    def _running(self, session: Session) -> Session:
        if session.number not in self._started:
            self._started[session.number] = self._ctx.workers.supervise(session.number)
        process = self._started[session.number].process
        return session.replace(status=RUNNING, process=process, started_at=self._ctx.now)
