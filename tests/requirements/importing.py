from tests.requirements.promise import said_in

REQUIREMENTS = (
    *said_in(
        "import",
        {
            "import:beads:issues": "deedlog import --from beads reads .beads/issues.jsonl with epics, dependencies, statuses, priorities, labels, comments and times.",
            "import:backlog:files": "deedlog import --from backlog reads a backlog folder: tasks, subtasks, drafts, completed and archived ones, decisions and documents.",
            "import:task-master:tags": "deedlog import --from task-master reads tasks.json with its tags, subtasks and dependencies, and the older file without tags.",
            "import:preflights:decisions": "deedlog import --from preflights makes the decision records below docs/adr memory entries; replaced ones are archived.",
            "import:status:derived": "What was done elsewhere has a past session with its result and times, so that the task's status follows from it.",
            "import:again:no-doubles": "Importing again stores nothing twice, even when two imports run at the same time.",
            "import:again:updates": "Importing again updates what changed there; what was changed here stays and is told.",
            "import:undo:whole": "One undo takes a whole import back.",
            "import:dry-run:nothing": "deedlog import --from TOOL --dry-run tells what would come and writes nothing.",
            "import:broken:nothing": "A broken file is refused with its place named, and nothing of it is stored.",
            "import:hostile:told": "Circles, unknown references, double ids, control characters and links in foreign files do no harm and are told.",
            "import:many": "Ten thousand tasks come in with one import.",
        },
    ),
)
