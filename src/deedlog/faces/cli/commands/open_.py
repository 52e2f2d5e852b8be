"""`deedlog open`."""

from __future__ import annotations

from deedlog.core.caller import PEOPLE
from deedlog.core.errors import Part, Unavailable
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import flush, show_answer, write
from deedlog.faces.cli.page_link import has_screen, open_browser, page_link
from deedlog.faces.whereabouts import left
from deedlog.token import sign_in_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.settings import Settings

HERE = ("0.0.0.0", "::", "[::]", "", "localhost")  # noqa: S104  # where a server listens that is reached on this machine


def run(invocation: Invocation) -> int:
    given = invocation.arguments
    settings = invocation.settings(host=given.get("host"), port=given.get("port"))
    secret = sign_in_secret(settings)
    addresses = [_address(settings)] if given.get("host") or given.get("port") else _likely(settings)
    link = _found(addresses, secret)
    if invocation.as_json:
        show_answer({"url": link}, as_json=True)
        return 0
    write(link)
    flush()
    if settings.project and not given.get("print") and has_screen():
        open_browser(settings.project.store, _found(addresses, secret))
    return 0


def _address(settings: Settings) -> str:
    host, port = settings["host"], settings["port"]
    name = "127.0.0.1" if host in HERE else f"[{host}]" if ":" in host else host
    return f"{name}:{port}"


def _likely(settings: Settings) -> list[str]:
    """Where a server would be that nobody said more about: where the last one left word, or as configured."""
    return list(dict.fromkeys(filter(None, (left(settings), _address(settings)))))


def _found(addresses: list[str], secret: str) -> str:
    for address in addresses:
        if link := page_link(address, secret):
            return link
    where = " or ".join(f"http://{address}/" for address in addresses)
    raise Unavailable(
        f"no server of this project answers at {where}",
        hint="start it with `deedlog serve`, or name its port with --port",
        part=Part.CONFIGURATION,
    )


COMMAND = Command(
    words="open",
    callers=PEOPLE,
    help="Open the page of the running server in the browser, and sign the browser in.\n\n"
    "Prints a link that signs one browser in, within two minutes. The sign-in ends when the server stops.",
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
