"""The architecture and each ADR as MCP resources: read, listed, completed, subscribed to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.core.clarification import WrittenAdr
from deedlog.testing import app_in
from tests.engines.tracked import commit
from tests.faces.mcp.speaking import Speaker, until
from tests.faces.mcp.test_resources_of_004 import each_era, follow, listed, read, told
from tests.ops.decisions.test_adr_verify import promoted
from tests.recording import record


@each_era
@pytest.mark.proves("resource:adr")
def test_the_architecture_and_the_adrs_are_read_listed_and_completed(client: Speaker, app: App, repo: Path) -> None:
    adr = record(app, Database__Type="PostgreSQL")
    contents = read(client, "project://architecture")
    assert json.loads(contents["text"])["architecture"]["categories"] == {"Database": {"Type": "PostgreSQL"}}
    contents = read(client, f"adr://{adr.uid}")
    assert (contents["mimeType"], contents["text"]) == ("text/markdown", (repo / adr.path).read_text())
    rows = listed(client)
    assert rows[f"adr://{adr.uid}"]["description"] == adr.title
    assert "project://architecture" in rows
    argument = {"name": "uid", "value": adr.uid[:10]}
    ref = {"type": "ref/resource", "uri": "adr://{uid}"}
    assert client.ask("completion/complete", ref=ref, argument=argument)["completion"]["values"] == [adr.uid]


@each_era
@pytest.mark.proves("resource:adr")
def test_a_subscriber_learns_of_each_adr_whoever_wrote_it(client: Speaker, repo: Path, tmp_path: Path) -> None:
    other = app_in(str(tmp_path / "store"), tree=str(repo))
    follow(client, "project://architecture")
    promoted(other)
    until(lambda: told(client) == ["project://architecture"])
    client.dispatcher.close()


@each_era
@pytest.mark.proves("resource:adr")
def test_a_subscriber_to_an_adr_learns_that_it_was_written(
    client: Speaker, app: App, repo: Path, tmp_path: Path
) -> None:
    other = app_in(str(tmp_path / "store"), tree=str(repo))
    promoted(other)
    (written,) = app.ledger.find(WrittenAdr, limit=5)
    follow(client, f"adr://{written.id}", "adr://20250115T100000000ZFFFF")
    commit(other.ledger, written.replace(title="Another title"))
    until(lambda: told(client) == [f"adr://{written.id}"])
    client.dispatcher.close()
