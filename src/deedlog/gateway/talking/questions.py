"""What a server asks of us: answered at once where nobody is needed, or by what a caller said."""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue

from deedlog.core.errors import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.gateway.talking.waiting import Asked
    from deedlog.gateway.wire import Channel

    Json = dict[str, Any]

ELICITATION, SAMPLING, ROOTS = "elicitation/create", "sampling/createMessage", "roots/list"
OF_CALLERS = (ELICITATION, SAMPLING)
FIELD_OF = {ELICITATION: "action", SAMPLING: "content"}  # what an answer has in any case
NO_SUCH_METHOD, NOT_DONE, INVALID = -32601, -32603, -32600
NOBODY_SAID: Json = {"action": "cancel"}  # to decline is what a person does
MOST_UNSENT = 1_000
SECONDS = 5.0


def attributed(server: str, question: Json) -> Json:
    """The same question, so that a person sees whose it is: a client shows it under our name."""
    params = question["params"]
    if question["method"] != ELICITATION or not isinstance(message := params.get("message"), str):
        return question
    return {**question, "params": {**params, "message": f"The MCP server {server} asks:\n\n{message}"}}


class Questions:
    """Answers are sent by a thread of its own, started when there is one: a server that does not read must not keep
    anybody from reading what it says.
    """

    def __init__(self, channel: Channel, root: str) -> None:
        self._channel = channel
        self._root = root
        self._unsent: SimpleQueue[Json | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._sender: threading.Thread | None = None
        self._closed = False

    def needs_nobody(self, method: str) -> bool:
        return method not in OF_CALLERS

    def answer(self, method: str, number: Any) -> None:
        if method == "ping":
            self._reply(number, {})
        elif method == ROOTS:
            self._reply(number, self.roots())
        else:
            self._fail(number, NO_SUCH_METHOD, "there is no such method here")

    def refuse(self, method: str, number: Any, whom: int) -> None:
        """There are so many who could be asked: none, or too many."""
        if whom:
            self._fail(number, NOT_DONE, "several clients are served, and the question does not say whom it is for")
        elif method == ELICITATION:
            self._reply(number, NOBODY_SAID)
        else:
            self._fail(number, NO_SUCH_METHOD, "there is nobody who could be asked")

    def refuse_nameless(self) -> None:
        """A question without a name of its own cannot be answered."""
        self._fail(None, INVALID, "a request needs an id")

    def enough(self, number: Any) -> None:
        self._fail(number, NOT_DONE, "these are too many questions for one call")

    def unable(self, name: str, method: str) -> Unavailable:
        return Unavailable(f"{name} needs what this client does not do", data={"asked": method})

    def answered(self, asked: Asked, replies: Json | None) -> None:
        [(key, question)] = asked.requests.items()
        method = question["method"]
        reply = (replies or {}).get(key)
        if isinstance(reply, dict) and FIELD_OF[method] in reply:
            self._reply(asked.number, reply)
        elif method == ELICITATION:
            self._reply(asked.number, NOBODY_SAID)
        else:
            self._fail(asked.number, NO_SUCH_METHOD, "the client does not do this")

    def responses(self, name: str, asked: Asked, replies: Json | None) -> Json:
        """The same for a server that asked by its result: by the names that it gave its questions."""
        found: Json = {}
        for key, question in asked.requests.items():
            reply = (replies or {}).get(key)
            if not isinstance(reply, dict) or FIELD_OF.get(question["method"], "") not in reply:
                if question["method"] != ELICITATION:
                    raise self.unable(name, question["method"])
                reply = NOBODY_SAID
            found[key.split(":", 3)[3]] = reply
        return found

    def roots(self) -> Json:
        from urllib.parse import quote  # few servers ask

        return {"roots": [{"uri": f"file://{quote(self._root)}", "name": os.path.basename(self._root)}]}

    def send(self, message: Json) -> None:
        """Send it soon, or not at all: nobody waits for it."""
        with self._lock:
            if self._closed or self._unsent.qsize() > MOST_UNSENT:
                return
            if self._sender is None:
                self._sender = threading.Thread(target=self._run, name="answers", daemon=True)
                self._sender.start()
        self._unsent.put(message)

    def close(self) -> None:
        with self._lock:
            self._closed = True
        self._unsent.put(None)

    def _run(self) -> None:
        while (message := self._unsent.get()) is not None:
            try:
                self._channel.send(message, SECONDS)
            except Unavailable:
                continue  # it is gone, or will be found out to be

    def _reply(self, number: Any, result: Json) -> None:
        self.send({"jsonrpc": "2.0", "id": number, "result": result})

    def _fail(self, number: Any, code: int, message: str) -> None:
        self.send({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})
