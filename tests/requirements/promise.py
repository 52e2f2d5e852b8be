from typing import NamedTuple

SOURCES = {
    "000": "the protocol of the work tracker",
    "001": "the orchestrator's MCP interface: introspection, resources, modules",
    "002": "the clarification server: questions, decision records",
    "003": "the plan of the gateway to other MCP servers",
    "004": "tasks, workers, sessions, agents and the memory bank over MCP",
    "DESIGN": "the design, which settles where the documents contradict each other",
    "foundation": "what every capability stands on",
    "import": "a home for what other tools keep",
}


class Requirement(NamedTuple):
    id: str
    source: str
    behaviour: str
    later: int | None


def said_in(source: str, promises: dict[str, str], *, later: int | None = None) -> list[Requirement]:
    return [Requirement(name, source, behaviour, later) for name, behaviour in promises.items()]
