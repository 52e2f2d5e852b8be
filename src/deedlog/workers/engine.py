"""The workers of this machine. What is here starts with every command, so whatever is heavy is imported later."""

from __future__ import annotations

import os

from deedlog.process import is_dead, is_of_here
from deedlog.workers.traces import RUNS, Traces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deedlog.ports import CheckRun, Supervisor

BOOT = 1  # of the words that say where a process is
MACHINE = ("/etc/machine-id", "/var/lib/dbus/machine-id")


class LocalWorkers:
    def __init__(self, root: str, store: str, named: Sequence[str] = ()) -> None:
        """`named` are variables that checks find in their environment even if they look like secrets."""
        self._root = root
        self._named = named
        self._store = store
        self._traces = Traces(store)
        self._runs = Traces(store, RUNS)
        self._host = ""

    @property
    def host(self) -> str:
        """The name of this machine, and what tells it from another one of that name."""
        if not self._host:
            self._host = this_host()
        return self._host

    def supervise(self, number: int) -> Supervisor:
        from deedlog.workers.spawn import spawn

        return spawn(self._root, self._store, self._traces, number)

    def lost(self) -> list[int]:
        found = {int(name) for name, _, trace in self._traces.free() if name.isdecimal() and trace.host == self.host}
        return sorted(found)

    def drive(self, run_id: str) -> Supervisor:
        from deedlog.workers.spawn import spawn

        return spawn(self._root, self._store, self._runs, run_id)

    def undriven(self) -> list[str]:
        return sorted({run_id for run_id, _, trace in self._runs.free() if trace.host == self.host})

    def let_go(self, run_id: str) -> None:
        self._runs.remove(run_id)

    def reap(self, number: int) -> None:
        from deedlog.workers.remains import end_all

        for _, _, trace in self._traces.free(number):
            end_all(trace.token, trace.leader)

    def settled(self, number: int) -> None:
        self._traces.remove(number)

    def forget_log(self, number: int) -> None:
        self._traces.forget_log(number)

    def is_dead(self, process: str) -> bool:
        """Whether a process of this machine is gone; none lives on after the machine was started again."""
        from deedlog.process import this_process

        here, there = (mark.split(" ")[2:] for mark in (this_process(), process))
        started_again = len(here) > BOOT and len(there) > BOOT and here[0] == there[0] and here[BOOT] != there[BOOT]
        if started_again or is_dead(process):
            return True
        return not is_of_here(process) and self._let_go_of(process)

    def _let_go_of(self, process: str) -> bool:
        """Whether a process of another container on this machine left a trace that it holds no longer."""
        left = [*self._traces.free(), *self._runs.free()]
        return any(trace.process == process for _, _, trace in left)

    def is_lost(self, host: str, process: str, *, force: bool = False) -> bool:
        if host != self.host:
            return force
        return bool(process) and (self.is_dead(process) or (force and not is_of_here(process)))

    def stop(self, process: str) -> None:
        from deedlog.workers.remains import terminate

        terminate(process)

    def wake(self, process: str) -> None:
        from deedlog.workers.remains import wake

        if process:  # one that waits its turn has none yet
            wake(process)

    def keep_environment(self, number: int, variables: Mapping[str, str]) -> None:
        import json  # only where a worker is given some

        try:
            self._traces.keep_environment(number, json.dumps(dict(variables)))
        except OSError as error:
            from deedlog.core.errors import Part, Unavailable

            raise Unavailable(
                f"the variables of session {number} cannot be kept: {error.strerror}",
                hint="check the space and the permissions of the store's folder",
                part=Part.DATABASE,
            ) from error

    def finds(self, program: str, folder: str = "") -> bool:
        from shutil import which

        if os.sep in program:
            return not folder or which(os.path.join(folder, program)) is not None
        return which(program) is not None

    def enforcement(self) -> str:
        from deedlog.workers.enforcement import enforcement

        return enforcement(self._store)

    def check(self, command: Sequence[str], folder: str, seconds: float, stop: Callable[[], bool]) -> CheckRun:
        from deedlog.workers.checking import check
        from deedlog.workers.place import Place

        scratch = self._traces.scratch(f"check-{os.urandom(8).hex()}")
        place = Place(store=self._store, root=self._root, tree=folder, scratch=scratch, command=command)
        return check(command, folder, seconds, stop, place, self._named)


def this_host() -> str:
    name = "".join(c if c.isalnum() or c in "-._" else "-" for c in os.uname().nodename) or "host"
    for path in MACHINE:
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                machine = file.read().strip()
        except OSError:
            continue
        if machine:
            from hashlib import blake2b  # a store has it already

            return f"{name}-{blake2b(machine.encode(), digest_size=4).hexdigest()}"
    return name
