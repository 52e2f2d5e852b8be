from tests.requirements.promise import said_in

REQUIREMENTS = (
    # 000: workflows, built with the foundation
    *said_in(
        "000 §1",
        {
            "track:start-workflow:answer": "start_workflow takes name, description and plan and returns workflow_id and created_at.",
            "track:start-workflow:limits": "start_workflow refuses a missing, empty or over-long name and a plan step without step or goal.",
            "track:time:iso": "Times of 000 are ISO-8601 in UTC with Z.",
            "track:workflow:read": "A workflow is read back with everything recorded of it; an unknown one is named.",
            "track:workflow:list": "Workflows are listed newest first and filtered by status.",
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "track:complete-workflow:ends": "complete_workflow ends a workflow with status, summary and duration.",
            "track:complete-workflow:repeat": "The same end again returns the first result; another end is refused.",
        },
    ),
    # 000: the work tracker
    *said_in(
        "000 §6",
        {
            "track:scope:match": "scope_match holds when every changed file belongs to a declared area by whole words or globs, or none was declared.",
            "track:scope:unexpected": "Files outside the areas are unexpected_files, with a reason each and a warning that counts them and names the areas.",
            "track:scope:companions": "Manifests and lock files accompany a change without breaking scope_match.",
        },
    ),
    *said_in(
        "000 §2",
        {
            "track:start-task:answer": "start_task returns task_id, snapshot_id, snapshot_type and started_at.",
            "track:start-task:limits": "start_task refuses a missing goal, an empty or over-long name, an unknown workflow and an unknown parent.",
            "track:start-task:parent": "A task with parent_task_id is a subtask of the same workflow; a parent in another workflow is refused.",
            "track:start-task:reopens": "Starting a task in an ended workflow puts the workflow back in progress.",
            "track:snapshot:checksum": "Without git the snapshot is a checksum manifest that ignores what .gitignore would.",
            "track:snapshot:git": "In a git repository the snapshot is of type git and its id is the hash of HEAD, or the empty tree's before the first commit.",
            "track:snapshot:untouched": "Taking a snapshot leaves the user's index, refs, hooks and files as they were.",
        },
    ),
    *said_in(
        "000 §3–5",
        {
            "track:log-decision:recorded": "log_decision returns decision_id and created_at and is read back with options, reasoning and trade-offs.",
            "track:log-issue:recorded": "log_issue returns issue_id and created_at; requires_human_review defaults to false.",
            "track:log-milestone:recorded": "log_milestone returns milestone_id and created_at; progress is 0 to 100 and metadata is kept as given.",
            "track:enums:strict": "A category, type, status or tests_status outside its enum is refused with the nearest one.",
            "track:log:unknown-task": "Logging on an unknown task is refused and named.",
            "track:log:undone": "A mistaken log entry is undone.",
        },
    ),
    *said_in(
        "000 §6",
        {
            "track:complete-task:answer": "complete_task returns task_id, duration_seconds, files_changed (added, modified, deleted) and verification.",
            "track:complete-task:outcome": "outcome and metadata are recorded as given; summary is required and the lists may be empty.",
            "track:change:committed-and-not": "Committed and uncommitted work of the task is reported together, each file once.",
            "track:change:untracked": "A new file that git does not track yet is reported as added.",
            "track:change:paths": "Odd, non-ASCII and non-UTF-8 paths are reported as they are.",
            "track:change:shared": "Of two tasks in one tree each gets what changed while it ran alone; the rest is shared and says so.",
            "track:change:kept": "Line counts and the full patch of a finished task stay readable later, also after gc.",
            "track:change:checksum": "Without git the manifests of start and end are compared.",
            "track:change:dirty-before": "What was dirty, staged or untracked before the start and did not change since is not reported.",
            "track:change:net": "What was edited and put back, or added and removed again, is not reported.",
            "track:change:rename": "A rename is the old path deleted and the new one added.",
            "track:change:no-commit": "A repository without a commit, with a detached HEAD or a linked worktree is handled.",
            "track:change:history": "After reset, rebase, amend or a branch switch the report stays the net change of the task.",
            "track:change:arrived": "Files that only arrived by merge, pull or checkout are listed apart from the task's own work.",
            "track:change:hidden-commit": "A commit that the files on disk do not show is reported, whatever the index says of them.",
            "track:change:other-branch": "Work that was committed to another branch and left there is reported, and the branch is named.",
            "track:change:special": "Mode and symlink changes, submodules, nested repositories, filters and sparse checkouts are handled.",
            "track:change:random": "On random histories the report equals an independent byte-walk oracle.",
            "track:recover:killed": "A kill between or in start and complete leaves nothing behind in the repository, and the next call recovers.",
        },
    ),
    *said_in(
        "000 flow",
        {
            "track:flow:one-task": "The document's one-task flow gives the right files, duration, scope verdict and warnings.",
            "track:flow:subtasks": "The document's task-with-subtasks flow works.",
            "track:demo:worked-example": "`deedlog demo track` runs both flows in a scratch repository, reports what came out and leaves nothing behind.",
        },
    ),
    *said_in(
        "000 flow",
        {
            "track:prompt:teaches": "Instructions, prompt and `deedlog prompt` teach the protocol of the document, start_workflow included.",
            "track:tree:read": "Tasks are read as a tree with their decisions, issues and milestones.",
            "track:review:queue": "What needs a human (flags, scope warnings) is listed and can be marked as reviewed.",
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "track:budget:warns": "Over 3 decisions, 3 issues or 5 milestones per task the call succeeds and carries a warning.",
            "track:complete-task:in-progress-only": "complete_task is refused unless the task is in progress.",
            "track:complete-task:repeat": "The same completion again returns the first result; other arguments are refused.",
            "track:complete-task:open-subtasks-refused": "complete_task with open subtasks is refused and names them.",
            "track:workflow:ends-derived": "A workflow whose tasks have all ended has ended: failed if any failed.",
            "track:own-files:apart": "Deedlog's own files never count as changes or scope violations; they are listed apart.",
            "track:id:both-forms": 'Tools accept a task as 5 and as "task-5"; tools of 000 return the string.',
        },
    ),
)
