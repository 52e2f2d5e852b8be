"""A worker that reports: `python reporting_worker.py DEEDLOG WHAT`. It prints what came of it, a line of JSON each."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from deedlog.workers.near import near
from deedlog.workers.proofs import request_proof
from tests.e2e.processes import StdioServer

DEEDLOG = sys.argv[1]
OTHER = sys.argv[3] if len(sys.argv) > 3 else ""


def say(what: str, **more: Any) -> None:
    sys.stdout.write(json.dumps({"what": what, **more}) + "\n")
    sys.stdout.flush()


def cli(what: str, *words: str) -> Any:
    done = subprocess.run([DEEDLOG, *words, "--json"], capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout) if not done.returncode else None
    say(what, code=done.returncode, answer=answer, error=done.stderr)
    return answer


def report() -> None:
    cli("milestone", "milestone", "log", f"task-{os.environ['DEEDLOG_TASK_ID']}", "Half way", "--progress", "50")
    cli("heartbeat", "task", "heartbeat")
    plain = subprocess.run([DEEDLOG, "task", "get"], capture_output=True, text=True, check=False)
    say("plain", code=plain.returncode, out=plain.stdout, error=plain.stderr)
    for words in (["init"], ["task", "list"], ["doctor"], ["task", "complete", "1"], ["worker", "run", "1"]):
        cli("refused", *words)
    with StdioServer([DEEDLOG, "mcp", "serve"], Path.cwd(), os.environ) as server:
        opened = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "claude", "version": "1"}}
        say("instructions", text=server.request("initialize", opened)["instructions"])
        say("tools", names=[tool["name"] for tool in server.request("tools/list")["tools"]])
        say("resources", found=server.request("resources/list")["resources"])
        decision = {"category": "other", "question": "Which?", "chosen": "this", "reasoning": "it works"}
        say("decision", answer=server.call("log_decision", decision)["structuredContent"])
        issue = {"type": "other", "description": "No key", "resolution": "Made one"}
        say("issue", answer=server.call("log_issue", issue)["structuredContent"])
        say("complete", answer=server.call("complete_task", {"task_id": "1", "status": "success", "outcome": {}}))
        asked = server.call("question_ask", {"question": "Which database?", "choices": ["a", "b"]})["structuredContent"]
        waiting = {"question_id": asked["question_id"], "wait_seconds": 120}
        say("answer", answer=server.call("question_get", waiting)["structuredContent"])
    bare = {name: os.environ[name] for name in ("PATH", "HOME")}  # as some clients start their servers
    with StdioServer([DEEDLOG, "mcp", "serve"], Path.cwd(), bare) as server:
        say("bare", names=[tool["name"] for tool in server.request("tools/list")["tools"]])
        say("bare call", answer=server.call("log_milestone", {"message": "Nearly done"})["structuredContent"])
    cli("again", "question", "get", asked["question_id"], "--wait-seconds", "60")


def connect() -> socket.socket:
    wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with near(os.environ["DEEDLOG_SOCKET"]) as path:
        wire.connect(path)
    return wire


def ask(name: str, **arguments: object) -> Any:
    body = json.dumps({"id": 1, "name": name, "arguments": arguments})
    with connect() as wire, wire.makefile("rwb") as file:
        challenge = json.loads(file.readline())["challenge"]
        proof = request_proof(os.environ["DEEDLOG_SOCKET_PROOF"], challenge, 0, body)
        file.write(json.dumps({"proof": proof, "body": body}).encode() + b"\n")
        file.flush()
        return json.loads(json.loads(file.readline())["body"])


def hostile() -> None:
    """Name another task, send garbage, fill every connection, take the socket away; then never end."""
    for name in ("log_milestone", "log_decision", "log_issue", "question_ask", "task_get", "task_report"):
        say("other", answer=ask(name, task_id=OTHER, id=OTHER, message="m", question="q"))
    say("force", answer=ask("worker_done", sessionId=1, force=True))
    for data in (b"\xff\n", b"[" * 200_000 + b"\n", b"{", b"\0" * 1000):
        with connect() as wire:
            wire.sendall(data)
    try:
        with connect() as wire:
            wire.sendall(b"x" * 100_000_000)
    except OSError as error:
        say("long", error=type(error).__name__)
    say("still", answer=ask("log_milestone", message="still here"))
    held = [connect() for _ in range(16)]
    folder = os.path.dirname(os.environ["DEEDLOG_SOCKET"])
    try:
        os.rename(folder, folder + ".away")
        os.symlink(os.environ["HOME"], folder)
    except OSError as error:
        say("kept", error=type(error).__name__)
    say("ready", held=len(held))
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    {"report": report, "hostile": hostile}[sys.argv[2]]()
