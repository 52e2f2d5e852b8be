"""A server of the catalogue runs, or is reached, only after a person has approved exactly that program or address."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Denied, Unavailable
from deedlog.core.gate.server import Server
from deedlog.gateway.configuration import catalogue
from tests.engines.gateway.http_servers import OddServer, well_behaved
from tests.engines.gateway.stub_server import stub
from tests.ops.gate.guarded import House, Person


class Catalogued(House):
    """A house whose catalogue has the server `oven`, and nobody configured anything."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
        super().__init__(folder, **options)
        self.known: list[Server] = []
        monkeypatch.setattr(catalogue, "servers", lambda: list(self.known))
        self.knows()

    def knows(self, *switches: str, **more: Any) -> None:
        command, *args = stub("--just", "echo", "--only-tools", "--record", self.folder / "oven.record", *switches)
        self.known[:] = [Server(name="oven", **{"command": command, "args": args, **more})]
        self.app = self.another()

    def runs(self) -> bool:
        return (self.folder / "oven.record").exists()

    def approvals(self) -> list[Any]:
        found = self.call("event_list", subject="server://oven")["events"]
        return [event for event in found if "approved" in (event.get("after") or {})]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalogued]:
    house = Catalogued(tmp_path, monkeypatch)
    yield house
    house.close()


@pytest.mark.proves("gate:approval:catalogue")
def test_an_agent_cannot_mount_a_server_of_the_catalogue_that_no_person_approved(house: Catalogued) -> None:
    with pytest.raises(Denied) as refused:
        house.call("mcp_activate", name="oven")
    assert "no person has approved it" in refused.value.message
    assert "deedlog mcp enable oven" in refused.value.hint
    assert "--yes" in refused.value.hint
    assert not house.runs()
    assert house.approvals() == []


@pytest.mark.proves("gate:approval:catalogue")
def test_every_way_to_start_it_is_refused(house: Catalogued) -> None:
    with pytest.raises(Denied):
        house.call("mcp_test", name="oven")
    for start in (house.app.gateway.start, house.app.gateway.probe):
        with pytest.raises(Denied, match="approve"):
            start("oven", Person())
    assert list(house.app.gateway.start_all(["oven"], Person())) == []
    assert not house.runs()


@pytest.mark.proves("gate:approval:catalogue")
def test_a_person_sees_the_command_and_approves_it_on_the_command_line(house: Catalogued) -> None:
    shown = house.call("mcp_enable", name="oven")
    assert (shown["approved"], shown["changed"]) == (False, False)
    assert shown["launch"]["args"] == house.known[0].args
    assert "as it is installed on this machine" in shown["version"]
    assert "deedlog mcp enable oven --yes" in shown["hint"]
    assert house.approvals() == []
    approved = house.call("mcp_enable", name="oven", yes=True)
    assert (approved["approved"], approved["changed"], approved["status"]) == (True, True, "available")
    assert house.call("mcp_activate", name="oven")["tools"] == ["oven__echo"]
    assert len(house.approvals()) == 1
    assert "approved" not in house.call("mcp_enable", name="oven")


@pytest.mark.proves("gate:approval:catalogue")
def test_a_person_approves_it_in_the_form_and_that_is_an_event(house: Catalogued) -> None:
    person = Person("approve")
    assert house.call("mcp_activate", name="oven", peer=person)["status"] == "active"
    assert len(person.asked) == 1
    assert "stub_server.py" in person.shown()
    assert "as it is installed on this machine" in person.shown()
    [approval] = house.call("review_list", status="closed")["reviews"]
    assert (approval["verdict"], approval["note"]) == ("approved", "approve")
    house.call("mcp_deactivate", name="oven")
    assert house.call("mcp_activate", name="oven")["status"] == "active"


@pytest.mark.proves("gate:approval:catalogue")
@pytest.mark.parametrize("person", [Person("refuse"), Person(), Person("approve", action="decline")])
def test_only_a_clear_yes_counts(house: Catalogued, person: Person) -> None:
    with pytest.raises(Denied):
        house.call("mcp_activate", name="oven", peer=person)
    assert not house.runs()
    assert house.approvals() == []


