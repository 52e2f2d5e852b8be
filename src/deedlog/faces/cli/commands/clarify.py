"""`deedlog clarify`."""

from __future__ import annotations

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.faces.cli.clarify.given import ANSWER, ANSWERS_FILE, YES, given_answers, given_proposal
from deedlog.faces.cli.command import Command, Invocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

LONGEST_REQUEST = 8_000


def run(invocation: Invocation) -> int:
    from deedlog.faces.cli.clarify.driving import Desk  # only a conversation needs it
    from deedlog.faces.cli.clarify.flow import clarify, preview
    from deedlog.faces.cli.refusal import tell

    asked = invocation.arguments
    request = _request(invocation)
    ask = not asked.get("non_interactive")
    desk = Desk(invocation)
    try:
        if asked.get("dry_run") or asked.get("explain"):
            explain, dry_run = asked.get("explain", False), asked.get("dry_run", False)
            return preview(desk, request, ask=ask, explain=explain, dry_run=dry_run)
        request = desk.begun(request)
        if "session_id" in request and not desk.as_json:
            tell(f"going on with the session {request['session_id']}, which is open for this request")
        return clarify(desk, request, ask=ask, confirm=not asked.get("yes"))
    finally:
        desk.close()


def _request(invocation: Invocation) -> Json:
    asked = invocation.arguments
    if asked.get("force_adr") and asked.get("no_adr"):
        raise Invalid(
            "--force-adr and --no-adr exclude each other", hint="give one of them", data={"field": "--no-adr"}
        )
    preferences = {"force_adr": asked.get("force_adr"), "waive_adr": asked.get("no_adr")}
    request = {
        "user_intention": asked["request"].strip(),
        "optional_context": asked.get("context"),
        "answers": given_answers(invocation, asked.get("answer", [])),
        "proposal": given_proposal(invocation),
        "preferences": {name: True for name, wanted in preferences.items() if wanted},
    }
    return {name: value for name, value in request.items() if value}


COMMAND = Command(
    words="clarify",
    callers=ANYONE,
    help="Make a request clear, and record what was decided: ADR, task and architecture.\n\n"
    "Asks only what is neither said, decided nor evident from the repository, at most five questions. A clear request "
    "is recorded at once. Ctrl-C keeps the session; an agent can go on with it over MCP, and you with one of an "
    "agent's. A request that reads like a command of its own goes after --: `deedlog clarify -- status`.\n\n"
    "Words of your own go into .deedlog/clarify.toml: [technologies.Area.Field] with Name = { also = [], packages = "
    "[] }; [areas.Name] with fields and paths; [areas.Name.topics.Field] with asks, words.en and needs.en; "
    '[questions.id] with sets = "Area.Field", text.en, options, tells.Option.en. `deedlog doctor` checks it.',
    run=run,
    input_schema={
        "type": "object",
        "byPlace": ["request"],
        "properties": {
            "request": {
                "type": "string",
                "description": "What you want, in English, French or Japanese",
                "minLength": 1,
                "maxLength": LONGEST_REQUEST,
            },
            "context": {"type": "string", "description": "What else matters", "maxLength": LONGEST_REQUEST},
            "answer": ANSWER,
            "answers_file": ANSWERS_FILE,
            "proposal": {
                "type": "string",
                "description": "A JSON file with alternatives, consequences and more for the ADR; - is standard input",
            },
            "yes": YES,
            "non_interactive": {"type": "boolean", "description": "Print the questions instead of asking them"},
            "dry_run": {"type": "boolean", "description": "Show the files as a diff; nothing is written or recorded"},
            "explain": {
                "type": "boolean",
                "description": "Show which rules and words decided, and what follows; nothing is written or recorded",
            },
            "force_adr": {"type": "boolean", "description": "Write an ADR whatever the rules say"},
            "no_adr": {"type": "boolean", "description": "Write none; that one was due is recorded in the task"},
            "repo_path": {"type": "string", "description": "The repository, instead of the one around this folder"},
        },
        "required": ["request"],
    },
    examples=[
        "deedlog clarify 'Add authentication'",
        "deedlog clarify 'Move from PostgreSQL to MySQL' --dry-run",
        "deedlog clarify 'Fix the typo in the login button' --explain",
        "deedlog clarify 'Add authentication' --answer auth_strategy=OAuth --answer auth_library=skip --json",
        "deedlog clarify @request.txt --answers-file answers.json --non-interactive",
    ],
)
