"""People who log in, and a server that wants them to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from deedlog.ports import Silent
from deedlog.testing import caller
from tests.engines.gateway.oauth_server import Accounts, Guarded, browse
from tests.ops.gate.reach import Reach


class Person(Silent):
    """Visits what it is told to visit."""

    def __init__(self, *, gone: bool = False) -> None:
        self.told: list[str] = []
        self.gone = gone

    def log(self, level: str, data: Any) -> None:
        self.told.append(data)
        if not self.gone:
            browse(data.splitlines()[-1])

    def cancelled(self) -> bool:
        return self.gone and bool(self.told)


@pytest.fixture
def guarded() -> Iterator[Guarded]:
    with Accounts() as accounts, Guarded(accounts) as server:
        yield server


def configure(reach: Reach, **servers: Any) -> None:
    reach.put("~/.config/deedlog/servers.json", {"mcpServers": servers})


def log_in(reach: Reach, name: str, person: Person) -> Any:
    return reach.app.call("mcp_login", {"name": name}, caller().replace(peer=person))
