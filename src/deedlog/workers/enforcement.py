"""What keeps a worker in its scope on this machine: found out by trying, once after each start of the machine."""

from __future__ import annotations

import os
import subprocess

from deedlog.workers.traces import Traces

BUBBLEWRAP, LANDLOCK, SANDBOX_EXEC, NONE = "bubblewrap", "landlock", "sandbox-exec", "none"
SECONDS = 10


def enforcement(store: str) -> str:
    path = os.path.join(Traces(store).folder, "enforcement")
    key = _machine()
    try:
        with open(path, encoding="utf-8") as file:
            known, _, found = file.read().strip().rpartition("\n")
    except OSError:
        known, found = "", ""
    if known == key and found in (BUBBLEWRAP, LANDLOCK, SANDBOX_EXEC, NONE):
        return found
    found = _tried()
    _remember(path, f"{key}\n{found}\n")
    return found


def _tried() -> str:
    return BUBBLEWRAP if _works(["bwrap", "--ro-bind", "/", "/", "true"]) else NONE


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
    return f"{os.uname().nodename} {boot} {os.getuid()} {os.environ.get('PATH', '')}"


def _remember(path: str, text: str) -> None:
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(draft, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError:
        return  # it is tried again
