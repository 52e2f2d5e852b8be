"""A real `deedlog serve` for the demo, as a process of its own, and the calls of those who work with it."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys

from deedlog.core.errors import Unavailable
from deedlog.faces.cli.page_link import page_link
from deedlog.faces.web.access import signature
from deedlog.operation import catalog
from deedlog.settings import load
from deedlog.token import sign_in_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

SECONDS = 120.0
DAY = 86_400
READY = re.compile(r"http://127\.0\.0\.1:(\d+)/")


class Desk:
    """Use it as a context: the server has ended when that is left."""

    def __init__(self, folder: str, environment: dict[str, str], port: int) -> None:
        self.folder = folder
        self._token = os.urandom(16).hex()
        self._environment = {**environment, "DEEDLOG_TOKEN": self._token}
        self._asked_port = port
        self._paths = {op.name: op.path for op in catalog.load()}
        self.port = 0
        self._key = self._sign_in = ""

    def __enter__(self) -> Desk:
        self._process = subprocess.Popen(  # noqa: S603  # a list of arguments, never a shell
            [sys.executable, "-P", "-m", "deedlog", "serve", "--port", str(self._asked_port)],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the demo, which then ends everything in its order
        )
        assert self._process.stderr
        said = []
        for line in self._process.stderr:
            said.append(line.strip())
            if found := READY.search(line):
                self.port = int(found[1])
                self._sign_in = sign_in_secret(load(self.folder, self._environment))
                return self
        self._process.wait()
        raise Unavailable("the server did not start", hint=said[0] if said else "try it by hand: `deedlog serve`")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stderr
        self._process.stderr.close()

    @property
    def is_there(self) -> bool:
        return self._process.poll() is None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def link(self) -> str:
        """Return a link that signs one browser in."""
        return page_link(f"127.0.0.1:{self.port}", self._sign_in, seconds=DAY)

    def call(self, actor: str, operation: str, /, **arguments: Any) -> Json:
        """Call an operation: agents with the token, people as the page does."""
        is_person = "/" not in actor
        path, body = self._paths[operation], json.dumps(arguments)
        credential = {"Authorization": f"Bearer {self._token}"}
        if is_person:
            credential = signature(self._page_key(), "POST", path, body.encode())
        headers = {"Content-Type": "application/json", "Deedlog-Actor": actor.partition("/")[0], **credential}
        return self._post(path, body, headers, operation)

    def _page_key(self) -> str:
        """Sign in as a browser does that opens a link."""
        if not self._key:
            code = self.link().partition("#once=")[2]
            self._key = str(self._post("/sign-in", "", {"Authorization": f"Code {code}"}, "the sign-in")["key"])
        return self._key

    def _post(self, path: str, body: str, headers: dict[str, str], what: str) -> Json:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request("POST", path, body, {"Origin": self.address.rstrip("/"), **headers})
            reply = connection.getresponse()
            answer: Json = json.loads(reply.read())
        except OSError as error:
            raise Unavailable("the server does not answer", hint="try it by hand: `deedlog serve`") from error
        finally:
            connection.close()
        if reply.status != http.HTTPStatus.OK:
            raise Unavailable(f"{what} was refused: {answer['error']['message']}")
        return answer
