"""A scripted agent goes through a whole workflow over MCP while somebody watches, and decides, in a browser."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from deedlog.faces.cli.demo.shop import parcels
from tests.browser.conftest import OpenPage
from tests.browser.room import Room, mark, unmoved, visit
from tests.e2e.processes import let_agents
from tests.e2e.sdk_talker import SdkTalker
from tests.repository import git
from tests.stand_in_agent import command

Json = dict[str, Any]
MIDDLEWARE = "export function requireToken(token: string) {\n  return read(token);\n}\n"
QUESTION = "Sessions are gone: is anybody still using them?"


@pytest.fixture
def room(repo: Path, tmp_path: Path) -> Iterator[Room]:
    let_agents(tmp_path / "home")
    git(repo, "config", "user.name", "t")
    git(repo, "config", "user.email", "t@example.invalid")
    with Room(repo, HOME=str(tmp_path / "home"), XDG_CONFIG_HOME=str(tmp_path / "home/.config")) as opened:
        yield opened


@pytest.fixture
def agent(room: Room) -> Iterator[Agent]:
    with SdkTalker(room.server.port) as client:
        yield Agent(client, room.folder)


class Agent:
    """Works in the repository itself, and says so over MCP."""

    def __init__(self, client: SdkTalker, folder: Path) -> None:
        self._client = client
        self._folder = folder

    def call(self, tool: str, /, **arguments: Any) -> Json:
        return self._client.answer(tool, **arguments)

    def said(self, tool: str, /, **arguments: Any) -> str:
        return str(self._client.call(tool, **arguments)["content"][0]["text"])

    def write(self, path: str, text: str) -> None:
        place = self._folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def finished_task(self) -> str:
        """A task that was done and waits for a person."""
        workflow = self.call("start_workflow", name="Add authentication")["workflow_id"]
        said = {"workflow_id": workflow, "name": "Setup JWT middleware", "goal": "Verify tokens", "areas": ["src/**"]}
        task: str = self.call("start_task", **said)["task_id"]
        self.write("src/auth.ts", MIDDLEWARE)
        outcome = {"summary": "Done.", "manual_review_needed": True, "manual_review_reason": QUESTION}
        self.call("complete_task", task_id=task, status="success", outcome=outcome)
        return task


class Windows:
    """Views side by side, each in a window of its own, none of which is ever loaded anew."""

    def __init__(self, page: Page, room: Room) -> None:
        self._context = page.context
        self._room = room
        self._pages: dict[str, Page] = {}

    def open(self, name: str, address: str) -> Page:
        self._pages[name] = visit(self._context.new_page(), self._room, address)
        mark(self._pages[name])
        return self._pages[name]

    def __getitem__(self, name: str) -> Page:
        return self._pages[name]

    @property
    def reloaded(self) -> list[str]:
        return [name for name, page in self._pages.items() if not unmoved(page)]


def main(page: Page) -> Any:
    return page.locator("#main")


@pytest.mark.proves("page:live:every-view")
def test_every_view_follows_an_agent_through_a_workflow(room: Room, agent: Agent, page: Page) -> None:
    windows = Windows(page, room)
    for name in ("workflows", "board", "review", "sessions", "memory", "events"):
        windows.open(name, f"/{name}")
    windows.open("now", "/")
    windows.open("decisions", "/decisions?show=list")

    workflow = agent.call("start_workflow", name="Add authentication", description="JWT for the API")["workflow_id"]
    for name in ("now", "workflows", "events"):
        expect(main(windows[name])).to_contain_text("Add authentication")
    for name in ("timeline", "tree", "graph"):
        windows.open(name, f"/workflow/{workflow}?show={name}")

    task = agent.call(
        "start_task", workflow_id=workflow, name="Setup JWT middleware", goal="Verify tokens", areas=["src/**"]
    )["task_id"]
    for name in ("now", "board", "sessions", "timeline", "tree", "graph"):
        expect(main(windows[name])).to_contain_text("Setup JWT middleware")
    windows.open("task", f"/task/{task}")

    agent.call("log_milestone", task_id=task, message="Installing jsonwebtoken", progress=50)
    for name in ("now", "task", "events"):
        expect(main(windows[name])).to_contain_text("Installing jsonwebtoken")
    agent.call(
        "log_decision",
        task_id=task,
        category="library_choice",
        question="Which JWT library?",
        chosen="jsonwebtoken",
        reasoning="Better documented",
    )
    for name in ("task", "decisions", "events"):
        expect(main(windows[name])).to_contain_text("Which JWT library?")
    agent.call("memory_add", id="tokens", category="rule", title="Tokens last an hour", status="active")
    expect(main(windows["memory"])).to_contain_text("Tokens last an hour")

    agent.write("src/auth.ts", MIDDLEWARE)
    outcome = {"summary": "It verifies tokens.", "manual_review_needed": True, "manual_review_reason": QUESTION}
    agent.call("complete_task", task_id=task, status="success", outcome=outcome)
    for name in ("now", "review", "task"):
        expect(main(windows[name])).to_contain_text(QUESTION)
    expect(main(windows["task"])).to_contain_text("requireToken")
    expect(windows["board"].locator("#waiting")).to_contain_text("1")
    agent.call("complete_workflow", workflow_id=workflow, summary="People can log in.")
    for name in ("workflows", "timeline"):
        expect(main(windows[name])).to_contain_text("completed")
    assert windows.reloaded == []
    visit(page, room, "/search?q=middleware")
    expect(main(page)).to_contain_text("Setup JWT middleware")


@pytest.mark.proves("page:review:approve")
def test_a_person_approves_and_the_agent_learns_of_it(room: Room, agent: Agent, page: Page) -> None:
    visit(page, room, "/review")
    agent.finished_task()
    item = page.get_by_role("listitem").filter(has_text=QUESTION)
    expect(item).to_be_visible()
    mark(page)
    item.get_by_role("button", name="Approve").click()
    expect(item).to_have_count(0)
    expect(page.locator("#waiting")).to_have_text("")
    assert agent.call("review_list")["reviews"] == []
    assert agent.call("review_list", status="closed")["reviews"][0]["verdict"] == "approved"
    assert unmoved(page)


@pytest.mark.proves("page:review:send-back")
def test_what_a_person_sends_back_reaches_the_agent(room: Room, agent: Agent, page: Page) -> None:
    task = agent.finished_task()
    visit(page, room, "/review")
    item = page.get_by_role("listitem").filter(has_text=QUESTION)
    item.get_by_role("button", name="Send back…").click()
    item.get_by_role("textbox").fill("Keep the sessions for a month.")
    item.get_by_role("button", name="Send back", exact=True).click()
    expect(item).to_have_count(0)
    told = agent.call("task_get", id=int(task.removeprefix("task-")))
    assert told["status"] == "open"
    assert "Keep the sessions for a month." in str(told["feedback"])
    happened = [event["kind"] for event in agent.call("event_list", last=True)["events"]]
    assert "comment.created" in happened


@pytest.mark.proves("page:session:stop")
def test_a_worker_is_watched_and_stopped(room: Room, page: Page) -> None:
    os.mkfifo(room.folder / ".git/never")
    room.call("agent_create", name="hand", command=command("{prompt_file}"), scope={"write": ["**/*"]})
    lines = ["do: print \x1b[32mreading\x1b[0m the code", f"do: wait {room.folder}/.git/never"]
    task = room.call("task_create", title="Say goodbye", description="\n".join(lines), assignee="hand")["id"]
    visit(page, room, "/sessions")
    mark(page)
    session = room.call("worker_run", taskId=task)["sessionId"]
    expect(main(page)).to_contain_text("Say goodbye")
    assert unmoved(page)
    visit(page, room, f"/session/session-{session}")
    expect(page.get_by_role("log")).to_contain_text("reading the code")
    mark(page)
    page.locator("summary", has_text="Stop").click()
    page.get_by_label("Why, for the log").fill("wrong approach")
    page.get_by_role("button", name="Stop it").click()
    expect(main(page)).to_contain_text("cancelled")
    assert room.call("session_get", sessionId=session)["status"] == "cancelled"
    assert unmoved(page)


@pytest.mark.proves("page:servers:mount")
def test_a_server_is_mounted_and_its_tools_are_there(room: Room, agent: Agent, page: Page) -> None:
    room.cli("mcp", "add", "parcels", "--", sys.executable, parcels.__file__)
    visit(page, room, "/servers?q=parcels")
    mark(page)
    page.get_by_role("button", name="Mount parcels", exact=True).click()
    expect(page.get_by_role("button", name="Unmount parcels")).to_be_visible()
    assert "delivered" in agent.said("mcp_call", tool="track_parcel", server="parcels", arguments={"number": "TC-1041"})
    assert unmoved(page)


def test_who_has_no_key_sees_only_the_sign_in(room: Room, agent: Agent, open_page: OpenPage) -> None:
    agent.finished_task()
    page = open_page(keyed=False)
    page.goto(f"{room.base}/review")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_text(QUESTION)).to_have_count(0)
    assert len(agent.call("review_list")["reviews"]) == 1
