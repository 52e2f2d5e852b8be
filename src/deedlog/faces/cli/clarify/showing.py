"""What a clarification looks like to people: what was understood, the questions, and what came of it."""

from __future__ import annotations

from deedlog.core.clarify.values import MULTI, OTHER
from deedlog.faces.cli.clarify.rules import ABOUT
from deedlog.faces.cli.clarify.words import KEYS, KEYS_OF_MULTI, KEYS_OF_TEXT, LEFT_OPEN, SKIPPED, language_of, told
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
    "open": "nobody was asked",
}
OPEN = "open"


def plain(text: object) -> str:
    """Text of others, on one line and harmless."""
    return clean(str(text)).replace("\n", " ")


def understood(found: Json, style: Style, room: int, title: str = "Understood:") -> Iterator[str]:
    """What is decided and not wanted, what is assumed, what is open, and who says so."""
    language = language_of(found)
    decided = [(_named(row, language), _source(row, language)) for row in found.get("decided", [])]
    refused = [plain(name) for name in found.get("rejected", [])]
    decided += [(told(language, "not {name}", name=name), told(language, SOURCES["request"])) for name in refused]
    assumed = [row for row in found.get("assumptions", []) if row["source"] != OPEN]
    still = [row for row in found.get("assumptions", []) if row["source"] == OPEN]
    yield from _rows(decided, told(language, title), style, room)
    for rows, name in ((assumed, "Assumed:"), (still, "Still open:")):
        yield from _rows(
            [(_named(row, language), _source(row, language)) for row in rows], told(language, name), style, room
        )


def _rows(rows: list[tuple[str, str]], title: str, style: Style, room: int) -> Iterator[str]:
    if not rows:
        return
    yield style.bold(title)
    longest = max(width(name) for name, _ in rows)
    for name, source in rows:
        if longest + width(source) + 4 <= room:
            yield INDENT + padded(name, longest + 2) + style.dim(source)
        else:
            yield from (INDENT + line for line in wrapped(f"{name} ({source})", room - len(INDENT)))


def _named(row: Json, language: str) -> str:
    return f"{plain(row['field'])}: {plain(row['value']) or told(language, 'left open')}"


def _source(row: Json, language: str) -> str:
    shown = row.get("detail") and row["detail"] != row["field"]
    detail = f" ({plain(row['detail'])})" if shown else ""
    return told(language, SOURCES.get(row["source"], plain(row["source"]))) + detail


def question_lines(question: Json, style: Style, room: int, head: str = "") -> Iterator[str]:
    """A question with its numbered options."""
    first, *rest = wrapped(head + plain(question["question"]), room)
    yield from map(style.bold, [first, *rest])
    for place, option in enumerate(question.get("options", ()), 1):
        yield from _option(question, f"{INDENT}{place}. ", option, style, room)


def _option(question: Json, mark: str, option: str, style: Style, room: int) -> Iterator[str]:
    recommended, language = option == question.get("recommended"), _language(question)
    more = f" ({told(language, 'recommended')})" if recommended else ""
    lines = wrapped(plain(told(language, option) if option == OTHER else option) + more, room - len(mark))
    yield from _marked(mark, map(style.bold, lines) if recommended else lines)
    if recommended and question.get("why"):
        yield from _marked(" " * len(mark), map(style.dim, wrapped(plain(question["why"]), room - len(mark))))


def _marked(mark: str, lines: Iterable[str]) -> Iterator[str]:
    for place, line in enumerate(lines):
        yield (" " * len(mark) if place else mark) + line


def _language(question: Json) -> str:
    return str(question.get("language") or "en")


def keys(question: Json) -> str:
    found = KEYS_OF_TEXT if not question.get("options") else KEYS_OF_MULTI if question["type"] == MULTI else KEYS
    return told(_language(question), found)


def why_lines(question: Json, reasons: list[Json], room: int) -> Iterator[str]:
    """Why a question is asked, what its options mean, and what comes of it when it is skipped."""
    language = _language(question)
    for reason in reasons[:1]:
        words = f" (“{plain(reason['text'])}”)" if reason.get("text") else ""
        about = plain(ABOUT.get(language, {}).get(reason["rule"], reason["about"]))
        yield from wrapped(told(language, "Asked because: {about}", about=about + words), room)
    for option, text in question.get("tells", {}).items():
        yield from _marked(INDENT, wrapped(f"{plain(option)}: {plain(text)}", room - len(INDENT)))
    recommended = question.get("recommended")
    if recommended and question.get("why") and question["why"] != question.get("tells", {}).get(recommended):
        yield from wrapped(f"{plain(recommended)}: {plain(question['why'])}", room)
    skipped = told(language, SKIPPED, value=plain(recommended)) if recommended else told(language, LEFT_OPEN)
    yield from wrapped(skipped, room)


def listed(questions: Iterable[Json], style: Style, room: int) -> Iterator[str]:
    """Questions for somebody who will answer with another command."""
    for place, question in enumerate(questions):
        if place:
            yield ""
        yield from map(style.bold, wrapped(f"{plain(question['id'])}: {plain(question['question'])}", room))
        for option in question.get("options", ()):
            yield from _option(question, INDENT + "- ", option, style, room)
        if question.get("optional"):
            yield INDENT + style.dim(told(_language(question), "may be skipped"))


def notes_of(answer: Json) -> list[str]:
    """What there is to say about an answer: how something was taken, what did not work."""
    warning = f"{plain(answer['warning'])}: {plain(answer.get('message', ''))}" if answer.get("warning") else ""
    return [*([warning] if warning else []), *map(plain, answer.get("notes", []))]


def result_page(answer: Json, style: Style, room: int) -> Iterator[str]:
    """What was decided, the files that were written, and what to do next."""
    yield from (*decided, "") if (decided := list(understood(answer, style, room, "Decided:"))) else ()
    prompt = answer.get("agent_prompt")
    more = [{"type": "prompt", "path": prompt}] if prompt else []
    language = language_of(answer)
    yield from artifact_lines([*answer["artifacts_created"], *more], style, language)
    yield ""
    yield from wrapped(plain(answer["summary"]), room)
    if prompt:
        yield from wrapped(told(language, "Next: hand {path} to your agent, and commit docs/.", path=prompt), room)


def question_page(answer: Json, style: Style, room: int) -> Iterator[str]:
    """What is open, and the command that answers it."""
    yield from (*known, "") if (known := list(understood(answer, style, room))) else ()
    yield from listed(answer["questions"], style, room)
    yield ""
    yield told(language_of(answer), "Answer with:")
    yield INDENT + clean(answer_command(answer["session_id"], answer["questions"]))


def artifact_lines(artifacts: Iterable[Json], style: Style, language: str) -> Iterator[str]:
    for artifact in artifacts:
        kind = told(language, TYPES.get(artifact["type"], plain(artifact["type"])))
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
