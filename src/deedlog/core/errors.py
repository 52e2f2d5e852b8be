"""The five refusals.

    DeedlogError
      Invalid      the request itself is wrong; change it
      NotFound     what it names does not exist
      Conflict     it was possible a moment ago or may be later; read again
      Denied       the caller may not, or it is switched off
      Unavailable  something outside the request failed

Every refusal says what is wrong (`message`) and what to do (`hint`); `data` holds the
values a program needs. `part` names what failed where the kind alone does not tell.
"""

from __future__ import annotations

from enum import StrEnum


class Part(StrEnum):
    """What a refusal is about, where faces tell it apart (exit codes, error codes)."""

    REQUEST = "request"
    CONFIGURATION = "configuration"
    DATABASE = "database"
    GIT = "git"


class DeedlogError(Exception):
    kind = "error"

    def __init__(
        self, message: str, *, hint: str = "", part: Part = Part.REQUEST, data: dict[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.part = part
        self.data = data or {}


class Invalid(DeedlogError):
    kind = "invalid"


class NotFound(DeedlogError):
    kind = "not_found"


class Conflict(DeedlogError):
    kind = "conflict"


class Overtaken(Conflict):
    """Somebody else was faster: the same call may succeed when it reads anew."""


class Denied(DeedlogError):
    kind = "denied"


class NeedsPerson(Denied):
    """An agent or a program asked for something that needs a person. `what` names it as `agents_may` does."""

    def __init__(self, message: str, what: str) -> None:
        super().__init__(message)
        self.what = what


class Unavailable(DeedlogError):
    kind = "unavailable"


class NotWritten(Unavailable):
    """The ledger could not be written, and it is certain that it has nothing of it."""


class Outdated(NotWritten):
    """A newer program has changed the store: this one will never write to it again."""
