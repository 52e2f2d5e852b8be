"""What is wrong with the names of servers that are to be mounted at the start."""

from __future__ import annotations

from deedlog.core.gate.readiness import lack
from deedlog.core.gate.server import Status, called
from deedlog.core.words import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deedlog.core.gate.server import Standing


def unready(named: Iterable[str], standings: Sequence[Standing]) -> list[str]:
    """A sentence for each name in `gateway_boot` of which nothing can be mounted."""
    known = {each.server.name: each for each in standings}
    found = []
    for name in named:
        standing = known.get(called(name))
        if standing is None:
            guess = did_you_mean(name[:80], known, "`deedlog mcp environment` lists them")
            found.append(f"gateway_boot names {name[:80]}, which is no server: {guess}")
        elif standing.status is Status.MISSING:
            found.append(f"gateway_boot names {standing.server.name}, which lacks {lack(standing)}")
        elif standing.status is Status.DISABLED:
            found.append(f"gateway_boot names {standing.server.name}, which cannot be mounted: {standing.reason}")
    return found
