"""Texts that would be markup, scripts or templates if anybody forgot to escape, put wherever one fits."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deedlog.core.errors import DeedlogError
from deedlog.operation import catalog
from tests.faces.web.page.markup import Element, Html

Call = Callable[..., Any]
MARK = "zzx"  # whatever of a text becomes an element or the name of an attribute has it
TEXTS = {
    "script": "<script>window.zzx=1</script><zzx-a>in zzx</zzx-a>",
    "attribute": '"\'><zzx-b onzzx=1 zzxattr="1"><img src=x onerror="window.zzx=1"> \' zzxattr=\'1',
    "closing": "</title></textarea></pre></script></style></svg></main>--><zzx-c zzxattr>",
    "template": "{{ 912 * 1000003 }} {% zzx %} {# zzx #} ${zzx} <%= zzx %> {{ config }}",
    "address": "javascript:window.zzx=1",
    "markdown": "[zzx](javascript:window.zzx=1) ![x](http://zzx.invalid/a.png) `</code><zzx-d>` <zzx-e>",
    "turned": "a\u202egnp.exe\u202c \u2066x\u2069 \u200f\u061c zzx",
    "control": "zzx \x01\x08\x1b[31mred\x1b[0m \x1b]0;title\x07 \x7f\x9b2J \u2028 \ufeff",
    "emoji": "👩‍👩‍👧 🏳️‍🌈 e\u0301\u0301\u0301\u0301 漢字 ﷽ zzx",
    "one-word": "zzx" + "W" * 400,
    "huge": "<zzx-f zzxattr='1'> & \"zzx\" " * 3600,
}
ALL_MODULES = (
    "blackboard,stigmergy,cnp,consensus,knowledge,value-guard,graphs,locks,plans,bt,supervision,bulk,authoring"
)
COMPUTED = "912002736"  # what the template among the texts would come to
SCHEMAS = {op.name: op.input_schema for op in catalog.load()}
NAMED = re.compile(r"/(task|session|workflow|decision|memory|server|event|evidence)/[^/]+")
VALUE = re.compile(r"=[^&]*")
RUNS = ("script", "iframe", "object", "embed", "base", "style", "img", "link", "meta")
ADDRESSES = ("href", "src", "action", "formaction", "data-load", "data-then", "xlink:href")


@contextmanager
def perhaps() -> Iterator[None]:
    """What is refused in words is as good as what is shown."""
    try:
        yield
    except (AssertionError, DeedlogError):
        pass


def say(call: Call, operation: str, /, **inputs: Any) -> Any:
    """Call with every text cut to what its field takes."""
    known = SCHEMAS[operation]["properties"]
    return call(operation, **{name: cut(value, known.get(name, {})) for name, value in inputs.items()})


def cut(value: Any, schema: dict[str, Any]) -> Any:
    if isinstance(value, str):
        return value[: schema.get("maxLength", 900)]
    if isinstance(value, list):
        return [cut(one, schema.get("items", {})) for one in value]
    if isinstance(value, dict):
        return {name: cut(one, schema.get("properties", {}).get(name, {})) for name, one in value.items()}
    return value


def fill(call: Call, texts: dict[str, str] = TEXTS) -> None:
    """A project in which somebody put each text wherever a text fits."""
    for number, text in enumerate(texts.values()):
        tracked(call, text)
        queued(call, text)
        for further in (known, together, beside):
            further(call, text, number)


def tracked(call: Call, text: str) -> None:
    plan = [{"step": text[:200], "goal": text[:2000]}]
    flow = say(call, "start_workflow", name=text, description=text, plan=plan)["workflow_id"]
    task = say(call, "start_task", workflow_id=flow, name=text, goal=text)["task_id"]
    with perhaps():
        call("start_task", workflow_id=flow, parent_task_id=task, name=text[:200], goal=text[:900], areas=[text[:80]])
    decided = {"category": "other", "question": text, "chosen": text, "reasoning": text, "trade_offs": text}
    say(call, "log_decision", task_id=task, options_considered=[text, text], **decided)
    said = {"type": "other", "description": text, "resolution": text, "requires_human_review": True}
    say(call, "log_issue", task_id=task, **said)
    say(call, "log_milestone", task_id=task, message=text, progress=50, metadata={text[:50]: text[:900]})
    outcome = {"summary": text, "achievements": [text], "limitations": [text], "next_steps": [text]}
    asked = {"manual_review_needed": True, "manual_review_reason": text}
    metadata = {"packages_added": [text], "packages_removed": [text], "commands_executed": [text]}
    with perhaps():
        say(call, "complete_task", task_id=task, status="success", outcome=outcome | asked, metadata=metadata)
    with perhaps():
        say(call, "comment_add", task_id=task, text=text, path=text, line=1)
    with perhaps():
        say(call, "comment_add", task_id=task, text=text)
    other = say(call, "start_task", workflow_id=flow, name=text, goal=text)["task_id"]
    with perhaps():
        say(
            call,
            "task_send_back",
            task_id=other,
            message=text,
            comments=[{"path": text[:900], "line": 1, "text": text}],
        )
    with perhaps():
        say(call, "complete_workflow", workflow_id=say(call, "start_workflow", name=text)["workflow_id"], summary=text)


def queued(call: Call, text: str) -> None:
    more = {"assignee": text, "labels": text.replace(",", " ")}
    for given in (more, {}):
        with perhaps():
            task = say(call, "task_create", title=text, description=text, **given)["id"]
            session = call("session_start", taskId=task, agent="coder")["sessionId"]
            with perhaps():
                line = {"at": 0, "stream": "stdout", "text": text[:20_000]}
                call("session_output", sessionId=session, lines=[line, {**line, "stream": "stderr"}])
            error = {"type": "crash", "message": text[:900]}
            with perhaps():
                say(call, "session_end", sessionId=session, exitCode=1, signal=text, artifacts=[text], error=error)
            with perhaps():
                call("session_end", sessionId=session, exitCode=1)
    with perhaps():
        task = say(call, "task_create", title=text, areas=[text], scope={"write": [text[:80]]})["id"]
        say(call, "task_cancel", id=task, reason=text)
    with perhaps():
        task = say(call, "task_create", title=text)["id"]
        say(call, "task_done", id=task, note=text)


def known(call: Call, text: str, number: int) -> None:
    with perhaps():
        named = {"title": text, "summary": text, "content": text}
        say(call, "memory_add", id=f"m{number}", category=f"c{number}", **named)
    with perhaps():
        say(call, "memory_add", id=text, category=text, title=text)
    with perhaps():
        say(call, "agent_create", name=f"a{number}", description=text, model=text, promptContent=text)
    with perhaps():
        say(call, "require_clarification", user_intention=f"Replace the database. {text}", optional_context=text)
    with perhaps():
        say(call, "mcp_add", name=f"s{number}", command=["echo", text], description=text, category=text, project=True)
    with perhaps():
        say(call, "mcp_add", name=text, command=["echo"], project=True)


def together(call: Call, text: str, number: int) -> None:
    with perhaps():
        say(call, "bb_set", key=text, value={"said": text[:5000]}, tags=[text[:60]])
    with perhaps():
        say(call, "stig_mark", node_id=text, type=text, intensity=1)
    with perhaps():
        say(call, "kg_insert", triples=[{"subject": text, "predicate": text, "object": text, "source": text}])
    with perhaps():
        say(call, "values_set", values=[{"id": f"v{number}", "label": text, "description": text}])
    with perhaps():
        node = {"id": "n1", "label": text[:100]}
        say(call, "graph_create", name=text, nodes=[node], metadata={"said": text[:500]})


def beside(call: Call, text: str, number: int) -> None:
    """What a server that was mounted said and was asked."""
    with perhaps():
        said = {"tool": text[:100], "actor": text[:100], "arguments": text[:900], "problem": text[:200]}
        passage = {"id": f"pas-{number}", "server": f"s{number}", "outcome": "failed", **said}
        call("mcp_record", passages=[passage])


def files(repo: Path) -> None:
    """Changed files whose names and lines are texts."""
    for number, text in enumerate(TEXTS.values()):
        name = text.replace("/", "∕").replace("\0", "")[:60]
        (repo / f"{number} {name}.py").write_text(f"{text[:4000]}\n" * 3)
    (repo / "README.md").write_text("".join(f"{text[:2000]}\n" for text in TEXTS.values()))


def commit(repo: Path, message: str) -> None:
    git = ["git", "-C", str(repo), "-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "--quiet", f"--message={message}"], check=True)


class Walk:
    """Addresses to look at: each once, and of those that show the same kind of thing only some."""

    def __init__(self, first: list[str], each: int) -> None:
        self._waiting, self._seen = [*first], {*first}
        self._each = each
        self.looked: dict[str, int] = {}

    def add(self, links: list[str]) -> None:
        for link in links:
            if link.startswith("/") and not link.startswith(("//", "/static", "/api")) and link not in self._seen:
                self._seen.add(link)
                self._waiting.append(link)

    def __iter__(self) -> Iterator[str]:
        while self._waiting:
            address = self._waiting.pop(0)
            kind = NAMED.sub(r"/\1/…", address.partition("?")[0]) + VALUE.sub("=", address.partition("?")[2])
            self.looked[kind] = self.looked.get(kind, 0) + 1
            if self.looked[kind] <= self._each:
                yield address


def problems(html: Html, *, report: bool = False) -> list[str]:
    """What came out of a text and is not text."""
    return [wrong for element in html for wrong in wrong_with(element, report=report)]


def wrong_with(element: Element, *, report: bool) -> Iterator[str]:
    if MARK in element.tag:
        yield f"<{element.tag}>"
    if element.tag in RUNS and not _is_ours(element) and not (report and element.tag in ("style", "meta")):
        yield f"<{element.tag}> {element.attributes}"[:200]
    for name, value in element.attributes.items():
        if MARK in name or name.startswith("on") or name == "style":
            yield f"{name}={value!r}"[:200]
        if name in ADDRESSES and not _is_safe(element, value):
            yield f"{name}={value!r}"[:200]


def _is_ours(element: Element) -> bool:
    if element.tag == "meta":
        return element.attributes.get("name") in ("viewport", "color-scheme") or "charset" in element
    return any(element.attributes.get(name, "").startswith("/static/") for name in ("src", "href"))


def _is_safe(element: Element, value: str) -> bool:
    if element.tag == "a" and "noopener" in element.attributes.get("rel", ""):
        return value.startswith(("http://", "https://"))
    return value == "" or value.startswith("#") or (value.startswith(("/", "?")) and not value.startswith("//"))
