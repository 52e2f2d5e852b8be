"""Another MCP server: how it is reached, and whether it can be mounted right now."""

from __future__ import annotations

import re
from enum import StrEnum

from deedlog.core.value import Value
from deedlog.core.words import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CATALOGUE = "catalogue"  # the source of the servers that Deedlog knows by itself


CATEGORIES = (
    *("core", "search", "dev-tools", "deployment", "external-services", "automation", "specialty"),
    "other",  # of those nobody put into one
)
OTHER = re.compile("[^a-z0-9]+")


def called(name: str) -> str:
    """What we call a server that somebody else calls `name`: `My Server` is `my-server`. Empty for an empty name."""
    found = OTHER.sub("-", fold(name)).strip("-")
    if found or not name.strip():
        return found
    from hashlib import sha256  # only for names without a Latin letter

    return f"server-{sha256(name.encode(errors='replace')).hexdigest()[:8]}"


class Status(StrEnum):
    """Whether a server can be used, as is true now."""

    ACTIVE = "active"  # mounted, and as far as anybody knows alive
    AVAILABLE = "available"  # can be mounted
    MISSING = "missing-credentials"  # can be mounted once it has these keys
    DISABLED = "disabled"  # cannot: a person said so, or its launcher is not there


class Server(Value):
    """A server as it is configured. Values may hold references (`${GITHUB_TOKEN}`), never what these stand for.

    `source` is where it was read: `catalogue`, or the path of a file. `required` are the names of what it needs beside
    what `env`, `args`, `url` and `headers` refer to. One that a repository has `brought`, or that comes from the
    catalogue, is not `trusted` until a person has approved it. `policy` says of its tools, by pattern, whether they are
    let through; `*` is all of them. `barred` says why it may not be used whatever else is said: a file of ours that may
    deny it cannot be read. `boot` ones are mounted when a server of ours starts. `tools` are the names of tools it is
    known to have.
    """

    name: str
    title: str = ""
    description: str = ""
    category: str = "other"
    core: bool = False
    transport: str = "stdio"  # stdio, http or sse
    command: str = ""
    args: list[str] = []  # noqa: RUF012  # values are never changed in place
    env: dict[str, str] = {}  # noqa: RUF012
    env_file: str = ""  # where some of `env` were read
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = {}  # noqa: RUF012
    required: list[str] = []  # noqa: RUF012
    optional: list[str] = []  # noqa: RUF012
    auth: str = ""  # `oauth` where somebody has to log in
    homepage: str = ""
    source: str = CATALOGUE
    disabled: bool = False
    barred: str = ""
    boot: bool = False
    brought: bool = False
    trusted: bool = True
    policy: dict[str, str] = {}  # noqa: RUF012
    call_seconds: float = 0  # 0 for what the settings say
    tools: list[str] = []  # noqa: RUF012
    words: dict[str, list[str]] = {}  # noqa: RUF012  # by language, what people say who need it

    @property
    def summary(self) -> str:
        """What a model may read about it. A repository's server says nothing before a person has approved it."""
        return "" if self.brought and not self.trusted else self.description or self.title

    @property
    def launch(self) -> dict[str, Any]:
        """What is run or reached: another one is another server, whatever its name."""
        names = ("transport", "command", "args", "env", "cwd", "url", "headers")
        return {name: self.__dict__[name] for name in names if self.__dict__[name]}


class Standing(Value):
    """A server and how it stands. `missing` names the keys it lacks; `reason` says why it cannot be mounted, or what
    became of it when it was tried last.
    """

    server: Server
    status: Status
    missing: list[str] = []  # noqa: RUF012
    reason: str = ""
