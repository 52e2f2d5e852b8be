"""Other MCP servers, as operations see them: configured, mounted, called."""

from __future__ import annotations

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, Protocol

    from deedlog.core.gate.server import Server, Standing
    from deedlog.ports import Peer

    Json = dict[str, Any]
else:
    Protocol = object


class Offer(Value):
    """What a running server offers, each thing as the server describes it, under the server's own names."""

    instructions: str = ""
    info: Json = {}  # noqa: RUF012  # values are never changed in place
    tools: list[Json] = []  # noqa: RUF012
    resources: list[Json] = []  # noqa: RUF012
    templates: list[Json] = []  # noqa: RUF012
    prompts: list[Json] = []  # noqa: RUF012
    capabilities: Json = {}  # noqa: RUF012
    problems: list[str] = []  # noqa: RUF012  # what Deedlog left out of it, in our words
    spent: dict[str, float] = {}  # noqa: RUF012  # seconds of spawn, handshake and listing


class Gateway(Protocol):
    """The servers there are, and those this process has mounted."""

    principal: str  # on whose behalf: this process, or `cli`
    process: str  # the mark of this process
    listeners: list[Callable[[str, str, Json], None]]  # told what a mounted server notifies of: server, method, params

    def standings(self) -> list[Standing]:
        """Every server, in the order of the document's categories, with what is true of it now."""

    def standing(self, name: str) -> Standing:
        """One of them, or `NotFound` with the nearest name."""

    def configured(self, name: str) -> Standing | None:
        """How it stands as it is configured now, whatever of it is mounted; None where it no longer is."""

    def start(self, name: str, peer: Peer) -> Offer:
        """Start a server, or connect to it, and ask what it offers; it is not mounted before `mount`.

        Raises:
            Unavailable: it did not start; nothing of it is left. What it said is in `data`, without secrets.
        """

    def start_all(self, names: Sequence[str], peer: Peer) -> Iterator[str]:
        """Start several at once; names each as soon as it runs, and leaves out those that fail."""

    def probe(self, name: str, peer: Peer) -> Offer:
        """Start it beside what is mounted, ask what it offers, and stop it again. Refused as `start` is."""

    def alone(self, name: str, peer: Peer) -> AbstractContextManager[None]:
        """Have a server to oneself in this process, to mount it, to unmount it or to compare what it offers."""

    def mount(self, name: str, offer: Offer) -> None:
        """Keep it: let calls through, start it when it is needed, and again when it fails or was idle.

        One that was not started is mounted all the same, with the `offer` it had before.
        """

    def unmount(self, name: str) -> None:
        """Stop it, with every process it started."""

    def mounted(self) -> dict[str, Offer]:
        """What is mounted here, and what each offers as far as it is let through."""

    def offered(self, name: str) -> Offer | None:
        """All that a mounted server offers, also what is held back; None where it is not mounted here."""

    def restrict(self, name: str, held: Sequence[str]) -> None:
        """Hold these tools, and what else is meant by these keys, back: they are neither offered nor called."""

    def ask(self, name: str, method: str, params: Json, peer: Peer, actor: str = "") -> Json:
        """Hand a request of `actor` on to a mounted server and return its result as it is.

        Raises:
            Unavailable: it is not there, did not answer in time or died. Where it refused, `data["rpc"]` has its error.
        """

    def refused(self, name: str, tool: str, arguments: Json, actor: str, why: str) -> None:
        """Write down a call that was not handed on, and why."""

    def forget(self, name: str) -> bool:
        """Let go of the login and whatever else is kept of a server; False where nothing was."""

    def write(self, change: Callable[[Json], Json], *, project: bool = False) -> str:
        """Change our own file of servers, whole or not at all; returns its path."""

    def found_elsewhere(self, path: str = "") -> list[Server]:
        """The servers that other programs' files configure, in the order in which they count; or those in one file."""

    def candidates(self, name: str) -> list[Server]:
        """All that is configured under a name, also what does not count; the first that is trusted does."""

    def warnings(self) -> list[str]:
        """What is wrong with the files in which servers and keys are kept."""

    def login(self, name: str, tell: Callable[[str], None], cancelled: Callable[[], bool]) -> bool:
        """Log in to a server over HTTP: `tell` is given the address a person has to visit. False: it asks for none.

        Raises:
            Unavailable: nobody did so in time, or it was refused; a login there was is kept.
        """

    def policy(self, server: Server) -> Mapping[str, str]:
        """What is said of its tools by now, also since it was mounted."""

    def redacted(self, name: str, text: str) -> str:
        """`text` without the secrets that the server was given."""

    def environment(self) -> Mapping[str, str]:
        """The names of keys that are known, and where each comes from: environment, file or keyring. Never values."""

    def close(self) -> None: ...
