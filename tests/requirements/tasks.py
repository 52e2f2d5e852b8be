from tests.requirements.promise import said_in

REQUIREMENTS = (
    # 004: tasks, workers, sessions, agents, memory
    *said_in(
        "004 tasks",
        {
            "task:list:filters": "task_list returns id, title, status, priority and assignee, filtered by status and assignee, 20 by default.",
            "task:get:details": "task_get returns one task in full.",
            "task:create:defaults": "task_create needs a title; priority is medium and type is task unless given; enums are checked.",
            "task:update:fields": "task_update changes title, description, priority, assignee and labels (comma-separated or a list), and nothing else.",
            "task:one-model": "task_list shows tasks of start_task and of task_create alike.",
            "task:next:order": "task_next hands out the most urgent task whose dependencies are done, the oldest of these first.",
            "task:next:lease": "A claimed task is handed out again when its lease is over, and not before.",
            "task:next:fenced": "What somebody says under a claim that is not the current one is refused.",
            "task:next:assignee": "task_next can be asked for an assignee's tasks; those of people go to nobody else.",
            "task:next:once": "However many agents ask at once, no task is handed out twice and none is lost.",
            "task:cost:flat": "What an operation on one task costs does not grow with the number of tasks in the store.",
            "task:depend:cycle": "A dependency that would close a cycle is refused, naming the way.",
        },
    ),
    *said_in(
        "004 workers",
        {
            "worker:command:answer": "worker_command returns command, client, worktree, sessionId, agent and the task with its branch.",
            "worker:command:prepares": "worker_command makes session, branch and worktree, applies the scope and exports active memory.",
            "worker:command:defaults": "The agent comes from the call, the task or is coder; the client from the call or the agent.",
            "worker:command:auto": "auto adds the client's approval flags; without it there are none.",
            "worker:run:supervised": "worker_run runs the worker with log, timeout, stop and recorded exit, and outlives the server that started it.",
            "worker:queue": "Above max_workers workers are queued and start in their order, each when another has ended.",
            "worker:group": "Attempts at one task run side by side in a group; one is selected and merged, the others are named.",
            "worker:stop:group": "worker_stop ends every process of a worker, also those that do not listen.",
            "worker:budget:stops": "A worker that used up its budget is stopped and waits for a person; usage is summed up per task.",
            "worker:same-store": "A worker reaches the store of its project through its supervisor, and nothing of Deedlog's there counts as its work.",
            "worker:report:own": "Inside its sandbox a worker reports on its own task, by the command and over MCP; it is recorded under its own actor.",
            "worker:report:only": "A worker can name no other task or session, nothing else is called through its socket, and no second store is made.",
            "worker:report:hostile": "Whatever a worker sends, its supervisor goes on, stops it in time and takes the socket away with it.",
            "worker:report:answer": "A worker asks a person and reads the answer while it runs.",
            "worker:crash:settled": "After a crash no session stays running, no process is orphaned and no work is lost.",
            "worker:merge:whole": "A merge brings all of it or changes nothing; conflicts and local changes in the way are named.",
            "worker:tree:own": "No branch or folder that exists is taken over, and a killed call leaves no half-made work tree.",
            "worker:scope:exclude": "Excluded files are absent from the worktree.",
            "worker:scope:violations": "Changes outside the write scope are reported with path and reason.",
            "worker:scope:enforced": "Where the system allows it, a worker cannot change what is outside its write scope, the project or other branches; what was in force is said.",
            "worker:usage": "Tokens and cost that a client prints as JSON are recorded while it works.",
            "worker:done:left-by-checks": "Files that checks make or change in a work tree are told and never merged as the worker's.",
            "worker:done:kept": "Work that is nowhere else is removed only by force, and what was removed comes back with worker_restore.",
            "worker:example:parallel": "The document's three parallel tasks run, each in its own worktree.",
        },
    ),
    *said_in(
        "004 sessions",
        {
            "session:start:answer": "session_start returns sessionId and startedAt.",
            "session:end:records": "session_end records exitCode, signal, dodResult, artifacts and error.",
            "session:list:filters": "session_list filters by task and status.",
            "session:end:found": "What a session changed is found out when it ends, committed or not; what is told beside it is kept.",
            "session:end:merged": "A merge that is told but that git does not find is recorded with a warning.",
            "session:one-model": "session_end and complete_task end sessions of session_start and start_task alike.",
            "session:undo": "An undone session_start or session_end leaves the task, its reviews and those that wait for it as they were.",
            "session:recover:killed": "Whoever is killed while it starts or ends a session is followed by a call that does; nothing is left behind.",
            "session:log:follow": "session_log shows every line once, and with follow as they are printed until the session ended.",
            "session:compare": "session_compare holds the attempts at a task side by side and names the files that several changed.",
            "session:select": "session_select records the winner among the attempts at a task.",
            "scope:overlap": "Whether two scopes let the same file be written is decided exactly, with an example.",
        },
    ),
    *said_in(
        "004 agents",
        {
            "agent:list:definitions": "agent_list returns name, client, model and scope of every agent, the built-in ones included.",
            "agent:get:details": "agent_get returns one definition; an unknown agent is refused by its code.",
            "agent:authoring": "Agents can be created, edited and deleted; what could never work is refused by its place.",
            "agent:built-in:edit": "A built-in agent can be edited; deleting the edit brings the built-in one back.",
            "agent:command:words": "An agent's own command is an argument list; a word in braces that stands for nothing is refused.",
            "agent:history": "agent_history tells who changed a definition when, and which fields.",
            "agent:import": "agent_import reads what agent_export wrote or people did; what is no definition is refused by its place.",
        },
    ),
    *said_in(
        "004 memory",
        {
            "memory:list:filters": "memory_list returns id, category, title, summary and status, filtered by category and status.",
            "memory:add:entry": "memory_add adds an entry; without a status it is a draft, and says that drafts are not injected.",
            "memory:add:inside": "Ids and categories cannot leave the memory folder.",
            "memory:preview:format": "memory_preview gives the document's text of active entries only.",
            "memory:preview:labels": "The labels of memory_preview are English, or Japanese where that is asked for or configured.",
            "memory:preview:short": "memory_preview has at most ten summaries, and names the file of every active entry.",
            "memory:files:export": "Files below .deedlog/memory/ follow the entries that are active or drafts, with front matter.",
            "memory:files:warning": "Files that cannot be written are a warning; the entry is stored all the same.",
            "memory:example:conversation": "The document's conversation about the memory bank runs with every official client.",
            "memory:history": "memory_history tells who changed an entry when, and which fields.",
        },
    ),
    *said_in(
        "004 resources",
        {
            "resource:task": "task://{id} is the task as JSON without its sessions; an unknown or malformed id is refused.",
            "resource:project-memory": "project://memory is the text of memory_preview, as Markdown.",
            "resource:agent": "agent://{name} is the definition as YAML.",
            "resource:templates": "task://{id} and agent://{name} are listed as templates, completed and can be subscribed to.",
        },
    ),
    *said_in(
        "004 errors",
        {
            "error:004:codes": "Each error of the document has its code −32001 to −32008 with data, and its CLI exit code.",
        },
    ),
    *said_in(
        "004 errors",
        {
            "worker:done:checks": "A task is done when its checks passed and its result is merged; a conflict leaves everything in place.",
        },
    ),
    *said_in(
        "DESIGN §6",
        {
            "text:hostile:data": "Whatever a text of a task, session, agent or memory holds, it comes back as it was or is refused; nothing is run, and no file is made outside its folder.",
        },
    ),
    *said_in(
        "DESIGN §1",
        {
            "task:status:derived": "A task's status follows from its sessions and merges; only cancelled is set by hand.",
            "task:awaits:merge": "A task whose worker ended well says that its work waits to be merged.",
            "task:done:untracked": "A planned task that was done where nobody tracked it is recorded in one step.",
        },
    ),
    *said_in(
        "DESIGN §1",
        {
            "task:status:merged": "A fresh branch without commits is not merged; a squash merge is.",
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "task:id:whole": "A task or session number refuses 1.5, NaN and negative numbers.",
            "error:004:others": "Unexpected failures of 004 are −32603 and database failures −32009.",
            "style:004:camel": "Tools of 004 answer in camelCase.",
            "task:id:number": "Tools of 004 return a task's number.",
            "session:start:group": "A second running session of a task is refused with its own code unless both carry the same sessionGroupId.",
            "session:start:key": "session_start with the same idempotencyKey returns the first session; with other arguments it is refused.",
            "session:end:again": "session_end on an ended session adds details and never resets times.",
            "session:end:status": "A session's status follows from exitCode; 124 is a timeout and 137 a kill.",
            "worker:command:quoted": "No task text can end the quoting of the command that worker_command returns; prompts go by file or stdin.",
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "session:names": "The first worktree of a task is .deedlog/worktrees/task-5, later ones task-5-s124; the branch is task-<id>-s<session>.",
        },
    ),
)
