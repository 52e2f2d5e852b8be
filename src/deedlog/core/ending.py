"""How a session ended, by what was told of it: an exit code, a signal, why its worker was stopped."""

from __future__ import annotations

from deedlog.core.task import CANCELLED, COMPLETED, FAILED, MERGED, PENDING, Session
from deedlog.core.value import Value

EXIT, TIMEOUT, BUDGET, STOPPED, LAUNCH, CRASH = "exit", "timeout", "budget", "stopped", "launch", "crash"
REASONS = (EXIT, TIMEOUT, BUDGET, STOPPED, LAUNCH, CRASH)
SIGNAL, UNKNOWN = "signal", "unknown"
TIMED_OUT, BY_SIGNAL = 124, 128  # as shells tell it: the code of `timeout`, and what a signal's number is added to
SIGNALS = {
    1: "SIGHUP",
    2: "SIGINT",
    3: "SIGQUIT",
    4: "SIGILL",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL",
    11: "SIGSEGV",
    13: "SIGPIPE",
    14: "SIGALRM",
    15: "SIGTERM",
}


class Told(Value):
    """What whoever saw a session end tells of it; `reason` is one of `REASONS`."""

    exit_code: int | None = None
    signal: str = ""
    reason: str = EXIT
    message: str = ""
    dod_result: str = ""
    artifacts: list[str] = []  # noqa: RUF012  # values are never changed in place
    error: dict[str, str] = {}  # noqa: RUF012
    usage: dict[str, float] = {}  # noqa: RUF012


def status_after(told: Told) -> str:
    """The status of the session: its exit code decides, unless somebody ended it."""
    if told.reason == STOPPED:
        return CANCELLED
    return COMPLETED if told.reason == EXIT and told.exit_code == 0 else FAILED


def signal_of(told: Told) -> str:
    """The signal that ended it: `KILL`, `sigkill` and the codes 137 and -9 are SIGKILL."""
    if told.signal:
        name = told.signal.strip().upper()
        return name if name.startswith("SIG") else f"SIG{name}"
    code = told.exit_code or 0
    return SIGNALS.get(code - BY_SIGNAL if code > BY_SIGNAL else -code, "")


def error_of(told: Told) -> dict[str, str]:
    """What went wrong: as it was told, else as it follows; nothing of a session that completed."""
    if told.error or status_after(told) == COMPLETED:
        return told.error
    kind, message = _what_went_wrong(told)
    why = {} if told.reason == EXIT else {"reason": told.reason}
    return {"type": kind, "message": told.message or message, **why}


def _what_went_wrong(told: Told) -> tuple[str, str]:
    if told.reason == TIMEOUT or (told.reason == EXIT and told.exit_code == TIMED_OUT):
        return TIMEOUT, "it ran out of time"
    said = {
        STOPPED: (UNKNOWN, "it was stopped"),
        BUDGET: (UNKNOWN, "its budget was used up"),
        LAUNCH: (UNKNOWN, "it could not be started"),
        CRASH: (CRASH, "whoever ran it died"),
    }
    if told.reason in said:
        return said[told.reason]
    if signal := signal_of(told):
        return SIGNAL, f"it was ended by {signal}"
    return UNKNOWN, "nobody told its exit code" if told.exit_code is None else f"its exit code was {told.exit_code}"


def dod_after(known: str, told: str) -> str:
    """The result of the definition of done: what is merged stays merged, and `pending` tells nothing new."""
    return known if known == MERGED or told in ("", PENDING) else told


def detailed(session: Session, told: Told) -> tuple[Session, list[str]]:
    """An ended session with what was told later; what was known stays, and what contradicts it is said."""
    dod_result = dod_after(session.dod_result, told.dod_result)
    new = session.replace(
        exit_code=told.exit_code if session.exit_code is None else session.exit_code,
        signal=session.signal or (signal_of(told) if session.exit_code in (None, told.exit_code) else ""),
        dod_result=dod_result,
        artifacts=list(dict.fromkeys([*session.artifacts, *told.artifacts])),
        error=session.error or told.error,
        usage={**told.usage, **session.usage},
    )
    given = {
        "exitCode": (told.exit_code, new.exit_code),
        "signal": (told.signal and signal_of(told), new.signal),
        "dodResult": (told.dod_result if told.dod_result != PENDING else "", new.dod_result),
        "error": (told.error, new.error),
    }
    kept = [name for name, (said, known) in given.items() if said not in (None, "", {}) and said != known]
    warnings = [f"{name} was known already and stays as it was: {given[name][1]}" for name in kept]
    if session.exit_code is None and told.exit_code is not None and status_after(told) != session.status:
        warnings.append(f"{session.ref} stays {session.status}, as it ended, whatever exit code was told later")
    if session.sent_back and dod_result == MERGED != session.dod_result:
        warnings.append(f"{session.ref} was sent back: its task is to be worked on again all the same")
    return new, warnings
