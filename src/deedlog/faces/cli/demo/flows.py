"""What the scripted agent does: one task, then a task with subtasks, in a small web service."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.faces.cli.demo.agent import Agent
    from deedlog.faces.cli.demo.scratch import Scratch

A_PERSON = "a person"
COLLEAGUE = "colleague"
FILES = {
    ".gitignore": "node_modules/\n",
    "README.md": "# Shop\n\nA small web service.\n",
    "package.json": '{\n  "name": "shop",\n  "dependencies": {}\n}\n',
    "src/app.ts": 'import express from "express";\n\nexport const app = express();\napp.listen(3000);\n',
    "src/session.ts": "export const sessions = new Map<string, string>();\n",
    "src/utils.ts": "export const now = () => Date.now();\n",
    "src/utils/old-jwt.ts": """\
// signs and reads the tokens of the shop
export type Claims = { user: string; until: number };

export function sign(claims: Claims): string {
  return Buffer.from(JSON.stringify(claims)).toString("base64url");
}

export function read(token: string): Claims {
  return JSON.parse(Buffer.from(token, "base64url").toString());
}
""",
}
MIDDLEWARE = """\
import { read } from "../auth/jwt";

export function requireToken(token: string) {
  const claims = read(token);
  if (claims.until < Date.now()) throw new Error("expired");
  return claims;
}
"""


def prepare(scratch: Scratch) -> None:
    """A repository with one commit, and a colleague's branch beside it."""
    scratch.git("init", "--quiet", "--initial-branch=main")
    for path, text in FILES.items():
        scratch.write(path, text)
    scratch.commit(message="A small web service", author="Owner")
    scratch.git("checkout", "--quiet", "-b", COLLEAGUE)
    scratch.write(
        "src/billing/invoice.ts", "export const total = (lines: number[]) => lines.reduce((a, b) => a + b);\n"
    )
    scratch.commit(message="Invoices", author="Colleague")
    scratch.git("checkout", "--quiet", "main")


def one_task(agent: Agent) -> str:
    agent.edit("README.md", "A small web service.", "A small web service for a shop.", who=A_PERSON)
    agent.write("notes.txt", "ask about the price list\n", who=A_PERSON)
    workflow_id: str = agent.call(
        "start_workflow", name="Add authentication", description="Implement JWT-based authentication"
    )["workflow_id"]
    task_id = agent.start_task(
        workflow_id=workflow_id,
        name="Setup JWT middleware",
        goal="Create middleware to verify JWT tokens",
        areas=["auth", "middleware"],
    )
    agent.call(
        "log_decision",
        task_id=task_id,
        category="library_choice",
        question="Which JWT library?",
        options_considered=["jsonwebtoken", "jose"],
        chosen="jsonwebtoken",
        reasoning="More mature and better documented",
    )
    agent.edit("package.json", "{}", '{ "jsonwebtoken": "^9.0.2" }')
    agent.call("log_milestone", task_id=task_id, message="Installing jsonwebtoken...", progress=50)
    agent.write("src/middleware/auth.ts", MIDDLEWARE)
    agent.rename("src/utils/old-jwt.ts", "src/auth/jwt.ts")
    agent.edit("src/auth/jwt.ts", "// signs and reads the tokens of the shop\n", "")
    agent.commit(message="Verify tokens")
    agent.write("tests/auth.test.ts", 'test("an old token is refused", () => {});\n')
    agent.edit("src/middleware/auth.ts", '"expired"', '"the token has expired"')
    agent.call("log_milestone", task_id=task_id, message="Running tests...", progress=90)
    agent.complete_task(
        task_id=task_id,
        status="success",
        outcome={
            "summary": "The JWT middleware is written and tested.",
            "achievements": ["The middleware refuses expired tokens", "The tests pass"],
            "limitations": ["Refresh tokens are not implemented"],
        },
        metadata={
            "packages_added": ["jsonwebtoken"],
            "commands_executed": ["npm install jsonwebtoken", "npm test"],
            "tests_status": "passed",
        },
    )
    return workflow_id


def task_with_subtasks(agent: Agent) -> str:
    workflow_id: str = agent.call("start_workflow", name="Full auth system")["workflow_id"]
    main_id = agent.start_task(
        workflow_id=workflow_id, name="Implement authentication", goal="People can log in and stay logged in"
    )
    _refresh_tokens(agent, workflow_id, main_id)
    _login_route(agent, workflow_id, main_id)
    agent.edit("src/app.ts", "3000", "8080")
    agent.commit("src/app.ts", message="Try another port")
    agent.edit("src/app.ts", "8080", "3000")
    agent.commit("src/app.ts", message="Go back to the old port")
    agent.write("docs/login.md", "# Log in\n\nSend a name and a password to /login.\n")
    agent.complete_task(
        task_id=main_id,
        status="success",
        outcome={"summary": "People log in at /login and their tokens are refreshed."},
    )
    return workflow_id


def _refresh_tokens(agent: Agent, workflow_id: str, main_id: str) -> None:
    task_id = agent.start_task(
        workflow_id=workflow_id,
        parent_task_id=main_id,
        name="Setup JWT middleware",
        goal="Refresh tokens before they expire",
        areas=["auth", "api"],
    )
    agent.edit("src/auth/jwt.ts", "export function read", "export const HOUR = 3600;\n\nexport function read")
    agent.write("src/api.ts", 'import { HOUR } from "./auth/jwt";\n\nexport const refreshEvery = HOUR / 2;\n')
    agent.commit("src/auth/jwt.ts", "src/api.ts", message="Refresh tokens")
    agent.edit("src/utils.ts", "Date.now()", "Math.floor(Date.now() / 1000)")
    agent.call(
        "log_issue",
        task_id=task_id,
        type="unclear_requirement",
        description="How long may a token live?",
        resolution="One hour, as in the old service",
        requires_human_review=True,
    )
    agent.complete_task(
        task_id=task_id,
        status="partial_success",
        outcome={"summary": "Tokens are refreshed; old ones are not revoked.", "next_steps": ["Revoke old tokens"]},
    )


def _login_route(agent: Agent, workflow_id: str, main_id: str) -> None:
    task_id = agent.start_task(
        workflow_id=workflow_id,
        parent_task_id=main_id,
        name="Create login route",
        goal="People can log in with name and password",
        areas=["login", "session"],
    )
    agent.call("log_milestone", task_id=task_id, message="Writing the route...", progress=30)
    agent.write("src/routes/login.ts", "export const login = (name: string) => ({ user: name });\n")
    agent.delete("src/session.ts")
    agent.merge(COLLEAGUE)
    agent.call(
        "log_decision",
        task_id=task_id,
        category="trade_off",
        question="Keep sessions on the server?",
        chosen="No, tokens carry all",
        reasoning="Nothing has to be shared between servers",
        trade_offs="A token cannot be revoked before it expires",
    )
    agent.complete_task(
        task_id=task_id,
        status="success",
        outcome={
            "summary": "The login route hands out tokens.",
            "manual_review_needed": True,
            "manual_review_reason": "Sessions are gone: is anybody still using them?",
        },
    )
