"""What an agent is told about working with Deedlog: the server's instructions and the prompt, one text."""

from __future__ import annotations

GUIDE = """\
Deedlog is this project's work ledger: it records what was done, why and by whom.

1. Before you begin, `ledger_search` shows what was done or decided already.
2. At the start of a piece of work call `start_workflow` with a short name and, if there is one, the plan.
3. When the work is over call `complete_workflow` with a truthful status and a summary of two to four sentences.
4. A mistaken entry is taken back with `ledger_undo`; nothing is erased.

`event_list` reads the log; `workflow_get` reads one workflow.
"""
