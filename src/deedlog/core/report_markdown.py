"""The report of a workflow in Markdown. Everything in it that somebody wrote is text, never structure."""

from __future__ import annotations

from deedlog.core.markdown import code, fenced, line, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Json = dict[str, Any]

MOST_HEADING = 200
DEEPEST = 3  # headings of tasks deeper in the tree look alike


def head(workflow: Json) -> str:
    """What stands before the tasks: goal, plan, how it ended and what it took."""
    facts = [
        ("Status", workflow["status"].replace("_", " ")),
        ("Started", read(workflow["created_at"])),
        ("Ended", read(workflow.get("ended_at", ""))),
        ("Lasted", lasting(workflow["duration_seconds"]) if "ended_at" in workflow else ""),
        ("Tasks", ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in workflow["tasks"].items())),
        ("Sessions", str(workflow["total"]["sessions"])),
        ("Used", used(workflow["total"]["usage"])),
        ("Workflow", workflow["workflow_id"]),
    ]
    steps = [f"{number}. {step_line(step)}" for number, step in enumerate(workflow["plan"], 1)]
    parts = [
        f"# {line(workflow['name'], MOST_HEADING)}",
        "\n".join(f"- **{name}:** {line(value)}" for name, value in facts if value),
        _section("## Goal", quoted(workflow["description"])),
        _section("## How it ended", quoted(workflow["summary"])),
        _section("## Plan", "\n".join(steps)),
        "## Tasks",
    ]
    return _joined(parts)


def read(moment: str) -> str:
    """`2025-01-15 10:00 UTC`: a moment as people read it."""
    return f"{moment[:10]} {moment[11:16]} UTC" if moment else ""


def _from_to(start: str, end: str) -> str:
    """`2025-01-15 10:00 to 10:05 UTC`, with the day once where it is the same."""
    if not end:
        return f"{read(start)}, still at work"
    same = start[:10] == end[:10]
    return f"{start[:10]} {start[11:16]} to {read(end)[11 if same else 0 :]}"


def lasting(seconds: int) -> str:
    """`3 h 20 min`: two units are enough to tell."""
    for size, name, part, smaller in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= size:
            return f"{seconds // size} {name} {seconds % size // part} {smaller}"
    return f"{seconds} s"


def step_line(step: Json) -> str:
    return f"**{line(step.get('step', ''))}**" + (f": {line(step['goal'])}" if step.get("goal") else "")


def task(row: Json) -> str:
    level = "#" * (3 + min(row["depth"], DEEPEST))
    facts = [
        ("Status", line(row["status"].replace("_", " "))),
        ("Areas", ", ".join(map(code, row.get("areas", [])))),
        ("Waited for", ", ".join(map(code, row.get("depends_on", [])))),
        ("Cancelled because", line(row.get("cancel_reason", ""))),
        ("Used", line(used(row.get("usage", {})))),
        ("Verification", _verified(row)),
        ("Sent back", _times(row.get("sent_back", 0))),
    ]
    parts = [
        f"{level} {code(row['task_id'])} {line(row['name'], MOST_HEADING)}",
        "\n".join(f"- **{name}:** {value}" for name, value in facts if value),
        _titled("Goal", quoted(row.get("goal", ""))),
        _outcome(row.get("outcome", {})),
        _titled("Sessions", _bullets(map(_session, row.get("sessions", [])))),
        _files(row),
        _titled("Decisions", _bullets(map(_decision, row.get("decisions", [])))),
        _titled("Issues", _bullets(map(_issue, row.get("issues", [])))),
        _titled("Milestones", _bullets(map(_milestone, row.get("milestones", [])))),
        _titled("Comments", _bullets(map(_comment, row.get("comments", [])))),
        _titled("Reviews", _bullets(map(_review, row.get("reviews", [])))),
        _patch(row),
    ]
    return _joined(parts)


def used(usage: Json) -> str:
    """`12000 tokens, $0.42`; nothing where nothing is known."""
    tokens, cost, minutes = usage.get("tokens"), usage.get("cost"), usage.get("minutes")
    told = [f"{tokens:,.0f} tokens" if tokens else "", f"${cost:,.2f}" if cost else ""]
    return ", ".join(filter(None, [*told, f"{lasting(round(60 * minutes))} of workers" if minutes else ""]))


