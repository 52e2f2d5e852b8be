from tests.requirements.promise import said_in

REQUIREMENTS = (
    # the live page
    *said_in(
        "DESIGN §6",
        {
            "page:text:escaped": "Text of users, agents and servers is escaped on the page.",
            "page:token:own": "What the page changes needs the page's own token.",
        },
    ),
    # access and the feed
    *said_in(
        "DESIGN §4 page",
        {
            "page:decision:person": "What is decided on the page is done by a person in the log: the user, or by the name they sign with.",
            "page:link:once": "What a browser is started with is good once and for two minutes: other programs see it.",
            "page:open:proved": "`deedlog open` hands the key to the server of this project only.",
            "page:sign-in:beyond-loopback": "Beyond loopback nothing is shown but how to sign in; who did so reads, and changes nothing without the key.",
            "page:feed:resumes": "The feed goes on from the last event a page saw, without loss or doubles, also after a restart.",
            "page:feed:many": "Two hundred open pages hear of an event, which is rendered once for all that show the same.",
        },
    ),
    # what people see first, and the board
    *said_in(
        "DESIGN §4 page",
        {
            "page:empty:next": "An empty view tells a newcomer the next command.",
            "page:first:small": "The first view, with all its styles and scripts, has less than 200 KB.",
            "page:board:refusals": "A move that is refused is told, and the card goes back.",
            "page:live:views": "Views change without a reload when agents work.",
            "page:now:running": "What runs tells its task, its agent, how long it has been at it and how far it is by its own word.",
            "page:now:finished": "What finished lately comes with its outcome and the lines it changed, what ended last first.",
            "page:now:counts": "The counts of what people see first are those of the lists they lead to.",
            "page:now:bounded": "What people see first asks the store no more often where there is more in it.",
            "page:board:columns": "Every task stands in one column of the board, and the counts of columns are true.",
            "page:board:filters": "The board is narrowed by label, agent, area, text and workflow.",
            "page:board:moves": "A card offers the moves that an operation can do, and each that it offers is taken.",
        },
    ),
    *said_in(
        "DESIGN §4 page",
        {
            "page:demo:believable": "`make demo` shows the page on a project with work that runs, failed, is finished and waits for a person.",
            "page:demo:nothing-left": "When the demo of the page ends nothing of it is left: no file, no process.",
            "page:live:every-view": "Each view changes without a reload while an agent goes through a workflow.",
            "page:review:approve": "What a person approves on the page is closed for the agent that asked.",
            "page:review:send-back": "What a person sends back on the page is in the queue again, with their words for the agent.",
            "page:session:stop": "A worker is watched while it prints, and stopped, on the page.",
            "page:servers:mount": "A server is mounted on the page, and agents call its tools.",
            "page:accessibility:axe": "axe finds nothing in any view, light and dark, wide and narrow.",
            "page:accessibility:landmarks": "Every view has one first heading and the same landmarks.",
            "page:keys:views": "Every view is reached with the keyboard alone.",
            "page:keys:rows": "Rows are walked over and opened with the keyboard.",
            "page:keys:list": "A question mark shows the keys, a slash goes to the search.",
            "page:layout:narrow": "Nothing scrolls sideways at 360 pixels.",
            "page:layout:wide": "At 2560 pixels the room is used.",
            "page:tour:pictures": "The tour of the page has pictures of every view, light, dark and narrow.",
        },
    ),
    # rooms: sessions, decisions, memory, servers
    *said_in(
        "DESIGN §4 page",
        {
            "page:log:colours": "A log is shown in the colours it was printed with, each readable on each ground, and no escape of it is left.",
            "page:log:long": "A log of any length opens at its end within 200 KB, is read upwards, and each line has an address.",
            "page:log:search": "A text is looked for in all of a log, in either case and through its colours.",
            "page:off:told": "A view whose module is switched off tells what switches it on.",
            "page:servers:ready": "Servers are shown by what can be done with them: mounted, ready, lacking a named key, not usable here.",
            "page:servers:tools": "A server's page tells its tools as agents see them, what becomes of calls of each, and who has it mounted.",
            "page:servers:held": "What is held back of a server is shown with what changed, and accepted there.",
            "page:servers:calls": "Calls of a server's tools are told with how each ended.",
            "page:decisions:now": "The architecture is shown as it is now and was before, with what contradicts itself.",
            "page:decisions:promote": "A logged decision that deserves an ADR is made one on the page, and leads to it.",
            "page:memory:preview": "What a worker is told from the memory bank is shown exactly.",
            "page:memory:changed": "Entries of the memory bank are added, changed and archived on the page, each with its history.",
            "page:log:live": "A line that a worker prints appears on the open page of its session, and so does its end.",
            "page:sessions:stop": "A session is stopped on its page, with a reason that is told.",
            "page:servers:mounted": "A server is mounted and unmounted on the page, which follows whoever else does so.",
            "page:log:messages": "Messages that agents print for programs are shown as people read them, and as they were printed on demand.",
        },
    ),
    # the review queue, events and search
    *said_in(
        "DESIGN §4 page",
        {
            "page:review:question-first": "Whatever needs a person is in one list: its question, how long it waits, its task.",
            "page:review:decide": "What waits is decided in place, by a click or a key, and can be taken back.",
            "page:review:scope": "Paths out of scope are shown, and the scope is widened by them in place.",
            "page:review:answer": "Questions of a clarification are answered in place.",
            "page:review:evidence": "What waits shows the files with their lines and the end of what failed.",
            "page:review:filters": "The review queue is narrowed by reason and by workflow.",
            "page:review:many": "A long review queue comes in pages without a gap.",
            "page:events:tail": "The log is shown newest first, and what happens appears on top of it without a reload.",
            "page:events:filters": "The log is narrowed by kind, actor, operation and thing, by its address.",
            "page:events:older": "Older pages of the log follow each other without gaps, however long it is.",
            "page:events:permalink": "Every event has an address of its own.",
            "page:events:change": "An event shows which fields changed from what to what, and all of it as JSON.",
            "page:search:grouped": "Whatever was recorded is found by its words, by kind, with the words marked.",
            "page:search:jumps": "A search for what a thing is called goes to it.",
            "page:thing:readable": "Anything recorded can be read on the page, with links to what it names.",
        },
    ),
    # a task and its diff
    *said_in(
        "DESIGN §4 page",
        {
            "page:task:told": "A task's page tells its goal, outcome, verification, checks and what was logged on it.",
            "page:task:attributed": "The diff of a task has what is attributed to it and nothing else; whose the rest is, is told.",
            "page:task:attempts": "Attempts at a task stand side by side, file by file.",
            "page:diff:exact": "A patch is parsed exactly: its text can be made again from what is shown.",
            "page:diff:words": "What differs within a line is marked, in lines that belong together.",
            "page:diff:seen": "Characters that turn text around or print nothing are written out in diffs and paths.",
            "page:diff:large": "Thousands of files and tens of thousands of lines come in parts; the first view stays below 200 KB.",
            "page:diff:layout": "A diff is shown unified or split; what was chosen is remembered, where there is room for it.",
            "page:diff:so-far": "The changes of a task in progress are shown, and follow it.",
            "page:diff:comments": "Comments on lines stay in the browser until they are sent back together, and reach the agent.",
        },
    ),
    # workflows
    *said_in(
        "DESIGN §4 page",
        {
            "page:workflow:timeline": "A timeline tells who worked on which task when, with milestones, decisions, issues, checks and reviews as marks.",
            "page:workflow:live": "A bar appears when somebody starts, without a reload, and grows while they work.",
            "page:workflow:critical": "The longest chain of dependencies is told, and which task holds up how many others.",
            "page:workflow:graph": "The graph draws each task right of all it waits for, none on another, and the same each time.",
            "page:workflow:many": "Of a workflow with many tasks as many are drawn as a page holds, and the number of the others is told.",
            "page:workflow:hold": "A run is paused, resumed and cancelled on the page of its workflow.",
            "page:export:html": "Any workflow is exported as one HTML file that loads nothing and runs nothing.",
            "page:export:markdown": "Any workflow is exported as Markdown, with each task's outcome, files, decisions, reviews and patch.",
            "page:export:escaped": "What somebody wrote never becomes structure of an export.",
        },
    ),
    # what people decide
    *said_in(
        "DESIGN §4 page",
        {
            "decide:attention:all": "What needs a person is one list, the longest waiting first, with what can be done about it.",
            "decide:attention:attempts": "Of several attempts those that ended well are offered for merging; where there are more, which one is asked.",
            "decide:approve:settles": "Approving a task closes its reviews and resolves its comments.",
            "decide:approve:ended": "Only work that has ended is approved; what was said to who is at work stays open.",
            "decide:back:every-state": "Work is sent back whatever became of it: done, failed, waiting to be merged, in progress.",
            "decide:back:undone": "Sending back is taken back by an undo, until somebody works on the task again.",
            "decide:back:goes-on": "The next worker goes on from the work that was sent back, and all of it is told as its own.",
            "decide:back:attempt": "One of several attempts is sent back alone, and the next worker goes on from that one.",
            "decide:comment:reaches": "Open comments reach whoever works next: in the prompt, in answers, as events, and said to who listens.",
            "decide:comment:open": "Comments stay open until a person resolves them or approves; work that ends before is looked at again.",
            "decide:scope:widened": "A scope is widened after the fact: ended sessions are judged anew, settled reviews are closed.",
            "decide:lease:released": "A claim that lapsed is given back by whoever looks after it, with what its holder left running.",
            "decide:at-once:kept": "Of several people who decide at once nobody's words are lost or settled unseen.",
        },
    ),
)
