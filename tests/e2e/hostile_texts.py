"""Texts that mean something to a shell, a path, a terminal or a parser, and the places an agent can put them.

Wherever one is put, it must come back as it was or be refused; nothing may happen because of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]
Call = Callable[..., Any]
MEGABYTE = 1_000_000


def texts(canary: Path) -> dict[str, str]:
    """What would make the file `canary` if a shell read it, and what else goes wrong where texts are not just data."""
    touch = f"touch {canary}"
    return {
        "substitution": f"$({touch})",
        "backticks": f"`{touch}`",
        "semicolon": f"x; {touch}; y",
        "operators": f"x && {touch} || {touch} & {touch} | {touch} > {canary}",
        "single-quotes": f"it's '; {touch}; '",
        "double-quotes": f'"; {touch}; "',
        "both-quotes": f"""'"'"'; {touch}; '"'"'"\\'""",
        "lines": f"x\n{touch}\ny",
        "heredoc": f"x\nPROMPT\n)\"\n{touch}\ncat <<'PROMPT'\ny",
        "carriage-return": f"x\r\n{touch}\ry",
        "variables": "$HOME ${IFS} $$ ~ !! %PATH% $'\\x41'",
        "globs": "* ? [a-z] {a,b} **/*",
        "backslashes": "a\\ \\n \\' \\\" \\",
        "template": "{prompt} {worktree} {prompt_file} {} {0} %s %n %(x)s ${x}",
        "parent": f"../../../../../..{canary}",
        "absolute": str(canary),
        "dots": "..",
        "encoded-parent": "..%2f..%2fcanary ..\\..\\canary",
        "option": f"--upload-pack={touch}",
        "option-file": f"@{canary}",
        "nul": f"a\0b; {touch}",
        "half-surrogate": "a\ud800b",
        "right-to-left": "a\u202egnp.exe\u202c \u2066x\u2069",
        "escapes": "a\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]52;c;aGk=\x07 \x9b2J \x08\x7f",
        "separators": "a\u2028b\u2029c\x85d\x0be\x0cf",
        "markup": "<script>alert(1)</script> <img src=x onerror=y> [a](javascript:b) ---\nid: other\n---",
        "query": "x'; DROP TABLE task; -- \" OR 1=1",
        "scripts": "é 漢字 ا 👩‍👩‍👧 e\u0301 \ufeff \u200b ﷽",
        "megabyte": "x" * MEGABYTE,
    }


NAMES = tuple(texts(Path("/canary")))


class Place(NamedTuple):
    """Where a text can be put; `put` returns what is read back from there."""

    name: str
    put: Callable[[Call, str], Any]
    expected: Callable[[str], Any] = lambda text: text


def new_task(call: Call, **more: Any) -> int:
    number: int = call("task_create", **{"title": "a task", **more})["id"]
    return number


def whole_task(call: Call, number: int) -> Json:
    """A task with all of its description, which comes in pages."""
    task = call("task_get", id=number)
    while offset := task.pop("nextOffset", None):
        page = call("task_get", id=number, offset=offset)
        task |= {"description": task["description"] + page["description"]}
        task |= {"nextOffset": page["nextOffset"]} if "nextOffset" in page else {}
    return dict(task)


def _of_task(field: str, given: Callable[[str], Any] = lambda text: text) -> Callable[[Call, str], Any]:
    return lambda call, text: whole_task(call, new_task(call, **{field: given(text)})).get(field)


def _updated(field: str) -> Callable[[Call, str], Any]:
    def put(call: Call, text: str) -> Any:
        number = new_task(call)
        call("task_update", id=number, **{field: text})
        return whole_task(call, number)[field]

    return put


def _of_session(field: str) -> Callable[[Call, str], Any]:
    def put(call: Call, text: str) -> Any:
        session = call("session_start", taskId=new_task(call), agent="coder", **{field: text})["sessionId"]
        read = call("session_get", sessionId=session).get(field)
        call("session_end", sessionId=session, exitCode=0)
        return read

    return put


