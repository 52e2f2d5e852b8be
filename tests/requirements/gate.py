from tests.requirements.promise import said_in

REQUIREMENTS = (
    # 003: the gateway
    *said_in(
        "003 steps 3–4",
        {
            "gate:discover:top-five": "mcp_discover returns at most five servers for an intent, best first, with readiness and reason.",
            "gate:discover:intents": "Every row of the document's intent table comes out right.",
            "gate:discover:languages": "Intents in English, French and Japanese are understood without a network.",
        },
    ),
    *said_in(
        "003 step 1",
        {
            "gate:catalogue:servers": "At least 60 servers are catalogued with description, category, core flag, launch and required keys.",
        },
    ),
    *said_in(
        "003 verification",
        {
            "gate:activate:rate-limit": 'The sixth successful activation of a principal within 60 seconds is refused with "Rate limit exceeded".',
        },
    ),
    *said_in(
        "003 verification",
        {
            "gate:verify:end-to-end": "The document's eight verifications pass against real servers, and a stand-in for the one that needs an account.",
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "gate:deactivate:core": "A core server is not deactivated; this is checked first.",
        },
    ),
    *said_in(
        "DESIGN §6",
        {
            "gate:secret:only-its-server": "A secret reaches only the server that needs it and never appears in events, logs, errors or the page.",
            "text:foreign:not-the-message": "Text of a foreign server is never an error's message verbatim.",
            "gate:pin:held": "A tool whose description or schema changed since it was agreed to is neither offered nor called.",
            "gate:pin:accepted": "A person sees what changed about a tool, before and after, and accepts exactly that.",
            "gate:suspicion:flagged": "Hidden orders, unseen characters and tools of other servers in a definition are flagged when a server is mounted.",
            "gate:suspicion:withheld": "A suspicious tool, prompt, resource or instruction reaches no model, from the first mount on, until a person accepts exactly that text.",
            "gate:suspicion:shadowing": "Talk about tools of other servers or of Deedlog is flagged in every form of their names, and so are names that pass for theirs.",
            "gate:approval:catalogue": "No server of the catalogue is run or reached before a person has approved exactly that program or address; every approval is an event.",
            "gate:catalogue:pinned": "Every package that the catalogue runs has a fixed version, or says that it has none.",
            "gate:flood:bounded": "Lists without end, huge definitions and floods of messages from a server are bounded, and Deedlog says how much it left out.",
            "gate:flood:numbers": "NaN and Infinity in an answer of a server become null.",
            "gate:suspicion:things": "Prompts and resources whose own words are suspicious are not listed to clients.",
            "gate:policy:things": "What the policy says of a whole server counts for its resources, prompts and completions, too.",
            "gate:policy:verdicts": "A tool is allowed, asked about or denied as the user said; a repository can only deny.",
            "gate:policy:broken-file": "Where a file of ours cannot be read, nothing that it may deny is handed on or mounted.",
            "gate:policy:store-away": "While the store is away, a call of a mounted server goes on by what was agreed to when it was last read.",
            "gate:policy:asked": "Whoever is asked about a call sees server, tool and arguments as data; only what a person chose counts.",
        },
    ),
    *said_in(
        "003 step 1",
        {
            "gate:readiness:states": "A server is active, available, missing-credentials or disabled, as is true now.",
            "gate:readiness:placeholders": "Placeholders and empty values in env, args, URL and headers count as missing and are named.",
            "gate:catalogue:merged": "The user's own configurations are read and merged, never written unasked.",
        },
    ),
    *said_in(
        "003 steps 3–4",
        {
            "gate:environment:all": "mcp_environment returns every server with status, category, description and missing keys.",
            "gate:activate:unknown": "An unknown server is refused with the nearest name.",
            "gate:activate:credentials": "A server whose key is missing is refused, and the key is named.",
            "gate:activate:already": "Activating an active server is an answer, not an error.",
            "gate:activate:failed": "A server that fails to start is not active, and its failure is told.",
            "gate:activate:keeps-others": "Activating one server keeps the others.",
            "gate:activate:oauth": "An HTTP server's token is used, refreshed and never passed on to another server.",
            "gate:deactivate:removes": "mcp_deactivate takes the tools away.",
            "gate:deactivate:boot": "A server mounted at start is not deactivated.",
        },
    ),
    *said_in(
        "DESIGN §6",
        {
            "gate:login:once": "A login that is refused is tried once and told with the command that renews it; nothing is tried again before that.",
            "gate:login:one-refresh": "Of several processes one refreshes a login, and none loses the newer token.",
            "gate:http:one-request": "A request to a server over HTTP that fails ends neither the connection nor other calls.",
            "gate:secret:private-file": "Keys are kept in a file of mode 0600; one that others can read is not used, and says how to mend it.",
            "gate:secret:not-in-plain-text": "A key in plain text is not written into a file of servers unless one insists, and is shown nowhere.",
            "gate:approval:repository": "What a repository configures runs only after a person approved of exactly that command in that project.",
            "gate:approval:shown": "Whoever approves of a server sees whole what is run, with which variables and keys; a repository names no file of the user.",
            "gate:call:ledger": "Every proxied call is in the ledger: who, what, how long, ok or not, without secrets.",
        },
    ),
    *said_in(
        "DESIGN §6",
        {
            "gate:process:nothing-left": "A server is ended with every process it started, also one that does not want to; nothing is left of it.",
            "gate:process:loss": "When a server dies or hangs, everybody who waits for it is told at once or in time, and why.",
            "gate:call:as-it-is": "Arguments, results and _meta pass a proxied call as they are, with fields that nobody knows.",
            "gate:call:at-once": "Any number of calls of one server are under way at once, and one that waits holds up no other.",
            "gate:call:cancelled": "A call that its caller gives up, or that takes too long, is cancelled at the server.",
            "gate:call:questions": "What a server asks in a call reaches the caller of that call and no other client; the call is never made twice for it.",
            "gate:revisions:all": "Servers of every revision of the protocol are spoken to, with or without a handshake.",
            "gate:launch:direct": "A package that npx or uvx would only find is run without them, where that is certain to be the same.",
            "gate:launch:not-in-the-project": "What a repository has in it decides neither what is run for a server of the user's or of the catalogue, nor from where that is loaded.",
        },
    ),
    *said_in(
        "003 steps 3–4",
        {
            "gate:prompt:catalogue": "The catalogue section lists active, available and missing servers within 600 tokens.",
            "gate:prompt:instructions": "Instructions teach discover, activate, use, deactivate.",
            "gate:activate:tools": "mcp_activate makes a server's tools usable in the running conversation and names them.",
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "error:003:shape": "A refused tool of 003 answers isError with a message that names the missing key.",
            "gate:mount:names": "Mounted tools are called <server>__<tool> with at most 64 characters, shortened stably and without collisions.",
            "gate:mount:list-changed": "Mounting and unmounting send tools/list_changed.",
            "gate:call:frozen-lists": "mcp_call(server, tool, arguments) serves clients that freeze their tool list.",
            "gate:mount:things": "Resources and prompts of mounted servers are listed, read, completed and followed beside ours, under our URIs and names.",
            "gate:mount:relisted": "Activation tells whether the client has listed its tools anew, and is not held up by one that never does.",
            "gate:mount:from-the-start": "Servers that are to be there from the start are in the first list of tools.",
        },
    ),
    *said_in(
        "DESIGN §6",
        {
            "gate:mount:token": "Over HTTP nothing is handed on to a mounted server, and none is started to be tried, without the token.",
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "gate:mount:restart": "A mounted server that dies is started again with growing waits, its tools are marked meanwhile, and it is given up after six failures in a row.",
            "gate:mount:idle": "An idle mounted server is stopped, stays offered, and is started by the next call.",
            "gate:mount:isolated": "A server that hangs or dies stalls no other.",
            "gate:mount:compared": "A server that comes back with other tools is compared with what was agreed to before any call passes.",
            "gate:mount:list-storm": "A server that says again and again that what it offers changed is listed ever more rarely, and so are clients told; people are warned.",
            "gate:mount:no-orphans": "No process of a mounted server outlives its owner, even one that was killed, once a gateway is opened again.",
            "gate:boot:mounted": "Servers that the user wants from the start are mounted when a server of ours starts, known ones without being started.",
            "gate:activate:cli": "What the CLI activates is checked and recorded, and started for each call until it is deactivated.",
        },
    ),
    *said_in(
        "DESIGN §2",
        {
            "gate:pass:everything": "Whatever the reference server offers passes through as it is, over stdio and HTTP, in both eras.",
            "gate:trouble:killed": "A server killed in the middle of a call ends that call only, and is started again for the next.",
            "gate:trouble:hung": "A server that hangs holds up no other.",
            "gate:trouble:own-death": "When Deedlog is killed, no server stays behind, and its calls are recorded as lost.",
            "gate:scale:servers": "50 servers with 20 tools each are mounted at once.",
            "gate:scale:calls": "100 calls are in flight at once, over stdio and HTTP.",
        },
    ),
)
