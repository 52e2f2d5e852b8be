"""docs/AGENT_PROMPT.md: what starts an agent on the current task. Only the command writes it."""

from __future__ import annotations

from deedlog.core.records.foreign import normal
from deedlog.core.records.markdown import inline
from deedlog.core.records.values import STATE_FILE, TASK_FILE, Adr, Architecture, CurrentTask

WIDTH = 200
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
- Change only what its Allowlist names; leave alone what is under Forbidden.
- Keep to its Technical Constraints and to the decisions in {STATE_FILE}. Do not edit ADRs.
- Treat its Assumptions as open: say so where one turns out wrong.
- You are done when every Acceptance Criterion holds and the tests pass.
- If a decision that is not recorded is needed, stop and ask for it.
"""


def is_our_prompt(text: str) -> bool:
    """Whether the file was generated, by us or by Preflights."""
    return normal(text).startswith(("<!-- Task: ", GENERATED))


def _files(architecture: Architecture, adr: Adr | None) -> str:
    paths = [STATE_FILE] if architecture.uid else []
    return "\n".join(f"- {path}" for path in [*paths, TASK_FILE, *([adr.path] if adr else [])])
