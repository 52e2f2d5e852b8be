"""Which version of a program is run: launchers such as `npx` download whatever is newest unless one is named."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.gate.server import Server

EXACT = re.compile(r"\d[\w.+-]*", re.ASCII)
NAMED = re.compile(r"(?P<name>@?[^@=\s]+)(?:@|==)(?P<version>\S+)")
IMAGE = re.compile(r"(?P<name>[^:@\s]+(?:/[^:@\s]+)*)(?::(?P<version>[\w.-]+))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?")
WITH_VALUE = (
    "-e",
    "--env",
    "-v",
    "--volume",
    "--name",
    "--network",
    "-p",
    "--publish",
    "--mount",
    "-w",
    "-u",
    "--user",
)


def package(server: Server) -> tuple[str, str]:
    """The package or image that a launcher downloads, and its exact version; both empty where it downloads nothing."""
    words = server.args
    launcher = server.command.rpartition("/")[2]
    if launcher == "docker":
        return _image(words)
    if launcher not in ("npx", "uvx"):
        return "", ""
    spec = next((word.partition("=")[2] for word in words if word.startswith(("--from=", "--package="))), "")
    spec = spec or _after(words, ("--from", "--package", "-p")) or next((w for w in words if not w.startswith("-")), "")
    found = NAMED.fullmatch(spec)
    version = found["version"] if found and EXACT.fullmatch(found["version"]) else ""
    return (found["name"] if found else spec), version


def told(server: Server) -> str:
    """What a person has to know about the version before approving it."""
    if server.transport != "stdio":
        return "a service elsewhere: it can change at any time"
    name, version = package(server)
    if not name:
        return f"not fixed: {server.command.rpartition('/')[2]} runs as it is installed on this machine"
    return f"{name} {version}" if version else f"not fixed: the newest {name} is downloaded at each start"


def _after(words: list[str], options: tuple[str, ...]) -> str:
    return next((words[at + 1] for at, word in enumerate(words[:-1]) if word in options), "")


def _image(words: list[str]) -> tuple[str, str]:
    if words[:1] != ["run"]:
        return "", ""  # a plug-in of the docker that is installed
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        rest = rest[2 if rest[0] in WITH_VALUE else 1 :]
    found = IMAGE.fullmatch(rest[0]) if rest else None
    if found is None:
        return (rest[0] if rest else ""), ""
    return found["name"], found["digest"] or ("" if found["version"] == "latest" else found["version"] or "")
