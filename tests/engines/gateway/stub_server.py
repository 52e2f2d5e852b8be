"""An MCP server that does what its arguments and its callers tell it. `stub(...)` is the command that starts it.

It needs no package and starts in some 30 ms. Everything it receives is written to the file `--record`, one line of JSON
per message: that is how a test sees what reached it, and waits for it.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]

META = "io.modelcontextprotocol/"
MODERN = "2026-07-28"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
SUBSCRIPTION = META + "subscriptionId"


def stub(*switches: object) -> list[str]:
    """The command: `stub("--tools", 3, "--record", path)`."""
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), *map(str, switches)]


def reading() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    say = parser.add_argument
    say("--record", default="", help="file that gets every message received")
    say("--name", default="stub", help="serverInfo.name")
    say("--tools", type=int, default=0, help="so many further tools tool_1 ..., which echo")
    say("--just", default=",".join(TOOLS), help="only these of the tools below, with commas between them; '' for none")
    say("--prefix", default="", help="before the name of every tool")
    say("--description", default="", help="after the description of every tool")
    say("--more", default="", help="JSON file with tool definitions, read at every tools/list; same name replaces")
    say("--instructions", default="")
    say("--page", type=int, default=0, help="lists come in pages of so many")
    say("--only-tools", action="store_true", help="no resources, prompts, completions and logging")
    say("--modern", action="store_true", help="speaks 2026-07-28 only")
    say("--version", default="", help="the version initialize is answered with, whatever was asked for")
    say("--start-after", default="", help="waits for this file before it does anything")
    say("--crash", choices=("start", "handshake", "list"), default="", help="exits with 7 then")
    say("--crash-until", default="", help="... only as long as this file is not there")
    say("--silent", action="store_true", help="never answers initialize")
    say("--deaf", action="store_true", help="never reads")
    say("--garbage", type=int, default=0, help="so many lines on stdout that are no messages, at the start")
    say("--noise", type=int, default=0, help="so many lines on stderr at the start")
    say("--secret", default="", help="in every line of noise")
    say("--one-at-a-time", action="store_true", help="reads nothing while it is at a call")
    say("--restless", choices=("same", "other"), default="", help="says at every tools/list that its tools changed")
    say("--ignore-term", action="store_true", help="SIGTERM does nothing")
    say("--linger", action="store_true", help="goes on when its input ends")
    return parser


class Refused(Exception):
    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message} | ({} if data is None else {"data": data})


class InputRequired(Exception):
    def __init__(self, requests: Json) -> None:
        super().__init__()
        self.requests = requests


class Stub:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.writing = threading.Lock()
        self.changed: dict[str, Json] = {}
        self.removed: set[str] = set()
        self.resources: dict[str, Json] = {
            f"stub://{name}": {"uri": f"stub://{name}", "name": name, "mimeType": "text/plain"} for name in ("a", "b")
        }
        self.prompts: dict[str, Json] = {
            "greet": {"name": "greet", "description": "Greets.", "arguments": [{"name": "who", "required": True}]}
        }
        self.subscribed: set[str] = set()
        self.streams: list[object] = []
        self.cancelled: dict[object, threading.Event] = {}
        self.asked: dict[str, list[Json]] = {}
        self.told = threading.Condition()
        self.level = ""
        self.questions = 0
        self.listings = 0

    # The wire

    def send(self, message: Json) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}))

    def write(self, line: str) -> None:
        with self.writing:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    def note(self, method: str, params: Json | None = None) -> None:
        self.send({"method": method} | ({"params": params} if params is not None else {}))

    def record(self, message: object) -> None:
        if self.options.record:
            with open(self.options.record, "a", encoding="utf-8") as file:
                file.write(json.dumps(message) + "\n")

    def run(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            self.record(message)
            if "method" not in message:
                with self.told:
                    self.asked.setdefault(str(message.get("id")), []).append(message)
                    self.told.notify_all()
            elif "id" not in message:
                self.noticed(message)
            elif message["method"] in BLOCKING:
                self.cancelled[message["id"]] = threading.Event()
                if self.options.one_at_a_time:
                    self.answer(message)
                    continue
                threading.Thread(target=self.answer, args=[message], daemon=True).start()
            else:
                self.answer(message)

    def noticed(self, message: Json) -> None:
        if message["method"] == "notifications/cancelled":
            stopped = self.cancelled.get(message["params"].get("requestId"))
            if stopped:
                stopped.set()
        if message["method"] == "notifications/initialized":
            self.crash("handshake")

    def answer(self, message: Json) -> None:
        try:
            result = self.result(message)
        except Refused as refused:
            self.send({"id": message["id"], "error": refused.error})
            return
        except InputRequired as required:
            state = f"state of {message['params'].get('name')}"
            result = {"resultType": "input_required", "inputRequests": required.requests, "requestState": state}
        if result is not None:
            if self.options.modern:
                result = {"resultType": "complete", **result}
            self.send({"id": message["id"], "result": result})

    def result(self, message: Json) -> Json | None:
        method, params = message["method"], message.get("params", {})
        if self.options.modern:
            meta = params.get("_meta", {})
            if method == "initialize":
                raise Refused(-32601, "Method not found")
            if meta.get(META + "protocolVersion") != MODERN or META + "clientCapabilities" not in meta:
                raise Refused(-32602, "needs the modern _meta", {"supported": [MODERN]})
        done = METHODS.get(method)
        if done is None or (self.options.only_tools and not method.startswith(("tools/", "initialize", "ping"))):
            raise Refused(-32601, f"unknown method {method}")
        return done(self, params, message["id"])

    def crash(self, when: str) -> None:
        until = self.options.crash_until
        if self.options.crash == when and not (until and os.path.exists(until)):
            sys.stderr.write(f"fatal: the stub ends at {when} {self.options.secret}\n")
            sys.stderr.flush()
            os._exit(7)

    # What it can do

    def capabilities(self) -> Json:
        if self.options.only_tools:
            return {"tools": {"listChanged": True}}
        found = {"tools": {"listChanged": True}, "prompts": {"listChanged": True}, "completions": {}}
        return found | {"resources": {"subscribe": True, "listChanged": True}, "logging": {}, "experimental": {"x": {}}}

    def initialize(self, params: Json, _id: object) -> Json | None:
        if self.options.silent:
            return None
        asked = params["protocolVersion"]
        version = self.options.version or (asked if asked in VERSIONS else VERSIONS[-1])
        info = {"name": self.options.name, "version": "1", "x-unknown": "kept"}
        found: Json = {"protocolVersion": version, "capabilities": self.capabilities(), "serverInfo": info}
        return found | ({"instructions": self.options.instructions} if self.options.instructions else {})

    def discover(self, _params: Json, _id: object) -> Json | None:
        if self.options.silent:
            return None
        info = {META + "serverInfo": {"name": self.options.name, "version": "1"}}
        found = {"supportedVersions": [MODERN], "capabilities": self.capabilities(), "_meta": info}
        return found | ({"instructions": self.options.instructions} if self.options.instructions else {})

    def listen(self, params: Json, request: object) -> None:
        self.streams.append(request)
        acknowledged = {"notifications": params.get("notifications", {}), "_meta": {SUBSCRIPTION: request}}
        self.note("notifications/subscriptions/acknowledged", acknowledged)

    def tell(self, method: str, params: Json | None = None) -> None:
        """A change, to everybody who wants to know in either era."""
        if not self.options.modern:
            self.note(method, params)
        for stream in self.streams:
            self.note(method, (params or {}) | {"_meta": {SUBSCRIPTION: stream}})

    def page(self, key: str, things: list[Json], params: Json) -> Json:
        start, size = int(params.get("cursor", 0)), self.options.page or max(len(things), 1)
        more = {"nextCursor": str(start + size)} if start + size < len(things) else {}
        return {key: things[start : start + size], **more}

    def tools_list(self, params: Json, _id: object) -> Json:
        self.crash("list")
        if self.options.restless:
            self.listings += self.options.restless == "other"
            self.tell("notifications/tools/list_changed")
        return self.page("tools", list(self.definitions().values()), params)

    def definitions(self) -> dict[str, Json]:
        names = [
            *filter(None, self.options.just.split(",")),
            *(f"tool_{number}" for number in range(1, self.options.tools + 1)),
        ]
        found = {self.options.prefix + name: self.definition(name) for name in names if name not in self.removed}
        if self.options.more and os.path.exists(self.options.more):
            with open(self.options.more, encoding="utf-8") as file:
                found |= {tool["name"]: tool for tool in json.load(file)}
        return found | self.changed

    def definition(self, name: str) -> Json:
        said = (TOOLS[name].__doc__ if name in TOOLS else "Echoes.") or ""
        description = " ".join(f"{said} {self.options.description} {self.listings or ''}".split())
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": True}
        return {
            "name": self.options.prefix + name,
            "description": description,
            "inputSchema": schema,
            "annotations": {"readOnlyHint": name == "echo"},
            "x-unknown": "kept",
        }

    def call(self, params: Json, request: object) -> Json | None:
        name = params["name"]
        if name not in self.definitions():
            raise Refused(-32602, f"Unknown tool: {name}")
        done = TOOLS.get(name.removeprefix(self.options.prefix), Stub.echo)
        return done(self, params.get("arguments", {}), params, request)

    def resources_list(self, params: Json, _id: object) -> Json:
        return self.page("resources", list(self.resources.values()), params)

    def templates_list(self, params: Json, _id: object) -> Json:
        return self.page("resourceTemplates", [{"uriTemplate": "stub://note/{id}", "name": "note"}], params)

    def resources_read(self, params: Json, _id: object) -> Json:
        uri = params["uri"]
        if uri not in self.resources and not uri.startswith("stub://note/"):
            raise Refused(-32602 if self.options.modern else -32002, "Resource not found", {"uri": uri})
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": f"the text of {uri}"}]}

    def subscribe(self, params: Json, _id: object) -> Json:
        self.subscribed.add(params["uri"])
        return {}

    def unsubscribe(self, params: Json, _id: object) -> Json:
        self.subscribed.discard(params["uri"])
        return {}

    def prompts_list(self, params: Json, _id: object) -> Json:
        return self.page("prompts", list(self.prompts.values()), params)

    def prompts_get(self, params: Json, _id: object) -> Json:
        if params["name"] not in self.prompts:
            raise Refused(-32602, "Unknown prompt")
        text = f"Greet {params.get('arguments', {}).get('who', 'nobody')}"
        return {"description": "Greets.", "messages": [{"role": "user", "content": {"type": "text", "text": text}}]}

    def complete(self, params: Json, _id: object) -> Json:
        begun = params["argument"]["value"]
        return {"completion": {"values": [begun + "lice", begun + "nna"], "total": 2, "hasMore": False}}

    def set_level(self, params: Json, _id: object) -> Json:
        self.level = params["level"]
        return {}

    def ping(self, _params: Json, _id: object) -> Json:
        return {}

    # Its tools

    def echo(self, arguments: Json, params: Json, _request: object) -> Json:
        """Returns its arguments and _meta, with fields that nobody knows."""
        found = {"tool": params["name"], "arguments": arguments, "meta": params.get("_meta", {})}
        content = [{"type": "text", "text": json.dumps(arguments), "x-unknown": "kept"}]
        return {"content": content, "structuredContent": found, "_meta": {"stub/kept": [1, 2]}, "x-unknown": "kept"}

    def fail(self, arguments: Json, _params: Json, _request: object) -> Json:
        """Answers with isError and `text`."""
        return text(arguments.get("text", "it did not work")) | {"isError": True}

    def refuse(self, arguments: Json, _params: Json, _request: object) -> Json:
        """Answers with a JSON-RPC error: `code`, `text`, `data`."""
        raise Refused(arguments.get("code", -32603), arguments.get("text", "refused"), arguments.get("data"))

    def wait(self, arguments: Json, _params: Json, request: object) -> Json | None:
        """Answers when the file `file` is there; without one never. A cancelled call is not answered."""
        file, stopped = arguments.get("file", ""), self.cancelled[request]
        while not (file and os.path.exists(file)):
            if stopped.wait(0.01):
                return None
        return text("waited")

    def die(self, arguments: Json, _params: Json, _request: object) -> Json | None:
        """Ends in the middle of the call: `how` is exit (with `status`) or kill."""
        sys.stderr.write(f"fatal: told to die {self.options.secret}\n")
        sys.stderr.flush()
        if arguments.get("how") == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(arguments.get("status", 7))

    def steps(self, arguments: Json, params: Json, _request: object) -> Json:
        """Reports `count` steps of progress."""
        count, token = arguments.get("count", 3), params.get("_meta", {}).get("progressToken")
        for step in range(1, count + 1):
            if token is not None:
                said = {"progressToken": token, "progress": step, "total": count, "message": f"step {step}"}
                self.note("notifications/progress", said)
        return text("done") | {"structuredContent": {"token": token}}

    def ask(self, arguments: Json, params: Json, _request: object) -> Json:
        """Asks its caller `method` with `params` and returns what it was told; `again` so many times more."""
        question = {"method": arguments["method"], "params": arguments.get("params", {})}
        rounds = 1 + arguments.get("again", 0)
        if self.options.modern:
            given = params.get("inputResponses", {})
            missing = {f"q{number}": question for number in range(rounds) if f"q{number}" not in given}
            if missing:
                raise InputRequired(missing)
            return text("told") | {"structuredContent": {"told": given, "state": params.get("requestState")}}
        told = [self.told_by_client(question) for _ in range(rounds)]
        return text("told") | {"structuredContent": {"told": told[-1], "all": told}}

    def told_by_client(self, question: Json) -> Json:
        with self.told:
            self.questions += 1
            key = f"question-{self.questions}"
        self.send({"id": key, **question})
        with self.told:
            self.told.wait_for(lambda: self.asked.get(key))
            reply = self.asked.pop(key)[0]
        return {name: reply[name] for name in ("result", "error") if name in reply}

    def log(self, arguments: Json, _params: Json, _request: object) -> Json:
        """Sends a log message: `level`, `text`."""
        said = {"level": arguments.get("level", "info"), "logger": "stub", "data": arguments.get("text", "hello")}
        self.note("notifications/message", said)
        return text(self.level)

    def change(self, arguments: Json, _params: Json, _request: object) -> Json:
        """Changes a list and tells: `list` (tools, resources, prompts); `put` adds or replaces, `remove` names one."""
        which, put, name = arguments.get("list", "tools"), arguments.get("put"), arguments.get("remove")
        held = {"tools": self.changed, "resources": self.resources, "prompts": self.prompts}[which]
        if put:
            held[put["uri" if which == "resources" else "name"]] = put
        if name:
            held.pop(name, None)
            self.removed.add(name.removeprefix(self.options.prefix))
        if not arguments.get("quiet"):
            self.tell(f"notifications/{which}/list_changed")
        return text("changed")

    def update(self, arguments: Json, _params: Json, _request: object) -> Json:
        """Says that the resource `uri` has changed, to whoever subscribed to it."""
        if arguments["uri"] in self.subscribed or self.streams:
            self.tell("notifications/resources/updated", {"uri": arguments["uri"]})
        return text(sorted(self.subscribed).__repr__())

    def big(self, arguments: Json, _params: Json, _request: object) -> Json:
        """Returns `characters` characters."""
        return text("x" * arguments.get("characters", 5_000_000))

    def litter(self, arguments: Json, _params: Json, _request: object) -> Json:
        """Writes `lines` lines to stdout that are no messages, or those in `these`, then answers."""
        for line in arguments.get("these", ()):
            self.write(line)
        for number in range(arguments.get("lines", 0 if "these" in arguments else 3)):
            self.write(GARBAGE[number % len(GARBAGE)])
        return text("littered")

    def noise(self, arguments: Json, _params: Json, _request: object) -> Json:
        """Writes `lines` lines to stderr, each with the secret, then answers."""
        for number in range(arguments.get("lines", 3)):
            sys.stderr.write(f"noise {number} {self.options.secret} {arguments.get('text', '')}\n")
        sys.stderr.flush()
        return text("noisy")

    def environment(self, _arguments: Json, _params: Json, _request: object) -> Json:
        """Returns its environment, arguments, folder and process."""
        found = {"env": dict(os.environ), "argv": sys.argv[1:], "cwd": os.getcwd(), "pid": os.getpid()}
        return text("here") | {"structuredContent": found}

    def spawn(self, _arguments: Json, _params: Json, _request: object) -> Json:
        """Starts a process of its own that goes on for ever, and returns its number."""
        number = os.fork()
        if not number:
            while True:
                time.sleep(3600)
        return text(str(number)) | {"structuredContent": {"pid": number}}


def text(said: str) -> Json:
    return {"content": [{"type": "text", "text": said}]}


GARBAGE = ("this is no message", '{"half": ', '["a list"]', "42", "", "\ufffd{}", "null", '{"jsonrpc": "2.0"}')
NAMES = "echo fail refuse wait die steps ask log change update big litter noise environment spawn".split()  # noqa: SIM905
TOOLS: dict[str, Callable[[Stub, Json, Json, object], Json | None]] = {name: getattr(Stub, name) for name in NAMES}
BLOCKING = ("tools/call",)
METHODS: dict[str, Callable[[Stub, Json, object], Json | None]] = {
    "initialize": Stub.initialize,
    "ping": Stub.ping,
    "tools/list": Stub.tools_list,
    "tools/call": Stub.call,
    "resources/list": Stub.resources_list,
    "resources/templates/list": Stub.templates_list,
    "resources/read": Stub.resources_read,
    "resources/subscribe": Stub.subscribe,
    "resources/unsubscribe": Stub.unsubscribe,
    "prompts/list": Stub.prompts_list,
    "prompts/get": Stub.prompts_get,
    "completion/complete": Stub.complete,
    "logging/setLevel": Stub.set_level,
    "server/discover": Stub.discover,
    "subscriptions/listen": Stub.listen,
}


def main() -> None:
    options = reading().parse_args()
    if options.modern:
        for name in ("initialize", "ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"):
            METHODS.pop(name)
    else:
        for name in ("server/discover", "subscriptions/listen"):
            METHODS.pop(name)
    if options.ignore_term:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    server = Stub(options)
    server.record({"started": os.getpid(), "argv": sys.argv[1:]})
    while options.start_after and not os.path.exists(options.start_after):
        time.sleep(0.01)
    server.crash("start")
    for number in range(options.noise):
        sys.stderr.write(f"noise {number} {options.secret}\n")
    sys.stderr.flush()
    for number in range(options.garbage):
        server.write(GARBAGE[number % len(GARBAGE)])
    while options.deaf:
        time.sleep(3600)
    server.run()
    server.record({"ended": os.getpid()})
    while options.linger:
        time.sleep(3600)


if __name__ == "__main__":
    main()
