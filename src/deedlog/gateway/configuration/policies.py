"""What is said of tools by now. Every call asks, so only our own two files are looked at each time."""

from __future__ import annotations

import os
import time

from deedlog.core.errors import Denied, Part
from deedlog.gateway.configuration.files import why_barred

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from deedlog.core.gate.server import Server
    from deedlog.gateway.configuration.configured import Configured
    from deedlog.gateway.places import Places

OTHERS_SECONDS = 2.0  # after which the files of other programs are looked at, too: they can only deny


class Policies:
    def __init__(self, places: Places, configured: Configured) -> None:
        self._files = [os.path.join(folder, "servers.json") for folder in (places.user, places.state)]
        self._configured = configured
        self._known: tuple[object, float, dict[str, Mapping[str, str]], dict[str, str]] = None, 0.0, {}, {}

    def of(self, server: Server) -> Mapping[str, str]:
        """Of one that is configured no more, what was said when it was mounted. Refused where nobody can tell."""
        mark, until, found, barred = self._known
        now, stamps = time.monotonic(), [_stamp(path) for path in self._files]
        if stamps != mark or now > until:
            found = {each.name: each.policy for each in self._configured.servers()}
            barred = self._configured.barred()
            self._known = stamps, now + OTHERS_SECONDS, found, barred
        if why := why_barred(server.name, barred):
            raise Denied(why, hint="mend the file, or move it away", part=Part.CONFIGURATION)
        return found.get(server.name, server.policy)


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
