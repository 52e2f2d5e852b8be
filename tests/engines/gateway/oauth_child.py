"""A process of its own that calls a tool with the login there is: `oauth_child FOLDER URL HERE [DIE_AT]`.

It writes the file HERE when it is about to begin. DIE_AT names the step of writing tokens at which it is killed.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from deedlog.gateway.remote.http import channel_of
from deedlog.gateway.remote.oauth import Logins
from tests.engines.gateway.http_servers import call, talking
from tests.engines.gateway.oauth_server import places, server_at


def die_at(step: str) -> None:
    before, name = step.split("-")
    real = getattr(os, name)

    def dying(*arguments: Any, **more: Any) -> Any:
        if before == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*arguments, **more)
        os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(os, name, dying)


def main() -> None:
    folder, url, here, *step = sys.argv[1:]
    logins = Logins(places(Path(folder)))
    if step:
        die_at(step[0])
    Path(here).touch()
    with talking(channel_of(server_at(url), lambda _: None, logins)) as conversation:
        print(call(conversation, "x", a=1)["said"]["arguments"])  # noqa: T201


if __name__ == "__main__":
    main()
