"""docs/AGENT_PROMPT.md: what starts an agent on the current task. Only the command writes it."""

from __future__ import annotations

import re

from deedlog.core.records.foreign import normal
from deedlog.core.records.markdown import inline
from deedlog.core.records.uid import PATTERN
from deedlog.core.records.values import STATE_FILE, TASK_FILE, Adr, Architecture, CurrentTask

WIDTH = 200
OURS = re.compile(rf"^<!-- Task: ({PATTERN}|None) -->[ \t]*$", re.MULTILINE)
GENERATED = "# Agent Prompt\n\nUse this prompt to start your AI coding agent.\n"


def render_prompt(task: CurrentTask, architecture: Architecture, adr: Adr | None) -> str:
    return f"""<!-- Task: {task.uid or "None"} -->

# Agent Prompt

Use this prompt to start your AI coding agent.

---

You are a coding agent. Your task: {inline(task.title, WIDTH)}

Read these files first:
{_files(architecture, adr)}

Rules:
- Do what {TASK_FILE} says under Objective, and nothing else.
- {_where(task)}
- Keep to its Technical Constraints and to the decisions in {STATE_FILE}. Do not edit ADRs.
- {_open(task)}
- You are done when every Acceptance Criterion holds and the tests pass.
- If a decision that is not recorded is needed, stop and ask for it.
"""


def _where(task: CurrentTask) -> str:
    if task.allowlist:
        return "Change only what its Allowlist names; leave alone what is under Forbidden."
    return "Change what the task needs and no more; leave alone what is under Forbidden."


def _open(task: CurrentTask) -> str:
    said = "Treat its Assumptions as open: say so where one turns out wrong."
    return f"{said} What is under Still Open is not yours to decide: ask." if task.still_open else said


def is_our_prompt(text: str) -> bool:
    """Whether the file was generated, by us or by Preflights, however a merge left it."""
    text = normal(text)
    return text.startswith(GENERATED) or OURS.search(text) is not None


def task_of(text: str) -> str:
    """The UID of the task that a prompt is about; empty where it does not say, or says two."""
    found = {match[1] for match in OURS.finditer(normal(text))}
    return found.pop() if len(found) == 1 else ""


def _files(architecture: Architecture, adr: Adr | None) -> str:
    paths = [STATE_FILE] if architecture.uid else []
    return "\n".join(f"- {path}" for path in [*paths, TASK_FILE, *([adr.path] if adr else [])])
