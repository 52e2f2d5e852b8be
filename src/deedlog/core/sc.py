"""The `sc://` addresses of what can be listed, read and watched."""

from __future__ import annotations

import re

from deedlog.core.blackboard import namespace_uri
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

GRAPH, VERSION, SNAPSHOT = "graph", "graph_version", "snapshot"
RUN, CHILD, NAMESPACE = "run_events", "child_logs", "blackboard_namespace"
GRAPHS, SNAPSHOTS, RUNS = "sc://graphs/", "sc://snapshots/", "sc://runs/"
CHILDREN, BLACKBOARD = "sc://children/", "sc://blackboard/"
TEMPLATES = (
    "sc://graphs/{graph_id}",
    "sc://graphs/{graph_id}@v{version}",
    "sc://snapshots/{graph_id}/{tx_id}",
    "sc://runs/{run_id}/events",
    "sc://children/{child_id}/logs",
    "sc://blackboard/{namespace}",
)
FORMS = {
    VERSION: re.compile(re.escape(GRAPHS) + r"(?P<name>[^/@]+)@v(?P<version>[1-9][0-9]{0,14})"),
    GRAPH: re.compile(re.escape(GRAPHS) + r"(?P<name>[^/@]+)"),
    SNAPSHOT: re.compile(re.escape(SNAPSHOTS) + r"(?P<name>[^/]+)/(?P<tx>[^/]+)"),
    RUN: re.compile(re.escape(RUNS) + r"(?P<name>[^/]+)/events"),
    CHILD: re.compile(re.escape(CHILDREN) + r"(?P<name>(?:session-)?[0-9]{1,15})/logs"),
    NAMESPACE: re.compile(re.escape(BLACKBOARD) + r"(?P<name>[^/]+)", re.DOTALL),
}
WATCHABLE = (RUN, CHILD, NAMESPACE)
LISTED = ("workflow", "graph", "tx", "run", "session", "entry")  # things that come and go with their resources


class Address(Value):
    """What a URI names: `name` is the id of a graph, a run or a child, or a namespace."""

    kind: str
    name: str
    version: int = 0
    tx: str = ""

    @property
    def subject(self) -> str:
        """What events call it; nothing for a version, which never changes, and for a child, called by its number."""
        subjects = {
            GRAPH: f"graph://{self.name}",
            SNAPSHOT: f"tx://{self.tx}",
            RUN: f"run://{self.name}",
            NAMESPACE: namespace_uri(self.name),
        }
        return subjects.get(self.kind, "")


def parsed(uri: str) -> Address | None:
    """The address, or None where it has none of our forms."""
    for kind, form in FORMS.items():
        if found := form.fullmatch(uri):
            parts = found.groupdict()
            version, tx = int(parts.get("version", 0)), parts.get("tx", "")
            return Address(kind=kind, name=parts["name"], version=version, tx=tx)
    return None


def uri_of_graph(graph_id: str, version: int = 0) -> str:
    return f"{GRAPHS}{graph_id}@v{version}" if version else f"{GRAPHS}{graph_id}"


def uri_of_snapshot(graph_id: str, tx_id: str) -> str:
    return f"{SNAPSHOTS}{graph_id}/{tx_id}"


def uri_of_run(run_id: str) -> str:
    return f"{RUNS}{run_id}/events"


def uri_of_child(number: int) -> str:
    return f"{CHILDREN}session-{number}/logs"


def uri_of_namespace(namespace: str) -> str:
    return f"{BLACKBOARD}{namespace}"


def in_text_order(most: int, after: str = "") -> Iterator[int]:
    """The numbers from 1 to `most` in the order of their texts (1, 10, 100, 2), those after a text."""
    digits = re.match("[1-9][0-9]*|", after)
    number = int(digits[0]) if digits and digits[0] else 0
    while number > most:
        number //= 10
    number = number or 1
    while 0 < number <= most:
        if str(number) > after:
            yield number
        number = _next_in_text_order(number, most)


def _next_in_text_order(number: int, most: int) -> int:
    """The one that follows; 0 after the last."""
    if number * 10 <= most:
        return number * 10
    while number % 10 == 9 or number == most:  # noqa: PLR2004
        number //= 10
    return number + 1 if number else 0