def _repeated(call: Call, text: str) -> Any:
    """A key is not shown; the same one is the same session again."""
    asked = {"taskId": new_task(call), "agent": "coder", "idempotencyKey": text}
    session = call("session_start", **asked)
    same = call("session_start", **asked) == session
    call("session_end", sessionId=session["sessionId"], exitCode=0)
    return text if same else None


def _of_session_end(field: str, given: Callable[[str], Any]) -> Callable[[Call, str], Any]:
    def put(call: Call, text: str) -> Any:
        session = call("session_start", taskId=new_task(call), agent="coder")["sessionId"]
        try:
            call("session_end", sessionId=session, exitCode=1, **{field: given(text)})
            return call("session_get", sessionId=session)[field]
        finally:
            call("session_end", sessionId=session, exitCode=1)

    return put


def _of_agent(field: str, given: Callable[[str], Any] = lambda text: text) -> Callable[[Call, str], Any]:
    def put(call: Call, text: str) -> Any:
        call("agent_create", **{"name": "an-agent", field: given(text)})
        try:
            return call("agent_get", name=text if field == "name" else "an-agent")[field]
        finally:
            call("agent_delete", name=text if field == "name" else "an-agent")

    return put


def _of_memory(field: str) -> Callable[[Call, str], Any]:
    def put(call: Call, text: str) -> Any:
        entry = {"id": "an-entry", "category": "rule", "title": "t", "status": "active", field: text}
        call("memory_add", **entry)
        call("memory_preview")
        call("memory_export")
        read = call("memory_get", id=entry["id"])[field]
        call("memory_archive", id=entry["id"])
        call("ledger_undo")
        call("ledger_undo")
        return read

    return put


def _cancelled(call: Call, text: str) -> Any:
    number = new_task(call)
    call("task_cancel", id=number, reason=text)
    return call("task_get", id=number)["cancelReason"]


def _labels(text: str) -> list[str]:
    return [*dict.fromkeys(word.strip() for word in text.split(",") if word.strip())]


PLACES = (
    Place("title", _of_task("title")),
    Place("description", _of_task("description")),
    Place("assignee", _of_task("assignee"), lambda text: text.strip()),
    Place("labels", _of_task("labels"), _labels),
    Place("scope", _of_task("scope", lambda text: {"write": [text]}), lambda text: {"write": [text]}),
    Place(
        "check",
        _of_task("checks", lambda text: [{"label": text, "command": ["true", text]}]),
        lambda text: [{"label": text, "command": ["true", text], "timeout": 600, "required": True}],
    ),
    Place("new title", _updated("title")),
    Place("new description", _updated("description")),
    Place("cancel reason", _cancelled),
    Place("sessionGroupId", _of_session("sessionGroupId")),
    Place("idempotencyKey", _repeated),
    Place("artifacts", _of_session_end("artifacts", lambda text: [text]), lambda text: [text]),
    Place(
        "error message",
        _of_session_end("error", lambda text: {"type": "unknown", "message": text}),
        lambda text: {"type": "unknown", "message": text},
    ),
    Place("signal", _of_session_end("signal", lambda text: text)),
    Place("agent name", _of_agent("name")),
    Place("agent description", _of_agent("description")),
    Place("agent model", _of_agent("model")),
    Place("agent prompt", _of_agent("promptContent")),
    Place("agent command", _of_agent("command", lambda text: ["true", text]), lambda text: ["true", text]),
    Place("memory id", _of_memory("id")),
    Place("memory category", _of_memory("category")),
    Place("memory title", _of_memory("title")),
    Place("memory summary", _of_memory("summary")),
    Place("memory content", _of_memory("content")),
)


def files_under(folder: Path, *, without: tuple[str, ...] = ()) -> Iterator[str]:
    """Every file and folder below a folder, by its path, but for what is in the folders named."""
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if os.path.join(root, name) not in without]
        for name in (*folders, *files):
            yield os.path.relpath(os.path.join(root, name), folder)


def as_toml(text: str) -> str:
    """A string in a configuration file; what TOML has no escape for makes the file unreadable."""
    return json.dumps(text).replace("\x7f", "\\u007f")
