"""What an agent is told about working with Deedlog: in full as a prompt, in brief as the server's instructions.

Clients cut instructions at 4,096 characters, and the servers within reach have a place there, too.
"""

from __future__ import annotations

GUIDE = """\
Deedlog is this project's work ledger: it records what was done, why and by whom. Record your work with it: \
3 to 6 calls for each task, no more.

1. **Before you begin**: `ledger_search` shows what was done or decided already, `read_architecture` what holds. If \
the request is vague, or decides on the architecture (a technology, a service, a migration): \
`require_clarification`, and put its questions to the user.
2. **At the start of your mission**: call `start_workflow` once, with a short name and, if there is one, the plan. \
Keep its `workflow_id`.
3. **Before you change anything for a task**: call `start_task` with the `workflow_id`, a name, its precise goal and \
the `areas` you will touch (words of paths such as `auth`, or globs such as `src/auth/**`; leave them out if you \
cannot tell). Keep its `task_id`. For a part of a task, start another one with `parent_task_id`.
4. **If you take an important decision** (architecture, a library, a trade-off, a workaround): `log_decision`, at \
most 3 for each task.
5. **If you meet a problem**: `log_issue` with how it was resolved, at most 3 for each task; set \
`requires_human_review` if a person should look at it.
6. **So that people can watch**: `log_milestone` with a short message, at most 5 for each task.
7. **At the end of the task**: call `complete_task` with a truthful status (`success`, `partial_success`, `failed`) \
and a structured outcome: a summary of two to four sentences, `achievements`, `limitations`, `next_steps`. Complete \
subtasks before the task they are part of.

Important:
- Log only decisions and problems of real value, never the obvious.
- `achievements` and `limitations` may be empty lists.
- The changed files are computed from git, committed or not. Do not list them; do not commit for Deedlog's sake.
- Read the `verification` that `complete_task` returns: `unexpected_files` lie outside the areas you declared. A \
person will be asked about them; say in your reply why they had to change.
- A workflow ends by itself when all its tasks have ended; `complete_workflow` says how it ended in your words.
- Repeating a call with the same arguments is safe for `complete_task` and `complete_workflow`. A mistaken entry is \
taken back with `ledger_undo`; nothing is erased.

To work on what is planned: `task_next` claims the most urgent task that is ready; nobody else gets it while the \
lease lasts (`task_heartbeat` extends it, `task_release` gives it back). Work on it between `session_start` and \
`session_end`, and pass the `epoch` you were given: if a call is refused because the epoch is over, stop, somebody \
else has the task. `task_create` plans what you will not do now.

To have others work: `worker_run` starts a supervised worker on a task, in a work tree of its own, and returns at \
once; start several for tasks that do not touch the same files. `worker_wait` waits, `session_log` shows what it \
prints, `worker_done` runs the checks and merges. What it cannot merge is left for a person. `memory_add` records \
what every worker should know.

To read: `task_list`, `session_list`, `task_tree` (the tasks of a workflow), `task_report` (one task), \
`task_changes`, `task_patch`, `review_list` (what waits for a person), `workflow_list`, `event_list`.

Tools named here that you do not see, and many more, are there all the same: `mcp_tools` describes them, `mcp_call` \
calls them.
"""

BRIEF = """\
Deedlog is this project's work ledger: it records what was done, why and by whom. Record your work with it: \
3 to 6 calls for each task, no more.

1. **Before you begin**: `ledger_search` shows what was done or decided already, `read_architecture` what holds. A \
request that is vague or decides on the architecture: `require_clarification`, and put its questions to the user.
2. **Once for your mission**: `start_workflow`; keep its `workflow_id`.
3. **Before you change anything for a task**: `start_task` with the `workflow_id`, a name, its precise goal and the \
`areas` you will touch (`auth`, `src/auth/**`). A part of a task has a `parent_task_id`.
4. **Meanwhile**: `log_decision` for an important decision, `log_issue` for a problem (`requires_human_review` if a \
person should look), at most 3 of each; `log_milestone` so that people can watch.
5. **At the end**: `complete_task` with a truthful status (`success`, `partial_success`, `failed`), a summary of two \
to four sentences, `achievements`, `limitations`, `next_steps`. Subtasks first. Say why files in its \
`unexpected_files` had to change.

Changed files are computed from git: do not list them, do not commit for Deedlog's sake. `ledger_undo` takes a \
mistaken entry back.

Planned work: `task_next` claims a task; work on it between `session_start` and `session_end` with the `epoch` you \
were given, and stop when a call is refused because the epoch is over. `task_create` plans what you will not do now. \
`worker_run`, `worker_wait` and `worker_done` have others work, `memory_add` tells them what they should know.

Tools named here that you do not see, and many more, are there all the same: `mcp_tools` describes them, `mcp_call` \
calls them. The prompt `guide_show` says all this in full.
"""
