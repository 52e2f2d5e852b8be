"""What tests of a mounted server's safety share: an app in a folder with stubs to mount, and people who answer."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from deedlog.app import App, Caller
from deedlog.core.caller import Kind
from deedlog.gateway.engine import LocalGateway
from deedlog.gateway.places import Places
from deedlog.ports import Silent
from deedlog.testing import app_in
from tests.engines.gateway.stub_server import stub

Json = dict[str, Any]


class Person(Silent):
    """Whoever sits before the client, and what they choose; `asked` is what they were shown."""

    def __init__(self, *decisions: str, action: str = "accept") -> None:
        self.decisions = list(decisions)
        self.action = action
        self.asked: list[Json] = []

    def ask(self, requests: dict[str, Json]) -> dict[str, Json] | None:
        self.asked += [request["params"] for request in requests.values()]
        content = {"decision": self.decisions.pop(0)} if self.decisions else {}
        return {key: {"action": self.action, "content": content} for key in requests}

    def shown(self) -> str:
        return "\n".join(json.dumps(asked, ensure_ascii=False) for asked in self.asked)


class House:
    """A project, its store and a user's folder. What `more` of a stub says, its tools are from the next listing on."""

    def __init__(self, folder: Path, *, serving: bool = True, environment: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.serving = serving
        for name in ("tree/.deedlog", "user", "home"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), **(environment or {})}
        self.entries: Json = {}
        self.app = self.another()

    def another(self, *, serving: bool | None = None) -> App:
        """One more process, as far as the store and the servers can tell."""
        app = app_in(str(self.folder / "store"), tree=str(self.folder / "tree"))
        is_serving = self.serving if serving is None else serving
        app.engines = app.engines.replace(
            gateway=lambda app: LocalGateway(
                Places(
                    root=str(self.folder / "tree"),
                    store=str(self.folder / "store"),
                    state=str(self.folder / "tree/.deedlog"),
                    user=str(self.folder / "user"),
                    home=str(self.folder / "home"),
                    environment=self.environment,
                ),
                app.settings,
                serving=is_serving,
                aside=app.aside,
                report=app.report,
            )
        )
        return app

    def configure(self, name: str, *switches: object, **entry: Any) -> None:
        command, *args = stub("--more", self.more(name), "--record", self.folder / f"{name}.record", *switches)
        self.entries[name] = {"command": command, "args": args, **entry}
        self.file().write_text(json.dumps({"mcpServers": self.entries}))

    def file(self) -> Path:
        return self.folder / "user/servers.json"

    def more(self, name: str) -> Path:
        return self.folder / f"{name}.tools.json"

    def define(self, name: str, *tools: Json) -> None:
        """What the stub's further tools are from now on; one of the same name replaces it."""
        draft = self.more(name).with_suffix(".new")
        draft.write_text(json.dumps(tools))
        draft.replace(self.more(name))

    def call(self, name: str, /, peer: Any = None, app: App | None = None, **arguments: Any) -> Any:
        return (app or self.app).call(name, arguments, Caller(actor="tester", kind=Kind.PERSON, peer=peer or Silent()))

    def use(self, name: str, /, peer: Any = None, app: App | None = None, **arguments: Any) -> Any:
        """Call a mounted tool as a client does that has it in its list."""
        return (app or self.app).call(name, arguments, Caller(actor="tester", kind=Kind.PERSON, peer=peer or Silent()))

    def mount(self, name: str) -> Any:
        """Activate a server, as an agent does, and accept what is held back, as a person does."""
        self.call("mcp_activate", name=name)
        return self.call("mcp_accept", server=name, yes=True)

    def listed(self, app: App | None = None) -> list[str]:
        return [op.name for op in (app or self.app).operations() if op.server]

    def close(self) -> None:
        self.app.close()