def _verified(row: Json) -> str:
    found = row.get("verification")
    if row.get("changes_unknown"):
        return "what it changed is not known"
    if not found:
        return ""
    if outside := found.get("unexpected_files", []):
        return f"outside its areas: {', '.join(map(code, outside))}"
    return "it stayed in its areas" if row.get("areas") else "nothing is out of scope"


def _outcome(outcome: Json) -> str:
    lists = {"achievements": "Achievements", "limitations": "Limitations", "next_steps": "Next steps"}
    parts = [_titled("Outcome", quoted(str(outcome.get("summary", ""))))]
    parts += [_titled(title, _bullets(map(line, outcome.get(name, [])))) for name, title in lists.items()]
    return _joined(parts)


def _session(row: Json) -> str:
    who = row.get("agent") or row["actor"]
    told = [f"{code(row['session_id'])} {line(row['status'].replace('_', ' '))} by {line(who)}"]
    told += ["sent back" if row.get("sent_back") else ""]
    told += [
        _from_to(row["started_at"], row.get("ended_at", "")),
        line(used(row.get("usage", {}))),
        line(row.get("error", "")),
    ]
    told += [f"merged into {code(row['merged_into'])}" if "merged_into" in row else ""]
    told += [f"check {code(c['label'])} {'passed' if c['passed'] else 'failed'}" for c in row.get("checks", [])]
    told += [f"it said: {line(row['summary'])}" if "summary" in row else ""]
    return "; ".join(filter(None, told))


def _files(row: Json) -> str:
    rows = [
        f"| {code(each['path'])} | {each['status']} | {each.get('added', '')} | {each.get('deleted', '')}"
        f" | {each['by']}{', outside' if each.get('scope') == 'out' else ''}{_only_on(each)} |"
        for each in row.get("files", [])
    ]
    if not rows:
        return ""
    left = f"\n\nand {row['files_left_out']} more" if row.get("files_left_out") else ""
    table = ["| File | | + | - | Whose |", "|---|---|--:|--:|---|", *rows]
    return _titled("Files", "\n".join(table) + left)


def _only_on(row: Json) -> str:
    return f", only on {code(row['place'])}" if "place" in row else ""


def _decision(row: Json) -> str:
    why = f": {line(row['reasoning'])}" if row.get("reasoning") else ""
    return f"{line(row['question'])} → **{line(row['chosen'])}**{why}"


def _issue(row: Json) -> str:
    return f"{line(row['type'])}: {line(row['description'])} → {line(row['resolution'])}"


def _milestone(row: Json) -> str:
    progress = f"{row['progress']:g} % " if "progress" in row else ""
    return f"{read(row['created_at'])} {progress}{line(row['message'])}"


def _comment(row: Json) -> str:
    where = f"{row['path']}:{row['line']}" if "line" in row else row.get("path", "")
    settled = f"resolved by {row['resolved_by']}" if row.get("resolved_by") else row["status"]
    on = f" on {code(where)}" if where else ""
    return f"{line(row['by'])}{on}: {line(row['text'])} → **{line(settled)}**"


def _times(count: int) -> str:
    return {0: "", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _review(row: Json) -> str:
    verdict = f"{row['verdict']} by {row['reviewed_by']}" if row.get("verdict") else "open"
    note = f": {line(row['note'])}" if row.get("note") else ""
    return f"{line(row['question'])} → **{line(verdict.replace('_', ' '))}**{note}"


def _patch(row: Json) -> str:
    if "patch" in row:
        return _titled("Patch", fenced(row["patch"], "diff"))
    return _titled("Patch", f"left out: {line(row['patch_left_out'])}") if "patch_left_out" in row else ""


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {each}" for each in lines)


def _titled(title: str, text: str) -> str:
    return f"**{title}**\n\n{text}" if text else ""


def _section(title: str, text: str) -> str:
    return f"{title}\n\n{text}" if text else ""


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(filter(None, parts))
