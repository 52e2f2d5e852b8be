"""The report of the tracker's demo, for people."""

from __future__ import annotations

from deedlog.faces.cli.show import answer_lines, style_of_output
from deedlog.faces.cli.terminal import clean, cut, padded, width, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from deedlog.faces.cli.style import Style

    Json = dict[str, Any]
    Row = tuple[str, ...]

INDENT = "  "
LEAST_LAST = 30  # columns; with less room a row's last cell stands below the others
INTRODUCTION = (
    "A scripted agent works in a scratch repository, and tells Deedlog over MCP what it is about to do and what came "
    "of it. A person left two files uncommitted before it began."
)
FINDINGS = (
    "Below are the files each task changed, with the reason for each verdict, and then where the usual way errs: two "
    "git diffs, of what was committed since the start and of what is not committed."
)
ERRORS = ("blamed", "mistaken", "missed")


def lines(found: Json, style: Style | None = None) -> Iterator[str]:
    style = style or style_of_output()
    yield from _text(INTRODUCTION, style)
    yield from _section("What it said, and did in between", style)
    yield from _story(found["story"], style)
    yield ""
    yield from _text(FINDINGS, style)
    for task in sorted(found["tasks"], key=lambda task: int(task["task_id"].rpartition("-")[2])):
        yield from _task(task, style)
    for tree in found["trees"]:
        yield from _section(f"Workflow {tree['name']}: {tree['status']}", style)
        yield from _indented(answer_lines({"tasks": tree["tasks"]}, _inside(style)))
    yield from _section("Waiting for a person", style)
    yield from _rows([(row["task_id"], row["reason"], row["question"]) for row in found["reviews"]], style)
    yield from _next(found, style)


def _section(title: str, style: Style) -> Iterator[str]:
    yield ""
    yield from map(style.bold, _text(title, style))


def _story(story: list[Json], style: Style) -> Iterator[str]:
    room = max(len(step["tool"]) for step in story if "tool" in step)
    for step in story:
        if "tool" in step:
            line = f"{INDENT}{step['tool']:<{room}}  {_said(step)}"
            yield cut(line, style.columns) if style.columns else line
        else:
            line = f"{2 * INDENT}{step['who']} {step['did']} {', '.join(step['what'])}"
            yield style.dim(cut(line, style.columns) if style.columns else line)


def _said(step: Json) -> str:
    """One call, in a line."""
    said, answer = step["arguments"], step["answer"]
    if step["tool"] == "start_workflow":
        text = f"{said['name']} → {answer['workflow_id']}"
    elif step["tool"] == "start_task":
        under = f" under {said['parent_task_id']}" if "parent_task_id" in said else ""
        areas = f" ({', '.join(said['areas'])})" if said.get("areas") else ""
        text = f"{said['name']}{areas}{under} → {answer['task_id']}"
    elif step["tool"] == "log_decision":
        text = f"{said['task_id']}: {said['question']} {said['chosen']}"
    elif step["tool"] == "log_issue":
        asked = " (a person shall look)" if said["requires_human_review"] else ""
        text = f"{said['task_id']}: {said['description']} {said['resolution']}{asked}"
    elif step["tool"] == "log_milestone":
        text = f"{said['task_id']}: {said['message']} {said['progress']} %"
    else:
        text = f"{said['task_id']}: {said['status']} → {_count(answer)}"
    return clean("; ".join([text, *answer.get("warnings", [])]))


def _count(answer: Json) -> str:
    files = sum(map(len, answer["files_changed"].values()))
    return "; ".join([f"{files} files, {_lines_of(answer['lines'])} lines", *answer["verification"]["warnings"]])


def _lines_of(row: Json) -> str:
    return f"+{row['added']} -{row['deleted']}" if "added" in row else ""


def _task(task: Json, style: Style) -> Iterator[str]:
    areas = f" ({', '.join(task['areas'])})" if task["areas"] else ""
    verdict = "" if not areas else ", in scope" if task["verification"]["scope_match"] else ", out of scope"
    title = f"{task['task_id']} {task['name']}{areas}: {task['status']}, {_lines_of(task['lines'])} lines{verdict}"
    yield from _section(title, style)
    yield from _rows([(row["status"], row["path"], _lines_of(row), _verdict(row)) for row in task["changes"]], style)
    for warning in task["verification"]["warnings"]:
        yield from _indented(_text(warning, _inside(style)))
    yield from _indented(_text(_claims(task["git"]), _inside(style)))
    wrong = [(word, row["path"], row["why"]) for word in ERRORS for row in task["git"][word]]
    yield from _indented(_rows(wrong, _inside(style)))


def _verdict(row: Json) -> str:
    """Whose a change is, and whether it was to be expected."""
    if row["by"] == "arrived":
        return "arrived: not this task's work"
    if row["by"] == "subtask":
        return f"done by {', '.join(row['tasks'])}"
    moved = f", renamed from {row['renamed_from']}" if "renamed_from" in row else ""
    return (f"{row['scope']}: {row['reason']}" if "scope" in row else "no areas were declared") + moved


def _claims(git: Json) -> str:
    wrong = [f"{len(git[word])} {word}" for word in ERRORS if git[word]]
    return f"By git diff: {len(git['claims'])} files, " + (f"{', '.join(wrong)}:" if wrong else "the same.")


def _next(found: Json, style: Style) -> Iterator[str]:
    yield from _section("Look around", style)
    where = "in the scratch repository" if found["folder"] else "in the folder that the first one names"
    yield from _text(f"Try these, {where}:", style)
    for command in found["next"]:
        yield INDENT + command
    if "note" in found:
        yield from _text(found["note"], style)


def _rows(rows: Sequence[Row], style: Style) -> Iterator[str]:
    """Cells under each other; the last of each row may take several lines."""
    widths = [max(map(width, cells)) for cells in zip(*rows, strict=True)][:-1]
    before = sum(widths) + len(INDENT) * (len(widths) + 1)
    room = None if style.columns is None else style.columns - before
    for *cells, last in rows:
        start = INDENT + INDENT.join(map(padded, cells, widths))
        if room is None:
            yield f"{start}{INDENT}{last}".rstrip()
        elif room >= LEAST_LAST:
            first, *more = wrapped(last, room)
            yield f"{start}{INDENT}{first}".rstrip()
            yield from (" " * before + line for line in more)
        else:
            yield from _narrow(cells, last, style)


def _narrow(cells: list[str], last: str, style: Style) -> Iterator[str]:
    for line in wrapped(" ".join(filter(None, cells)), (style.columns or 0) - len(INDENT)):
        yield INDENT + line
    for line in wrapped(last, (style.columns or 0) - 2 * len(INDENT)):
        yield 2 * INDENT + line


def _text(text: str, style: Style) -> list[str]:
    return wrapped(text, style.columns) if style.columns else [text]


def _inside(style: Style) -> Style:
    return style.narrower(len(INDENT))


def _indented(lines: Iterator[str] | list[str]) -> Iterator[str]:
    return (INDENT + line for line in lines)
