"""The orchestrator: introspection, resources, modules. A group per module; `later` goes when all of it is proved."""

from tests.requirements.promise import said_in

REQUIREMENTS = (
    *said_in(
        "001 introspection",
        {
            "watch:tools-list:example": "tools/list is answered without initialize, as in the document's example, and has mcp_* and resources_* while they are on.",
        },
    ),
    *said_in(
        "001 introspection",
        {
            "watch:mcp-info:shape": "mcp_info returns server, transports, features, timings, safety and limits, true to the running configuration.",
            "watch:mcp-info:transports": "mcp_info tells stdio and HTTP apart; host, port and path are null where HTTP is not served.",
            "watch:mcp-info:features": "mcp_info lists the document's 24 toggles by their names, each true exactly while its capability is on.",
            "watch:mcp-info:strict": "mcp_info and mcp_capabilities refuse any argument.",
            "watch:mcp-capabilities:shape": "mcp_capabilities returns namespaces, schemas and limits, one namespace per capability that is on.",
            "watch:tools-list:short": "tools/list has at most 12,000 characters by default; what it leaves out is described by mcp_tools and called by name or mcp_call.",
            "watch:mcp-call:forwards": "mcp_call gives the other tool's answer, refusal, progress and end; it needs the token over HTTP where that one does.",
            "watch:answer:structured": "An answer is structuredContent, the bare result, and the same as text.",
        },
    ),
    *said_in(
        "001 resources",
        {
            "watch:resources-list:metadata": "Listed resources tell latest_version, state and base_version, event_count and latest_seq, or entry_count, as their kind has them.",
            "watch:resources-list:cursor": "More than 500 resources are reached by a cursor.",
            "watch:resources-read:kinds": "resources_read returns graphs, graph versions, run events, child logs, snapshots and blackboard namespaces in the document's shapes.",
            "watch:resources-read:run-events": "A run event has seq, ts, kind, level, jobId, childId and payload, and the run, operation, graph and node it belongs to.",
            "watch:resources-read:child-logs": "A child's log entry has seq counted from 1 for each child, ts, stream and message.",
            "watch:resources-watch:complete": "A watcher that follows next_seq reads every event once and in order while other processes append.",
            "watch:limits:500": "A limit that is not a whole number from 1 to 500 is refused.",
            "watch:resources-watch:live": "A running workflow is followed from another process, event by event, until the answer says that it is over.",
            "watch:resources-watch:sse": "resources_watch also gives its events as ready-made frames of server-sent events.",
            "watch:resources-list:items": "resources_list returns uri, kind and metadata sorted by uri, narrowed by prefix and limit.",
            "watch:resources-read:unknown": "An unknown URI is refused as E-RES-NOT_FOUND.",
            "watch:resources-read:graph": "A graph is read as name, graphId, graphVersion, nodes, edges and metadata; a version that was once committed stays readable.",
            "watch:resources-watch:kinds": "Run events and child logs can be watched; what cannot is refused as E-RES-UNSUPPORTED.",
            "watch:example:json-rpc": "The document's JSON-RPC examples are answered as written.",
            "watch:resources-watch:ordered": "resources_watch returns events in order of seq after from_seq; next_seq is the last returned, else the larger of from_seq and the last; the document's loop ends.",
        },
    ),
    *said_in(
        "001 modules: flags",
        {
            "capability:flags:all": "Every flag of the document's table switches its tools on and off.",
            "capability:flags:eleven": "The eleven toggles that the document only names (enableBT, enableBlackboard …) are flags too.",
            "capability:off:codes": "A tool of a module that is off is not listed, and refused with that module's code and a hint that names the flag.",
        },
    ),
    *said_in(
        "001 modules: flags",
        {
            "capability:run-time:list-changed": "Switching a capability at run time sends tools/list_changed.",
            "capability:run-time:operator": "What the configuration switches by name no call switches; the refusal says what decides.",
            "capability:run-time:shared": "A capability that a call switches is switched for every process of the project on this machine, also for those that start later.",
            "capability:switch:own-name": "Every capability has a flag, a variable and a key of its own.",
        },
    ),
    *said_in(
        "001 modules: events bus",
        {
            "events-bus:subscribe:filters": "events_subscribe filters by category, level, run, job, child, op, graph and node, as JSON Lines or SSE frames.",
            "events-bus:subscribe:shape": "An event has seq, ts, cat, kind, level, job_id, run_id, op_id, graph_id, node_id, child_id, msg and data; the answer next_seq and count.",
            "events-bus:subscribe:exclusive": "from_seq is exclusive, limit is 1 to 500, and an unknown category or level is refused as E-EVT-INVALID.",
            "events-bus:subscribe:advances": "next_seq goes past events that were filtered out; the loop gets every event that matches once.",
            "events-bus:correlated": "What a long operation does is told by events that carry its op_id and run_id.",
            "events-bus:logs-tail": "logs_tail returns the log of the server, a run or a child from a seq on.",
        },
    ),
    *said_in(
        "001 modules: cancellation",
        {
            "cancellation:op-cancel": "op_cancel stops an operation co-operatively and says whether it was requested or already cancelled.",
            "cancellation:long-operations": "Each long operation returns its op_id, and run_id where there is one, and can be cancelled by it.",
            "cancellation:unknown": "An unknown operation or run is refused as E-CANCEL-NOTFOUND or E-PLAN-NOT-FOUND; an ended one is left as it is.",
            "cancellation:plan-cancel": "plan_cancel cascades to all operations of a run and leaves nothing behind.",
            "cancellation:any-moment": "Cancelled at any moment of a run, no process, work tree or unmerged half remains.",
        },
    ),
    *said_in(
        "001 modules: graphs",
        {
            "graph:workflow:tasks": "The graph of a workflow is its tasks and what they depend on; a change of the graph changes the tasks, and the other way round.",
            "graph:free-standing": "A graph of its own is made from nodes and edges, from text lines `id: label -> dep` or from a preset.",
            "graph:versions": "Every change of a graph is a new version, and every version can be read again.",
            "graph:operations": "add_node, remove_node, rename_node, add_edge, remove_edge, set_node_attribute, set_edge_attribute and patch_metadata change a graph; null deletes an attribute.",
            "graph:rewrite": "The rewrites split_parallel, inline_subgraph and reroute_avoid change a graph, and change nothing when done again.",
            "graph:validate": "graph_validate tells whether a graph is sound and keeps the rules of its metadata.",
        },
    ),
    *said_in(
        "001 modules: transactions",
        {
            "tx:commit": "tx_begin, tx_apply and tx_commit change a graph at once and give it a new version; a commit without change keeps it.",
            "tx:conflict": "A transaction whose base version moved is refused as E-TX-CONFLICT, an expired one as E-TX-EXPIRED.",
            "tx:rollback": "tx_rollback leaves the graph as it was.",
            "tx:rollback:twice": "A transaction that ended cannot be applied, committed or rolled back again; an unknown one is E-TX-NOTFOUND, a bad change E-TX-INVALIDOP.",
            "tx:snapshot": "sc://snapshots/<graph>/<tx> shows a transaction as pending, committed or rolled_back with base and final graph.",
            "tx:begin": "tx_begin answers tx_id, base_version, started_at, owner, note, expires_at and the graph; an inline graph never overwrites what is committed.",
            "tx:apply": "tx_apply changes only the transaction and answers preview_version, the diff as RFC 6902, its summary and the graph.",
            "tx:race": "Of transactions that several processes commit on one version, one wins and the others are conflicts; nothing is half applied.",
            "tx:killed": "A process that is killed at any moment of a transaction leaves the graph wholly changed or not at all.",
        },
    ),
    *said_in(
        "001 modules: bulk",
        {
            "bulk:all-or-nothing": "A batch applies wholly or not at all; E-BULK-PARTIAL names each failure by index.",
            "bulk:blackboard": "bb_batch_set writes up to 100 entries at once or none.",
            "bulk:marks": "stig_batch marks up to 200 nodes at once or none.",
            "bulk:graph": "graph_batch_mutate applies up to 200 operations as one version and answers base_version, committed_version and what was applied.",
            "bulk:children": "child_batch_create starts up to 16 children; when one fails, those already started are stopped.",
        },
    ),
    *said_in(
        "001 modules: idempotency",
        {
            "idempotency:replay": "A creating tool called again with its idempotency_key gives the first result marked idempotent, also when both run at once.",
            "idempotency:other-parameters": "The same key with other parameters is refused.",
        },
    ),
    *said_in(
        "001 modules: idempotency",
        {
            "idempotency:echoed": "The answer to a call with an idempotency_key carries it, and idempotent: false the first time.",
            "idempotency:off": "With the module off an idempotency_key among the arguments is refused.",
        },
    ),
    *said_in(
        "001 modules: locks",
        {
            "locks:holder": "graph_lock gives one holder the graph, re-entry refreshes, expiry frees, and every other writer is refused.",
            "locks:unlock": "graph_unlock frees the graph and says when, and whether the lock had expired; an unknown lock is E-LOCK-NOTFOUND.",
            "locks:every-writer": "While a graph is held, tools of every family that would change its shape are refused to others, whichever process they come from.",
            "locks:race": "Of two that lock a graph at once, one gets it.",
        },
    ),
    *said_in(
        "001 modules: diff and patch",
        {
            "diff-patch:identity": "graph_patch of graph_diff turns the first graph into the second.",
            "diff-patch:selectors": "graph_diff compares the latest version, a version by number or a graph given inline, and summarises what changed.",
            "diff-patch:invariants": "A patch that breaks an invariant (cycle, degree, labels, ports) is refused by its code.",
            "diff-patch:base-version": "A patch onto a base_version that moved is refused, and nothing changes.",
        },
    ),
    *said_in(
        "001 modules: plans",
        {
            "plan:dry-run": "plan_dry_run shows what would run and what the values say, and starts nothing.",
            "plan:dry-run:rewrite": "plan_dry_run previews rewrites of the graph without changing it.",
            "plan:fan-out": "plan_fanout, plan_join and plan_reduce start, gather (all, first, quorum) and combine.",
            "plan:fan-out:template": "plan_fanout takes a count or a list of children and puts their variables into {{var}} of the prompt.",
            "plan:join:quorum": "plan_join waits for all, the first success or a quorum, and says who succeeded, failed or is still running.",
            "plan:reduce": "plan_reduce combines outputs by concat, merge_json or vote.",
            "plan:bt:agrees": "The run of a tree ends as the tree itself would, whatever its tasks come to, and runs nothing that the tree would not run.",
            "plan:fan-out:unknown-variable": "A variable that a template or an input names and nobody gave is refused by its name.",
            "plan:bt:compile": "plan_compile_bt turns a hierarchical graph into a tree in topological order.",
            "plan:bt:run": "plan_run_bt runs sequence, selector, parallel, retry, timeout, guard, cancellable and task nodes and answers status, ticks and outputs.",
            "plan:reactive": "plan_run_reactive runs in rounds in which what waits longest comes first, and can be paused.",
            "plan:run": "plan_run executes a workflow's ready tasks respecting dependencies, parallelism, retries and timeouts.",
            "plan:run:merged": "What the tasks of a run changed is merged as their definition of done says; a later task finds it.",
            "plan:lifecycle": "plan_status, plan_pause and plan_resume follow and hold a run; pausing a paused run changes nothing.",
            "plan:lifecycle:refusals": "An unknown run is E-PLAN-NOT-FOUND, one that ended cannot be paused or resumed (E-PLAN-COMPLETED).",
        },
    ),
    *said_in(
        "001 modules: plans",
        {
            "plan:run:retries": "A task that fails is tried again up to retries times with growing pauses; then what depends on it is skipped and the run failed.",
            "plan:run:values": "Where values are on, a task whose impacts they refuse does not start, and the run says why.",
            "plan:run:others": "A task that is done already is not run again; one that somebody else works on is waited for.",
            "plan:lifecycle:snapshot": "A run is told as run_id, op_id, mode, state, progress 0 to 100, last_event_seq, its times, supports_pause, supports_resume and failure.",
            "plan:durable": "A run whose driver is killed is taken over without running a finished task twice.",
            "plan:durable:two-hundred": "200 tasks in a random graph with 8 workers run to one result each, in order and without orphans, though the driver is killed 20 times.",
        },
        later=6,
    ),
    *said_in(
        "001 modules: children",
        {
            "child:fine": "child_spawn, child_attach, child_set_role, child_set_limits and child_send act on worker sessions.",
            "child:spawn": "child_spawn starts a worker for a prompt with role, limits and sandbox profile, and answers child_id, status, workdir and log_uri.",
            "child:stream": "child_stream and child_collect give what a child printed, from a sequence on.",
            "child:cancel": "child_cancel asks a child to end, child_kill ends it with all its processes, child_gc clears what ended children left.",
            "child:limits": "A child that exceeds its wall clock limit is stopped and says so.",
            "child:messages": "What child_send says is recorded first, reaches the child in order and once, and what did not reach it is told.",
            "child:limits:running": "Limits that are changed hold for a child that runs; those that nothing enforces are named.",
            "child:variables": "A strict child finds only the variables it was given; what is in them is in no log.",
            "child:unknown": "An unknown child is refused as E-CHILD-NOTFOUND, one that ended cannot be sent to.",
        },
    ),
    *said_in(
        "001 modules: coordination",
        {
            "stigmergy:order": "Of two ready tasks with the same priority a run starts the one that is marked more.",
            "cnp:award": "cnp_announce awards a task to the lowest effective cost among bids, and the awarded agent becomes its assignee.",
            "cnp:states": "An announced task is open while bids are gathered, awarded, and completed once it is done; without bids it is refused as E-CNP-NO-BIDS.",
            "blackboard:entries": "bb_set, bb_get, bb_query and bb_watch keep versioned entries with tags and expiry.",
            "blackboard:namespace": "The namespace of a key is its part before the first `:`, `/` or `|`, and sc://blackboard/<namespace> shows its entries.",
            "blackboard:watch": "bb_watch tells of every change after start_version, expiry included, in order.",
            "blackboard:expected-version": "With expected_version an entry is set only if nobody was faster: of many that expect none, one sets it.",
            "blackboard:expiry": "An entry is gone for everybody the moment it expires, and is then removed from the store.",
            "stigmergy:fade": "Marks add up to a bound, fade by their half-life, and stig_snapshot shows points, totals and a heatmap.",
            "consensus:vote": "consensus_vote decides by majority, quorum or weight, with ties left open, to the first or to a preferred value.",
            "supervisor:stall": "A worker that says nothing for longer than it may is stopped and its task tried again.",
        },
    ),
    *said_in(
        "001 modules: coordination",
        {
            "autoscaler:backlog": "agent_autoscale_set bounds how many workers a run starts; the number follows the backlog and does not thrash.",
        },
        later=6,
    ),
    *said_in(
        "001 modules: values and knowledge",
        {
            "values:explain": "values_score, values_filter and values_explain judge a plan and say why; a critical violation blocks it.",
            "assist:suggest-plan": "kg_suggest_plan offers fragments from finished work with their reasons, or none with a reason.",
            "values:set": "values_set keeps 1 to 128 values with weight and tolerance and how they support or oppose each other.",
            "values:score": "Risk and support are carried along relations; a residual over its tolerance or an unknown value is a violation, and the score the weighted mean.",
            "knowledge:facts": "kg_insert, kg_query with wildcards and kg_export keep facts with source and confidence; the same fact is kept once.",
            "knowledge:fed": "Finished workflows are known as plans without anybody inserting them.",
            "knowledge:fed:records": "Decisions, ADRs and active memories are known as facts with their own source.",
            "assist:suggest-plan:sources": "kg_suggest_plan prefers the named sources, leaves out excluded tasks and tells what is covered and what is missing.",
            "assist:causal": "causal_explain says what led to an outcome, from the event log.",
            "assist:causal:checkable": "Every step of an explanation names the event and the operation it rests on; asked again, it is the same.",
            "assist:causal:touched": "An explanation of a task tells which files it touched, on what it depended, and which issues and decisions came before.",
        },
    ),
    *said_in(
        "001 scenarios",
        {
            "scenario:hierarchical-plan": "A hierarchical plan is compiled, run, followed, paused, resumed and cancelled, and its logs read, over MCP.",
            "scenario:backlog": "A backlog is worked off with marks, an autoscaler and a supervisor, over MCP.",
            "scenario:contract-net": "A task is announced, awarded, done by three, joined with a quorum of two and reduced by vote, over MCP.",
            "scenario:values": "A dry run is refused by the values, another fragment suggested, its rewrite previewed and run, over MCP.",
            "scenario:transaction": "A transaction is applied, compared, patched and committed, and its version read as a resource, over MCP.",
        },
    ),
    *said_in(
        "001 scenarios",
        {
            "scenario:guide": "What the guide to orchestration tells a newcomer to type works as it is written there.",
        },
        later=6,
    ),
    *said_in(
        "DESIGN §2",
        {
            "error:001:shape": 'A refused tool of 001 answers {ok: false, code: "E-…", message, hint}.',
            "style:001:epoch": "Tools of 001 take snake_case and give times in epoch milliseconds.",
            "watch:resources-watch:wait": "wait_ms holds the answer until something happens, also from another process.",
            "watch:resources-watch:gap": "A marker says when retention cut events away.",
            "watch:resources:native": "All sc:// resources are also native MCP resources with templates, subscriptions and updates.",
            "style:001:either-spelling": "Tools of 001 take camelCase too, and null for an optional argument equals absent.",
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "error:001:brief": "A refusal's message of 001 has at most 120 characters.",
            "capability:default:sets": "Tracking, tasks, clarify, the ledger, graphs, plans, introspection and resources are on by default, the document's other modules off.",
        },
        later=6,
    ),
)
