from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deedlog.core.errors import DeedlogError, Denied, NotFound, Unavailable
from deedlog.ports import EventQuery
from tests.engines.gateway.oauth_server import Guarded, browse
from tests.ops.gate.persons import Person, configure, log_in
from tests.ops.gate.reach import Reach


def refused(reach: Reach, name: str, person: Person | None = None) -> DeedlogError:
    with pytest.raises(DeedlogError) as refusal:
        log_in(reach, name, person or Person())
    return refusal.value


@pytest.mark.proves("gate:activate:oauth")
def test_a_server_is_available_after_somebody_has_logged_in(reach: Reach, guarded: Guarded) -> None:
    configure(reach, odd={"type": "http", "url": guarded.url})
    assert "asks for a login" in reach.refused("mcp_test", name="odd").message
    assert reach.row("odd")["status"] == "missing-credentials"
    person = Person()
    told = log_in(reach, "Odd", person)
    assert (told["name"], told["logged_in"]) == ("odd", True)
    assert person.told[0].startswith("To log in at odd, visit\nhttp://127.0.0.1:")
    assert reach.row("odd")["status"] == "available"


@pytest.mark.proves("gate:secret:only-its-server")
def test_no_token_is_in_the_ledger_or_the_project(reach: Reach, guarded: Guarded) -> None:
    configure(reach, odd={"type": "http", "url": guarded.url})
    log_in(reach, "odd", Person())
    kept = json.loads((reach.home / ".config/deedlog/logins/odd.json").read_text())
    secrets = [kept["tokens"]["access_token"], kept["tokens"]["refresh_token"]]
    recorded = repr(reach.app.ledger.events(EventQuery(limit=1000)))
    recorded += "".join(path.read_bytes().decode("latin-1") for path in reach.root.rglob("*") if path.is_file())
    assert "mcp_login" in recorded
    assert not [secret for secret in secrets if secret in recorded]


def test_a_server_that_asks_for_no_login_says_so(reach: Reach) -> None:
    from tests.engines.gateway.http_servers import OddServer, well_behaved

    with OddServer(well_behaved) as server:
        configure(reach, odd={"type": "http", "url": server.url})
        assert log_in(reach, "odd", Person()) == {
            "name": "odd",
            "logged_in": False,
            "hint": "odd asks for no login",
        }


def test_who_gives_up_is_not_waited_for(reach: Reach, guarded: Guarded) -> None:
    configure(reach, odd={"type": "http", "url": guarded.url})
    refusal = refused(reach, "odd", Person(gone=True))
    assert isinstance(refusal, Unavailable)
    assert "was cancelled" in refusal.message


def test_a_server_that_a_repository_brings_is_not_even_asked(reach: Reach, guarded: Guarded) -> None:
    reach.put(".mcp.json", {"mcpServers": {"odd": {"type": "http", "url": guarded.url}}})
    refusal = refused(reach, "odd")
    assert isinstance(refusal, Denied)
    assert guarded.asked == []


def test_a_key_that_its_address_needs_comes_first(reach: Reach) -> None:
    configure(reach, odd={"type": "http", "url": "https://x.example/${TENANT}/mcp"})
    assert refused(reach, "odd").message == "Missing TENANT"


def test_names_that_nobody_knows_are_refused(reach: Reach) -> None:
    assert isinstance(refused(reach, "nobody-knows-it"), NotFound)


def test_the_command_shows_the_address_on_standard_error(reach: Reach, guarded: Guarded, tmp_path: Path) -> None:
    configure(reach, odd={"type": "http", "url": guarded.url})
    process = subprocess.Popen(
        [sys.executable, "-m", "deedlog", "mcp", "login", "odd", "--json"],
        cwd=reach.root,
        env=reach.environment | {"USER": "t", "PATH": os.environ["PATH"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    address = next(line.strip() for line in process.stderr if re.match("http://127", line))
    assert browse(address)[0] == 200
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert json.loads(out)["logged_in"] is True