@pytest.mark.proves("gate:approval:catalogue")
def test_another_version_needs_another_approval(house: Catalogued) -> None:
    house.call("mcp_enable", name="oven", yes=True)
    house.knows("--name", "newer")
    with pytest.raises(Denied, match="no person has approved it"):
        house.call("mcp_activate", name="oven")


@pytest.mark.proves("gate:approval:catalogue")
def test_an_approval_holds_in_every_project_of_the_person(house: Catalogued) -> None:
    house.call("mcp_enable", name="oven", yes=True)
    other = House(house.folder / "other")
    (house.folder / "other/user/servers.json").write_text(house.file().read_text())
    assert other.call("mcp_activate", name="oven")["status"] == "active"
    other.close()


@pytest.mark.proves("gate:approval:catalogue")
def test_what_it_lacks_is_said_before_anybody_is_asked(house: Catalogued) -> None:
    house.knows(required=["OVEN_KEY"])
    person = Person("approve")
    with pytest.raises(Unavailable, match="Missing OVEN_KEY"):
        house.call("mcp_activate", name="oven", peer=person)
    assert person.asked == []


@pytest.mark.proves("gate:approval:catalogue")
def test_it_is_found_and_listed_as_one_that_waits_for_approval(house: Catalogued) -> None:
    [row] = house.call("mcp_discover", intent="oven")["servers"]
    assert row["status"] == "available"
    assert "deedlog mcp enable oven" in row["problem"]


@pytest.mark.proves("gate:approval:catalogue")
@pytest.mark.parametrize("entry", [{"boot": True}, None])
def test_a_server_that_a_person_mounts_at_every_start_is_approved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: Any
) -> None:
    house = Catalogued(tmp_path, monkeypatch)
    if entry:
        house.file().write_text(json.dumps({"mcpServers": {"oven": entry}}))
    else:
        house.app.settings = {**house.app.settings, "gateway_boot": ["oven"]}
    assert house.call("mcp_activate", name="oven")["status"] == "active"
    house.close()


@pytest.mark.proves("gate:approval:catalogue")
def test_a_repository_cannot_approve_it(house: Catalogued) -> None:
    for entry in ({"boot": True}, {"disabled": False}, {"policy": {"*": "allow"}}):
        own = house.folder / "tree/.deedlog/servers.json"
        own.write_text(json.dumps({"mcpServers": {"oven": entry}, "approved": {"oven": "x"}}))
        with pytest.raises(Denied):
            house.call("mcp_activate", name="oven")
    (house.folder / "tree/.mcp.json").write_text(json.dumps({"mcpServers": {"oven": {"command": "true"}}}))
    with pytest.raises(Denied):
        house.call("mcp_activate", name="oven")
    assert not house.runs()


@pytest.mark.proves("gate:approval:catalogue")
def test_a_server_in_the_files_of_the_users_own_clients_is_approved(house: Catalogued) -> None:
    command, *args = house.known[0].command, *house.known[0].args
    entry = {"command": command, "args": args}
    (house.folder / "home/.cursor").mkdir(parents=True)
    (house.folder / "home/.cursor/mcp.json").write_text(json.dumps({"mcpServers": {"oven": entry}}))
    assert house.call("mcp_activate", name="oven")["status"] == "active"


@pytest.mark.proves("gate:approval:catalogue")
def test_nothing_is_sent_to_an_address_of_the_catalogue_before_it_is_approved(house: Catalogued) -> None:
    with OddServer(well_behaved) as server:
        house.knows(transport="http", url=server.url, command="", args=[])
        with pytest.raises(Denied, match="no person has approved it"):
            house.call("mcp_activate", name="oven")
        assert server.asked == []
        person = Person("approve")
        house.call("mcp_activate", name="oven", peer=person)
        assert "send" in person.shown()
        assert server.asked
        house.close()


@pytest.mark.proves("gate:approval:catalogue")
def test_what_a_person_decides_about_a_tool_in_the_form_is_an_event(house: Catalogued) -> None:
    house.call("mcp_enable", name="oven", yes=True)
    house.call("mcp_policy", server="oven", tool="*", verdict="ask")
    house.call("mcp_activate", name="oven")
    house.use("oven__echo", peer=Person("always"))
    [decided] = house.call("review_list", status="closed")["reviews"]
    assert (decided["verdict"], decided["note"]) == ("approved", "always")
