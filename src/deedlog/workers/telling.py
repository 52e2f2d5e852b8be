"""Calling operations from a process that nobody waits for: again and again while the store is away."""

from __future__ import annotations

import time

from deedlog.core.errors import Conflict, DeedlogError, NotFound, Outdated, Overtaken, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0
AWAY = 600.0  # seconds without a store after which somebody else must go on


class Refused(Exception):
    """What this process works on is not its own, or no longer."""


class GivenUp(Exception):
    """The store could not be told; what we leave says that there is something to do."""


def told(name: str, call: Callable[[], Any]) -> Any:
    """What `call` of the operation `name` returns."""
    pause, end = FIRST_PAUSE, time.monotonic() + AWAY
    while True:
        try:
            return call()
        except (Unavailable, Overtaken) as error:
            if time.monotonic() >= end or isinstance(error, Outdated):
                raise GivenUp(f"{name}: {error.message}") from error
        except (NotFound, Conflict) as error:
            raise Refused(error.message) from error
        except DeedlogError as error:
            raise GivenUp(f"{name}: {error.message} {error.hint}") from error
        time.sleep(pause)
        pause = min(LONGEST_PAUSE, pause * 2)
