"""Keeping a worker in its scope, with the best this machine has; one that cannot be kept still runs."""

from __future__ import annotations

import os
import sys

from deedlog.core.value import Value
from deedlog.workers import bubblewrap, home, landlock, seatbelt
from deedlog.workers.enforcement import BUBBLEWRAP, LANDLOCK, NONE, SANDBOX_EXEC, enforcement, has_own_processes
from deedlog.workers.ground import Ground, Repository, git_open, ground, opened, repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Sandbox(Value):
    """`prefix` stands before the command, or `confine` is called before it; `is_process` says that the first
    process of the worker is the sandbox itself. `temporary` is a folder for the worker's own files, where those
    of all others cannot be open to it. With the option `reports` it tells if it got as far as to run the worker.
    """

    name: str = NONE
    prefix: list[str] = []  # noqa: RUF012  # values are never changed in place
    confine: Callable[[], None] | None = None
    is_process: bool = False
    temporary: str = ""
    reports: str = ""

    def speaks(self, line: str) -> bool:
        """Whether a line may be what the sandbox itself complains of."""
        return bool(self.reports) and line.startswith(bubblewrap.SPEAKS)

    def refuses(self, line: str) -> bool:
        """Whether it says that there is no such program, or that it is none."""
        return bool(self.reports) and line.startswith(bubblewrap.NO_PROGRAM)

    def has_run(self, report: bytes) -> bool:
        """Whether it ran the worker, by what it reported at its end."""
        return not self.reports or bubblewrap.RAN in report


def sandbox_for(store: str, root: str, tree: str, scope: Mapping[str, Sequence[str] | None], scratch: str) -> Sandbox:
    """`root` and `store` nobody may write; `scratch` is made where the worker needs a folder of its own."""
    found = enforcement(store)
    try:
        return _made(found, _Place(store=store, root=root, tree=tree, scratch=scratch), scope)
    except OSError as error:
        sys.stderr.write(f"{found} cannot be used: {error}\n")
        return Sandbox()


class _Place(Value):
    store: str
    root: str
    tree: str
    scratch: str


def _made(found: str, place: _Place, scope: Mapping[str, Sequence[str] | None]) -> Sandbox:
    if found == NONE:
        return Sandbox()
    tree = os.path.realpath(place.tree)
    where, repo = ground(tree, scope), repository(tree)
    protected = [os.path.realpath(path) for path in (place.root, repo.common, place.store) if path]
    if found == BUBBLEWRAP:
        words = bubblewrap.prefix(where, repo, protected, os.environ, own_processes=has_own_processes(place.store))
        return Sandbox(name=found, prefix=words, is_process=True, reports=bubblewrap.REPORTS)
    if found == SANDBOX_EXEC:
        return Sandbox(name=found, prefix=seatbelt.prefix(where, repo, protected, os.environ))
    assert found == LANDLOCK
    open_, temporary = _landlock_paths(where, repo, protected, place.scratch)
    return Sandbox(name=found, confine=landlock.confining(open_), temporary=temporary)


def _landlock_paths(where: Ground, repo: Repository, protected: list[str], scratch: str) -> tuple[list[str], str]:
    """There are no exceptions: a folder that holds something protected cannot be open."""
    wanted = [*home.temporary(os.environ), *home.opened(home.home(os.environ))]
    open_ = [path for path in wanted if not any(home.is_in(each, path) for each in protected)]
    temporary = ""
    if any(path not in open_ for path in home.temporary(os.environ)):
        os.makedirs(scratch, mode=0o700, exist_ok=True)
        temporary = scratch
        open_.append(scratch)
    return ["/dev", *open_, *opened(where), *git_open(repo)], temporary
