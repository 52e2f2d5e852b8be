"""Keeping a worker in its scope, with the best this machine has. Only where it has nothing a worker runs without."""

from __future__ import annotations

import os

from deedlog.core.value import Value
from deedlog.workers import bubblewrap, hidden, home, landlock, seatbelt
from deedlog.workers.enforcement import BUBBLEWRAP, LANDLOCK, NONE, SANDBOX_EXEC, enforcement, has_own_processes
from deedlog.workers.ground import Ground, ground, opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deedlog.workers.landlock import Rules
    from deedlog.workers.place import Place


class Sandbox(Value):
    """`prefix` stands before the command, or `rules` hold for it; `is_process` says that the first
    process of the worker is the sandbox itself. `temporary` is what TMPDIR must be, where the folder that the user
    has for it cannot be open. With the option `reports` it tells if it got as far as to run the worker.
    `points` says that `.git` in the tree must be changed for the worker: nothing hides it.
    """

    name: str = NONE
    prefix: list[str] = []  # noqa: RUF012  # values are never changed in place
    rules: Rules | None = None
    is_process: bool = False
    temporary: str = ""
    reports: str = ""
    points: bool = True

    def speaks(self, line: str) -> bool:
        """Whether a line may be what the sandbox itself complains of."""
        return bool(self.reports) and line.startswith(bubblewrap.SPEAKS)

    def refuses(self, line: str) -> bool:
        """Whether it says that there is no such program, or that it is none."""
        return bool(self.reports) and line.startswith(bubblewrap.NO_PROGRAM)

    def has_run(self, report: bytes) -> bool:
        """Whether it ran the worker, by what it reported at its end."""
        return not self.reports or bubblewrap.RAN in report


def sandbox_for(place: Place, scope: Mapping[str, Sequence[str] | None], own: tuple[str, ...] | None = None) -> Sandbox:
    """Let a process write its scope and little else. `own` are names at the top that stay as they are.

    A scope that bubblewrap cannot hold is held by Landlock. Where no sandbox can, this is an OSError: the process must
    not run without one.
    """
    found = enforcement(place.store)
    hidden.make_settings(os.environ)
    where = ground(os.path.realpath(place.tree), scope)
    where = where if own is None else where.replace(own=own)
    try:
        return _made(found, place, where)
    except OSError as error:
        if found == BUBBLEWRAP and landlock.version():
            return _made(LANDLOCK, place, where)
        raise OSError(error.errno, f"{found} cannot hold its scope ({error.strerror})") from error


def _made(found: str, place: Place, where: Ground) -> Sandbox:
    if found == NONE:
        return Sandbox()
    if found == BUBBLEWRAP:
        words = bubblewrap.prefix(where, place, os.environ, own_processes=has_own_processes(place.store))
        temporary = bubblewrap.temporary_folder(place, os.environ)
        made = Sandbox(name=found, prefix=words, is_process=True, temporary=temporary)
        return made.replace(reports=bubblewrap.REPORTS, points=False)
    if found == SANDBOX_EXEC:
        return Sandbox(name=found, prefix=seatbelt.prefix(where, place, os.environ))
    assert found == LANDLOCK
    open_, temporary = _landlock_paths(where, place)
    rules = landlock.Rules(open=open_, hidden=place.hidden(os.environ))
    return Sandbox(name=found, rules=rules, temporary=temporary)


def _landlock_paths(where: Ground, place: Place) -> tuple[list[str], str]:
    """There are no exceptions: a folder that holds something protected or hidden cannot be open."""
    closed = [*place.protected(), *place.hidden(os.environ)]
    wanted = [*home.temporary(os.environ), *home.opened(home.home(os.environ))]
    open_ = [path for path in wanted if not any(home.is_in(each, path) or home.is_in(path, each) for each in closed)]
    temporary = ""
    if any(path not in open_ for path in home.temporary(os.environ)):
        os.makedirs(place.scratch, mode=0o700, exist_ok=True)
        temporary = os.path.realpath(place.scratch)
        open_.append(temporary)
    private = [os.path.realpath(place.private)] if place.private else []
    return ["/dev", *open_, *opened(where), *private], temporary
