"""`deedlog open`."""

from __future__ import annotations

import os
import sys

from deedlog.core.caller import PEOPLE
from deedlog.core.errors import Part, Unavailable
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import flush, show_answer, write
from deedlog.faces.whereabouts import left
from deedlog.token import derived, page_key, token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.settings import Settings

SECONDS = 5
HERE = ("0.0.0.0", "::", "[::]", "", "localhost")  # noqa: S104  # where a server listens that is reached on this machine


def run(invocation: Invocation) -> int:
    given = invocation.arguments
    settings = invocation.settings(host=given.get("host"), port=given.get("port"))
    secret = token(settings)
    address = _found([_address(settings)] if given.get("host") or given.get("port") else _likely(settings), secret)
    link = f"http://{address}/#key={page_key(secret)}"
    if invocation.as_json:
        show_answer({"url": link}, as_json=True)
        return 0
    write(link)
    flush()
    if not given.get("print") and _has_screen():
        _open(f"http://{address}/#once={_code(secret)}")
    return 0


def _address(settings: Settings) -> str:
    host, port = settings["host"], settings["port"]
    name = "127.0.0.1" if host in HERE else f"[{host}]" if ":" in host else host
    return f"{name}:{port}"


def _likely(settings: Settings) -> list[str]:
    """Where a server would be that nobody said more about: as configured, or where the last one left word."""
    return list(dict.fromkeys(filter(None, (_address(settings), left(settings)))))


def _found(addresses: list[str], secret: str) -> str:
    for address in addresses:
        if _is_ours(address, secret):
            return address
    where = " or ".join(f"http://{address}/" for address in addresses)
    raise Unavailable(
        f"no server of this project answers at {where}",
        hint="start it with `deedlog serve`, or name its port with --port",
        part=Part.CONFIGURATION,
    )


def _is_ours(address: str, secret: str) -> bool:
    """Whether it is the server of this project: whoever else is there must not get the key from the link."""
    import http.client
    import json

    challenge = os.urandom(16).hex()
    try:
        connection = http.client.HTTPConnection(address, timeout=SECONDS)
    except http.client.InvalidURL:
        return False
    try:
        connection.request("GET", f"/sign-in/proof?of={challenge}")
        answer = json.loads(connection.getresponse().read(10_000))
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()
    return isinstance(answer, dict) and answer.get("proof") == derived(secret, f"proof {challenge}")


def _code(secret: str) -> str:
    from deedlog.faces.web.access import link_code

    return link_code(secret)


def _has_screen() -> bool:
    """Without one a browser in text mode would take the terminal."""
    shown = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform == "darwin" or any(os.environ.get(name) for name in shown)


def _open(link: str) -> None:
    import webbrowser

    if not webbrowser.open(link):
        sys.stderr.write("No browser could be started: open the link yourself.\n")


COMMAND = Command(
    words="open",
    callers=PEOPLE,
    help="Open the page of the running server in the browser, ready to decide on it.\n\n"
    "Prints the link with the page's key, which is as good as the page's buttons: keep it to yourself.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "print": {"type": "boolean", "description": "Only print the link"},
            "host": {"type": "string", "description": "Address the server listens on, instead of 127.0.0.1"},
            "port": {
                "type": "integer",
                "description": "Port the server listens on; by default it is looked for",
                "minimum": 1,
                "maximum": 65535,
            },
        },
    },
    examples=["deedlog open", "deedlog open --print"],
)
