"""What a clarification looks like to people: what was understood, the questions, and what came of it."""

from __future__ import annotations

from deedlog.core.clarify.values import MULTI, OTHER
from deedlog.faces.cli.style import in_one_line
from deedlog.faces.cli.terminal import clean, padded, width, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from deedlog.faces.cli.style import Style

    Json = dict[str, Any]

INDENT = "  "
ROOM_OF_TYPE = 15
TYPES = {"adr": "ADR", "task": "task", "projection": "architecture", "archive": "archived task", "prompt": "prompt"}
SOURCES = {
    "request": "you said so",
    "answer": "you answered so",
    "repository": "the repository says so",
    "decision": "decided before",
    "memory": "the memory bank says so",
    "proposal": "proposed",
    "assumption": "assumed",
}
KEYS = "Enter takes what is recommended · a number or your own text · s skips · b goes back · ? tells why"
KEYS_OF_MULTI = "numbers or texts, with commas between them · Enter takes what is recommended · s skips · b goes back"
KEYS_OF_TEXT = "your own words · s skips · b goes back · ? tells why"


def plain(text: object) -> str:
    """Text of others, on one line and harmless."""
    return clean(str(text)).replace("\n", " ")


def understood(found: Json, style: Style, room: int, title: str = "Understood:") -> Iterator[str]:
    """What is decided, assumed and not wanted, and who says so."""
    rows = [(_named(row), _source(row)) for row in [*found.get("decided", []), *found.get("assumptions", [])]]
    rows += [(f"not {plain(name)}", SOURCES["request"]) for name in found.get("rejected", [])]
    if not rows:
        return
    yield style.bold(title)
    longest = max(width(name) for name, _ in rows)
    for name, source in rows:
        if longest + width(source) + 4 <= room:
            yield INDENT + padded(name, longest + 2) + style.dim(source)
        else:
            yield from (INDENT + line for line in wrapped(f"{name} ({source})", room - len(INDENT)))


def _named(row: Json) -> str:
    return f"{plain(row['field'])}: {plain(row['value']) or 'left open'}"


def _source(row: Json) -> str:
    detail = f" ({plain(row['detail'])})" if row.get("detail") else ""
    return SOURCES.get(row["source"], plain(row["source"])) + detail


def question_lines(question: Json, style: Style, room: int, head: str = "") -> Iterator[str]:
    """A question with its numbered options."""
    first, *rest = wrapped(head + plain(question["question"]), room)
    yield from map(style.bold, [first, *rest])
    for place, option in enumerate(question.get("options", ()), 1):
        yield from _option(question, f"{INDENT}{place}. ", option, style, room)


def _option(question: Json, mark: str, option: str, style: Style, room: int) -> Iterator[str]:
    recommended = option == question.get("recommended")
    lines = wrapped(plain(option) + (" (recommended)" if recommended else ""), room - len(mark))
    yield from _marked(mark, map(style.bold, lines) if recommended else lines)
    if recommended and question.get("why"):
        yield from _marked(" " * len(mark), map(style.dim, wrapped(plain(question["why"]), room - len(mark))))


def _marked(mark: str, lines: Iterable[str]) -> Iterator[str]:
    for place, line in enumerate(lines):
        yield (" " * len(mark) if place else mark) + line


def keys(question: Json) -> str:
    return KEYS_OF_TEXT if not question.get("options") else KEYS_OF_MULTI if question["type"] == MULTI else KEYS


def why_lines(question: Json, room: int) -> Iterator[str]:
    """Why a question is asked, and what comes of its answer."""
    if question.get("why"):
        yield from wrapped(plain(question["why"]), room)
    yield from wrapped("Skipped, it is recorded as an assumption and not asked again.", room)


def listed(questions: Iterable[Json], style: Style, room: int) -> Iterator[str]:
    """Questions for somebody who will answer with another command."""
    for place, question in enumerate(questions):
        if place:
            yield ""
        yield from map(style.bold, wrapped(f"{plain(question['id'])}: {plain(question['question'])}", room))
        for option in question.get("options", ()):
            yield from _option(question, INDENT + "- ", option, style, room)
        if question.get("optional"):
            yield INDENT + style.dim("may be skipped")


def notes_of(answer: Json) -> list[str]:
    """What there is to say about an answer: how something was taken, what did not work."""
    warning = f"{plain(answer['warning'])}: {plain(answer.get('message', ''))}" if answer.get("warning") else ""
    return [*([warning] if warning else []), *map(plain, answer.get("notes", []))]


def result_page(answer: Json, style: Style, room: int) -> Iterator[str]:
    """What was decided, the files that were written, and what to do next."""
    yield from (*decided, "") if (decided := list(understood(answer, style, room, "Decided:"))) else ()
    prompt = answer.get("agent_prompt")
    more = [{"type": "prompt", "path": prompt}] if prompt else []
    yield from artifact_lines([*answer["artifacts_created"], *more], style)
    yield ""
    yield from wrapped(plain(answer["summary"]), room)
    if prompt:
        yield f"Next: hand {prompt} to your agent, and commit docs/."


def question_page(answer: Json, style: Style, room: int) -> Iterator[str]:
    """What is open, and the command that answers it."""
    yield from (*known, "") if (known := list(understood(answer, style, room))) else ()
    yield from listed(answer["questions"], style, room)
    yield ""
    yield "Answer with:"
    yield INDENT + clean(answer_command(answer["session_id"], answer["questions"]))


def artifact_lines(artifacts: Iterable[Json], style: Style) -> Iterator[str]:
    for artifact in artifacts:
        kind = TYPES.get(artifact["type"], plain(artifact["type"]))
        yield style.dim(padded(kind, ROOM_OF_TYPE)) + in_one_line(artifact["path"], style)


def answer_command(session_id: str, questions: list[Json]) -> str:
    """The command that answers, to be changed and run; what is recommended is filled in."""
    pairs = [f"{question['id']}={_quoted(_example(question))}" for question in questions]
    return " ".join(["deedlog clarify answer", *pairs, "--session", session_id])


def _example(question: Json) -> str:
    options = [option for option in question.get("options", ()) if option != OTHER]
    return str(question.get("recommended") or (options[0] if options else "…"))


def _quoted(text: str) -> str:
    safe = all(c.isalnum() or c in "_-./@+:" for c in text) and text.isascii() and text
    return text if safe else "'" + text.replace("'", "'\"'\"'") + "'"
