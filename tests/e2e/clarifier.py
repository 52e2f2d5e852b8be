"""A client that asks for clarification, of a real server on standard input and output."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from tests.e2e.official import DEEDLOG, environment
from tests.e2e.processes import StdioServer

Json = dict[str, Any]
UID = re.compile(r"\d{8}T\d{6}\.\d{3}Z-[0-9A-F]{4}")
MOST_TURNS, MOST_QUESTIONS = 10, 5
DROPPED = (1, 2, 3)  # Linux's capabilities to write and read everywhere and to act as every owner
DROP = (
    "import ctypes, os, sys;"
    f"[ctypes.CDLL(None).prctl(24, number, 0, 0, 0) for number in {DROPPED}];"
    "os.execv(sys.argv[1], sys.argv[1:])"
)
ORDINARY = (sys.executable, "-c", DROP)
CODES = {
    *("VALIDATION_FAILED", "SESSION_EXPIRED", "SESSION_NOT_FOUND", "FILESYSTEM_ERROR", "PARSE_ERROR"),
    *("REPO_NOT_FOUND", "PATCH_EXTRACTION_FAILED", "INVALID_ANSWER"),
}


class Clarifier:
    """Calls the two tools; `folder` is where the server runs, `ordinary` has permissions count for root too."""

    def __init__(self, folder: Path, variables: Mapping[str, str] | None = None, *, ordinary: bool = False) -> None:
        self.folder = folder
        command = [*(ORDINARY if ordinary and os.geteuid() == 0 else ()), *DEEDLOG, "mcp", "serve"]
        self.server = StdioServer(command, folder, environment() | dict(variables or {}))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.__exit__()

    def call(self, tool: str, /, **arguments: Any) -> Json:
        result = self.server.call(tool, arguments)
        assert not result.get("isError"), result
        answer: Json = result["structuredContent"]
        assert json.loads(result["content"][0]["text"]) == answer
        assert answer.get("questions") != [], "a list of questions is never empty"
        return answer

    def require(self, intention: str, **more: Any) -> Json:
        return self.call("require_clarification", user_intention=intention, **more)

    def reply(self, asked: Json, answers: Json | None, **more: Any) -> Json:
        return self.require("whatever it was", session_id=asked["session_id"], answers=answers, **more)

    def refused(self, tool: str, /, **arguments: Any) -> Json:
        """The error of a refusal, which has the document's envelope."""
        result = self.server.call(tool, arguments)
        assert result["isError"] is True, result
        body = json.loads(result["content"][0]["text"])
        assert (set(body), body["status"]) == ({"status", "error"}, "error")
        error: Json = body["error"]
        assert set(error) == {"code", "message", "details", "recovery_hint"}
        assert error["code"] in CODES
        assert isinstance(error["details"], dict)
        assert error["message"]
        assert error["recovery_hint"]
        return error

    def refused_reply(self, asked: Json, answers: Any) -> Json:
        return self.refused(
            "require_clarification", user_intention="x", session_id=asked["session_id"], answers=answers
        )

    def finish(self, intention: str, **more: Any) -> Json:
        """Answer the first option or some text until it is completed."""
        answer = self.require(intention, **more)
        asked: list[str] = []
        for _ in range(MOST_TURNS):
            if answer["status"] == "completed":
                return answer
            ids = [question["id"] for question in answer["questions"]]
            assert not set(ids) & set(asked), "a question is asked once"
            asked += ids
            assert len([name for name in asked if not name.endswith("__other")]) <= MOST_QUESTIONS
            answer = self.reply(answer, {question["id"]: first(question) for question in answer["questions"]})
        raise AssertionError(f"{intention!r} never ended: {asked}")

    def architecture(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = self.call("read_architecture")["architecture"]["categories"]
        return found


def first(question: Json) -> Any:
    if question["type"] == "free_text":
        return "As the issue says"
    return [question["options"][0]] if question["type"] == "multi_choice" else question["options"][0]


def types(answer: Json) -> list[str]:
    return [artifact["type"] for artifact in answer["artifacts_created"]]


def path_of(answer: Json, kind: str) -> str:
    (path,) = [artifact["path"] for artifact in answer["artifacts_created"] if artifact["type"] == kind]
    return str(path)


def files(repo: Path) -> dict[str, str]:
    """What lies below docs/, with its digests."""
    found = sorted(path for path in (repo / "docs").rglob("*") if path.is_file())
    return {str(path.relative_to(repo)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def git(repo: Path, *words: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    done = subprocess.run(["git", "-C", str(repo), *who, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()
