from __future__ import annotations

from deedlog.core.errors import NotFound
from tests.engines.gateway.oauth_server import Guarded
from tests.ops.gate.persons import Person, configure, log_in
from tests.ops.gate.reach import Reach


def test_a_login_is_forgotten_and_the_server_asks_for_one_again(reach: Reach, guarded: Guarded) -> None:
    configure(reach, odd={"type": "http", "url": guarded.url})
    log_in(reach, "odd", Person())
    assert reach.call("mcp_logout", name="Odd") == {"name": "odd", "forgotten": True}
    assert reach.call("mcp_logout", name="odd") == {"name": "odd", "forgotten": False}
    assert not (reach.home / ".config/deedlog/logins/odd.json").exists()
    assert "asks for a login" in reach.refused("mcp_test", name="odd").message


def test_the_login_of_a_server_that_is_no_longer_configured_is_forgotten(
    reach: Reach,
    guarded: Guarded,
) -> None:
    configure(reach, odd={"type": "http", "url": guarded.url})
    log_in(reach, "odd", Person())
    configure(reach)
    assert reach.call("mcp_logout", name="odd") == {"name": "odd", "forgotten": True}


def test_a_name_that_nobody_knows_is_refused(reach: Reach) -> None:
    assert isinstance(reach.refused("mcp_logout", name="nobody-knows-it"), NotFound)
