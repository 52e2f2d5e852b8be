from __future__ import annotations

from tests.conftest import Call
from tests.faces.web.page.conftest import InProcess, OnPort, Page


def test_a_page_names_its_view_and_lights_its_entry_of_the_menu(page: Page) -> None:
    shown = page.get("/")
    assert shown.one("title").text == "Now · Deedlog"
    assert shown.one("nav a[aria-current=page]").text == "Now"
    assert len(shown.all("main h1")) == 1


def test_a_live_update_is_the_view_without_what_is_around_it(page: Page, call: Call) -> None:
    call("start_workflow", name="Paint the house")
    part = page.part("/")
    assert [child.tag for child in part.children if not isinstance(child, str)] == ["main"]
    assert "Paint the house" in part.text


def test_what_is_not_there_is_told_on_a_page(page: Page) -> None:
    shown = page.get("/thing?uri=milestone://nothing", 404)
    assert shown.one("main .refusal").text


def test_people_are_told_of_commands_and_programs_of_tools(page: InProcess) -> None:
    assert page.get("/task/task-99", 404).one("main p code").text == "deedlog task list"

    def hint(**said: str) -> str:
        told: str = page.post("task report", {"task_id": "task-99"}, **said).json["error"]["hint"]
        return told

    person = hint(**page.person())
    assert (person, hint()) == ("`deedlog task list` shows them", "task_list shows them")


def test_an_unknown_address_stays_a_page_when_it_is_read_anew(page: Page) -> None:
    shown = page.get("/nonsense", 404, accept="text/html", **{"deedlog-part": "main"})
    assert [child.tag for child in shown.children if not isinstance(child, str)] == ["main"]
    assert shown.one("h1").text == "Not here"


def test_a_server_on_a_port_shows_the_same(page_server: OnPort) -> None:
    page_server.call("workflow start", name="Paint the house")
    assert "Paint the house" in page_server.get("/").one("main").text
