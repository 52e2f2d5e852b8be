"""What keeps a worker in its scope on this machine: found out by trying, once after each start of the machine."""

from __future__ import annotations

import os
import subprocess
import sys

from deedlog.workers import bubblewrap, landlock, seatbelt
from deedlog.workers.traces import Traces

BUBBLEWRAP, LANDLOCK, SANDBOX_EXEC, NONE = "bubblewrap", "landlock", "sandbox-exec", "none"
SHARED = "bubblewrap with all processes in sight"
KNOWN = (BUBBLEWRAP, SHARED, LANDLOCK, SANDBOX_EXEC, NONE)
SECONDS = 10


def enforcement(store: str) -> str:
    found = _found(store)
    return BUBBLEWRAP if found == SHARED else found


def has_own_processes(store: str) -> bool:
    """Whether bubblewrap also gives a worker a name space for processes, which some containers do not let it."""
    return _found(store) == BUBBLEWRAP


def _found(store: str) -> str:
    path = os.path.join(Traces(store).folder, "enforcement")
    key = _machine()
    try:
        with open(path, encoding="utf-8") as file:
            known, _, found = file.read().strip().rpartition("\n")
    except OSError:
        known, found = "", ""
    if known == key and found in KNOWN:
        return found
    found = _tried()
    _remember(path, f"{key}\n{found}\n")
    return found


def _tried() -> str:
    """The first of the ladder that really runs."""
    if program := bubblewrap.program():
        words = [program, bubblewrap.REPORTS, "1", *bubblewrap.BASE, *bubblewrap.NO_MOUNTING]
        if _works([*words, *bubblewrap.OWN_PROCESSES, "true"]):
            return BUBBLEWRAP
    if landlock.version():
        return LANDLOCK
    if program and _works([*words, "true"]):  # other processes show it the files that are hidden
        return SHARED
    if sys.platform == "darwin" and _works([seatbelt.PROGRAM, "-p", "(version 1)(allow default)", "true"]):
        return SANDBOX_EXEC
    return NONE


def _works(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=SECONDS, check=False).returncode == 0  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return False


def _machine() -> str:
    """What a finding holds for: the machine since its start, the user, and the program that would be used."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
    except OSError:
        boot = ""
    return f"{os.uname().nodename} {boot} {os.getuid()} {bubblewrap.program()}"


def _remember(path: str, text: str) -> None:
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(draft, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError:
        return  # it is tried again
