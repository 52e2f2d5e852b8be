from tests.requirements.promise import said_in

REQUIREMENTS = (
    # 002: clarification and decision records
    *said_in(
        "002 §2",
        {
            "clarify:files:paths": "ADRs, the current task, the architecture state and archived tasks are written under docs/ at the document's paths.",
            "clarify:uid:format": "A UID has the form YYYYMMDDTHHMMSS.mmmZ-XXXX and is the only identity; the slug is decoration.",
            "clarify:files:immutable": "ADRs and archived tasks are never overwritten; an amendment is a new file.",
            "clarify:files:archive": "A new current task archives the one before, hand-written ones included.",
            "clarify:projection:part-1": "ARCHITECTURE_STATE.md holds the snapshot only and can be deleted and made again.",
            "clarify:adr:amended": "A change of a decision is a new ADR that says what was, names the ADR before it and carries the rest over.",
            "clarify:adr:parts": "An ADR has PART 1: ARCHITECTURE SNAPSHOT before PART 2: DECISION DETAILS, with the sections of both.",
        },
    ),
    *said_in(
        "002 §4",
        {
            "clarify:read:architecture": "read_architecture returns the uid, categories and source file, or a null uid and no categories.",
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "clarify:projection:fold": "The architecture state is the fold of all ADRs in UID order, made again when missing or stale.",
            "clarify:projection:conflicts": "Fields that two branches set differently are listed as conflicts.",
            "clarify:uid:increasing": "UIDs strictly increase per repository; a clash is retried, across processes and clones.",
        },
    ),
    *said_in(
        "002 §5–8",
        {
            "clarify:repo:inside": "Nothing is written outside the repository, through symlinks or over files that are not ours.",
        },
    ),
    *said_in(
        "002 §5",
        {
            "clarify:error:snapshot": "A snapshot that dropped what the one before had is refused as VALIDATION_FAILED with missing_keys.",
        },
    ),
    *said_in(
        "DESIGN §4, §6",
        {
            "clarify:adr:foreign": "ADRs of Preflights, MADR 2 to 4, Nygard and others that are there already are read as history.",
            "clarify:adr:verified": "`adr verify` tells each ADR that is not as git committed or Deedlog wrote it, or that does not fit the others, and fails then.",
            "clarify:files:no-walking": "A repository with 60,000 ignored files costs records no more than one with none.",
            "clarify:files:races": "Two hundred rounds of two processes and forty sessions at once lose no decision.",
            "clarify:files:read-only": "Records that cannot be written are read all the same, and a refused write changes nothing.",
            "clarify:repo:trees": "Work trees, submodules and repositories below hidden folders have records of their own; UIDs go on over all work trees.",
            "resource:adr": "project://architecture and adr://{uid} are resources that can be listed, completed and subscribed to.",
        },
    ),
    *said_in(
        "002 §3",
        {
            "clarify:gate:deterministic": "The same request, repository and answers give the same verdict, with the reasons.",
            "clarify:gate:languages": "Requests in English, French and Japanese are understood; whole words, negation and direction count.",
        },
    ),
    *said_in(
        "002 §3",
        {
            "clarify:gate:figures": "On the labelled requests the gate reaches the promised figures for ADRs and questions.",
            "clarify:gate:extend": "A project adds technologies, areas and questions in .deedlog/clarify.toml; a wrong file is refused, naming the place.",
        },
    ),
    *said_in(
        "002 §6",
        {
            "clarify:repo:discovery": "The repository is found upwards from the folder, worktrees and submodules included, or REPO_NOT_FOUND.",
            "clarify:repo:path": "repo_path names another project by any path in it: its own store and settings are used; empty is the server's own.",
            "clarify:repo:served": "`deedlog serve` follows repo_path only inside its own repository and its work trees.",
        },
    ),
    *said_in(
        "002 §8",
        {
            "clarify:llm:default-off": "Without a configured provider no network is used.",
            "clarify:llm:fallback": "When the language model fails after two retries the deterministic gate goes on with the warning llm_fallback.",
            "clarify:llm:structured": "A model is asked for a structure, and its reply is checked field by field, placeholders and unknown names dropped.",
            "clarify:llm:retries": "An attempt ends after 15 seconds; what may pass is tried twice more with growing pauses, what will not is asked once.",
            "clarify:llm:sent": "Only the request, its context and names are sent, never paths or what files hold.",
            "clarify:llm:redaction": "Keys, tokens, passwords, private keys and e-mail addresses are taken out before anything is sent.",
            "clarify:llm:key": "The provider's own key goes to its own address only, is never shown, and what is missing is said without asking.",
            "clarify:llm:proxy": "The proxies of the environment are used, except for this machine.",
            "clarify:llm:doctor": "`deedlog doctor` tells which language model is configured and what it lacks.",
        },
    ),
    *said_in(
        "002 §3",
        {
            "clarify:facts:manifests": "What a repository uses is read from its manifests, lock files, containers and pipelines; a broken one says nothing.",
            "clarify:facts:tracked": "Only what git tracks counts, and manifests at the root; ignored files cost nothing.",
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "clarify:adr:precedence": "The first matching rule decides on an ADR: asked for; structural change; fix, refactor, config, docs or tests; first decision of a category; none.",
        },
    ),
    *said_in(
        "DESIGN §4",
        {
            "clarify:files:all-or-nothing": "A kill at any step of writing several files leaves all or nothing after recovery."
        },
    ),
    *said_in(
        "DESIGN §6",
        {"text:markdown:single-line": "Text of users and agents cannot forge structure in the Markdown files."},
    ),
    # 5.5: decisions joined with tasks, memory and workers
    *said_in(
        "DESIGN §1",
        {
            "clarify:joined:flow": "A decision logged on a task is promoted to an ADR by a command, told to later tasks and workers, and contradictions of it are told over MCP.",
            "clarify:joined:never-in-the-way": "Damaged records are told as a warning: a decision is logged and a task completed all the same.",
            "clarify:joined:contradiction": "log_decision and complete_task warn when a choice or an added package is not what an ADR decided, naming the ADR.",
            "clarify:joined:merged": "Workers that each wrote an ADR are both merged: the architecture is made anew, the worker's current task archived.",
            "clarify:joined:history": "What accepted ADRs of other tools chose is evidence: it is not asked again.",
            "clarify:joined:beside": "Only alternatives supersede or contradict a decision; what is used beside it shares its field.",
            "clarify:joined:candidate": "A logged decision of kind architecture or library_choice that hits a trigger is a candidate: log_decision and complete_task say so; no ADR is written by itself.",
            "clarify:joined:list": "decision_list is one list of ADRs and logged decisions, newest first, with candidates and what superseded what.",
            "clarify:joined:promote-crash": "A promotion killed at any moment is whole or not there, and the next call finishes it.",
            "clarify:joined:promote": "adr_promote writes a logged decision as an ADR: question, options, choice, reasoning and trade-offs are its sections; repeated, it returns the same ADR.",
            "memory:adr:told": "Workers and memory_preview are told the architecture, the current task and the ADRs of the tree they stand in.",
            "memory:adr:read-only": "An entry that follows from an ADR can only be changed by a new decision.",
            "memory:adr:derived": "Each ADR of the work tree is an entry of the memory bank that follows from its file: active while it holds, archived once superseded.",
            "clarify:joined:own-files": "Records that Deedlog writes during a task are listed apart; changing or deleting an ADR counts as the task's work.",
            "clarify:joined:scope": "A worker to whom neither the call, the task nor the agent gives a write scope follows docs/CURRENT_TASK.md.",
            "clarify:joined:areas": "Without areas of its own a task started by start_task has those that docs/CURRENT_TASK.md allows, without what it forbids, and says so.",
        },
    ),
    *said_in(
        "002 CLI",
        {
            "clarify:prompt:cli-only": "AGENT_PROMPT.md is written by the CLI only.",
            "clarify:cli:golden-path": "`deedlog clarify` runs the whole conversation, with answer, status, resume and reset, and shares sessions with MCP.",
            "clarify:cli:keys": "At a terminal Enter takes what is recommended, a number or a text answers, s skips, b goes back, ? tells why; a refused answer is asked for again.",
            "clarify:cli:interrupted": "Ctrl-C and Ctrl-D keep the session and its answers, write nothing and say how to go on; the same request again goes on where it was left.",
            "clarify:cli:non-interactive": "Without a terminal the questions are printed with the command that answers them.",
            "clarify:cli:json": "--json prints the operation's answer; answers come from the command line, from a file of JSON or lines, and from standard input.",
            "clarify:cli:dry-run": "--dry-run shows the files as a diff and leaves no trace, neither in files nor in the ledger.",
            "clarify:cli:explain": "--explain shows the rules and underlines the words that counted, and records nothing.",
            "clarify:cli:confirmed": "At a terminal an answer is checked when it is typed, a value of one's own is confirmed, and what will be decided is shown before an ADR is written; --yes does not ask.",
            "clarify:cli:why": "? tells the words that made the gate ask, what the options mean, and what a skip does.",
            "clarify:cli:adr-options": "--force-adr writes an ADR, --no-adr none and says in the task that one was due.",
            "clarify:cli:refusals": "A refused answer keeps the session; refusals have the CLI's exit codes and name the document's code.",
            "clarify:cli:reset": "`clarify reset` gives up one clarification or all of this work tree.",
            "clarify:cli:completion": "Shells complete the commands, the open sessions, and their questions with options.",
            "clarify:cli:expired": "`clarify resume` begins the last expired one again with its request and context.",
            "clarify:session:shared": "A session begun over MCP goes on at the command line, and the other way round.",
            "clarify:preview:nothing-kept": "A preview shows verdict, reasons and questions, and keeps nothing.",
            "clarify:preview:same-rules": "A preview asks and plans what the conversation would.",
        },
    ),
    *said_in(
        "002 §3",
        {
            "clarify:questions:five": "A session asks at most five questions.",
            "clarify:questions:types": "single_choice, multi_choice (min_selections) and free_text (optional) questions have the document's shapes.",
            "clarify:questions:flat": "Clients get a flat list: conditional questions appear only when due, and the list is never empty.",
            "clarify:questions:other": '"Other (specify)" takes the client\'s own text in one step.',
            "clarify:questions:not-again": "What was said, decided or skipped is not asked again.",
            "clarify:questions:skip": "Every question can be skipped; what is assumed instead is written into the task.",
        },
    ),
    *said_in(
        "002 §4",
        {
            "clarify:require:needs-clarification": "require_clarification answers an open request with status, session_id, questions and progress.",
            "clarify:require:completed": "A completed request lists its artifacts in the order adr, task, projection, and a summary.",
            "clarify:require:first-call": "A clear request completes in the first call.",
            "clarify:require:answers": "Answers are validated (id, option, type, length) and a bad one keeps the session alive as INVALID_ANSWER.",
            "clarify:require:repeat": "A repeated final call returns the same artifacts.",
            "clarify:require:null": "Every optional input may be null, which is as good as absent.",
            "clarify:options:framework": "Nothing is offered that is made for another framework than the repository's.",
            "clarify:require:later": "Context, preferences and proposal of a later call count: the later wish, the later proposal first.",
            "clarify:answer:never-lost": "An answer in words that decides nothing is told in the task, and in the ADR where there is one.",
            "clarify:require:force-adr": "preferences.force_adr gives an ADR.",
            "clarify:require:limits": "A request or context of more than 8,000 characters, or answers of more than 16,000, are refused and nothing happens.",
            "clarify:require:context": "optional_context is recorded as context and changes neither the title nor what the request decides.",
            "clarify:require:proposal": "A proposal of the calling agent fills the second part of the ADR and can add a trigger, never take one away.",
            "clarify:adr:no-technology": "An ADR that chooses no technology records the request itself, under a field of its own.",
            "clarify:files:allowlist": "The task names the folders of the areas it is about, where the repository has them, and what must not be touched.",
            "clarify:form:one-call": "A client that supports elicitation is shown the questions as a form, and one call is enough.",
            "clarify:form:content-counts": "A form that is accepted with content counts, however fast; its fields have no defaults.",
            "clarify:form:never-an-answer": "A form that was declined, cancelled or sent back empty is no answer: the questions are returned.",
            "clarify:undo:files-stay": "A clarification that wrote files is not undone; one that only asked is.",
        },
    ),
    *said_in(
        "002 §5–8",
        {
            "clarify:error:codes": "Each error code of the document is given in its case, with details and recovery_hint.",
            "clarify:error:expired": "An expired session is told apart from an unknown one.",
            "clarify:example:typo": '"Fix typo in login button" gives a current task and no ADR.',
            "clarify:example:authentication": '"Add authentication" asks for strategy and library, then writes ADR, task and architecture state.',
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "error:002:shape": 'A refused tool of 002 answers {status: "error", error: {code, message, details, recovery_hint}}.',
            "clarify:answers:non-answers": "Who leaves a choice to others skips it; no idea, single letters, negations and two at once are INVALID_ANSWER with what to do instead.",
            "clarify:gate:own-file": "A fault in clarify.toml is refused with file, line and key; `deedlog doctor` finds it too.",
            "clarify:reasons:by-option": "A reason belongs to an option: what is recommended has its own, with what the repository has; none is made up.",
            "clarify:joined:promote-supersedes": "A promotion tells whose place it takes, and sets the field that log_decision announced.",
            "clarify:adr:edited": "Whoever reads the architecture or clarifies is told of ADRs that were edited after they were written.",
            "clarify:adr:removed": "What a request replaces or drops no longer holds: another value takes its field, or the ADR takes the field out.",
            "clarify:adr:nothing-decided": "Where everything was left open there is no ADR, and the same request again, for the same task, does not ask it again.",
            "clarify:adr:why": "An ADR tells in the words of the request and of the answers why, what was offered instead, and what follows.",
            "clarify:one-field": "A technology has one field of the architecture, however it arrives.",
            "clarify:questions:beyond": "What could not be asked within five questions is listed as still open, in the task and in the answer.",
            "clarify:files:taken-away": "What a dead call wrote counts only while its files are there as they were written; what the ledger surely has not is taken back.",
            "clarify:files:left-out": "Nothing is decided beside ADRs that git keeps out of the work tree; readers are told of them.",
            "clarify:uid:planted": "A UID that is no moment, or more than a day in the future, gives no later UIDs: an ADR with one stops writers, by its name, until it is gone.",
            "clarify:race:judged-again": "What was judged before somebody else decided on the same is judged again: what holds already makes a task, no ADR.",
            "clarify:files:prompt-stale": "A generated prompt for a task that is replaced is removed with it; adr_verify tells of one that was changed.",
            "clarify:nothing-to-do": "Noise, questions about the project and languages that are not read never become the task as they stand: what should change is asked, and what is known is told.",
            "clarify:session:sliding": "A session lives in the store for 30 idle minutes, across restarts and faces.",
        },
    ),
    *said_in(
        "DESIGN §4",
        {
            "clarify:race:nothing-lost": "Forty racing sessions in several processes on one repository lose nothing.",
            "clarify:race:one-result": "Calls that complete one session at once have one result.",
            "clarify:killed:nothing-lost": "What a killed call had written to files is committed by the next one, or found by the same one again.",
        },
    ),
)
