"""A language model that is configured and does not do what it should."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clarifier import Clarifier, files, types

PROPOSAL = {"rationale": "The model says so", "alternatives": ["Magic links: no mail server"]}


@contextmanager
def provider(status: int, body: str) -> Iterator[tuple[str, list[Any]]]:
    """A server that always replies the same; its address, and what it was asked."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            data = body.encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def configured(url: str, **more: str) -> dict[str, str]:
    return {
        "DEEDLOG_LLM_PROVIDER": "openai",
        "DEEDLOG_LLM_MODEL": "any",
        "DEEDLOG_LLM_URL": url,
        "DEEDLOG_LLM_API_KEY": "k",
        **more,
    }


@pytest.mark.parametrize(("status", "body"), [(500, "{}"), (429, "{}"), (401, "{}"), (200, "no JSON"), (200, "{}")])
@pytest.mark.proves("clarify:llm:fallback")
def test_when_it_fails_the_rules_go_on_and_say_so(repo: Path, status: int, body: str) -> None:
    with provider(status, body) as (url, asked):
        with Clarifier(repo, configured(url)) as client:
            answer = client.require("Add authentication")
            assert (answer["warning"], answer["message"]) == (
                "llm_fallback",
                "LLM unavailable, using deterministic mode",
            )
            assert 1 <= len(asked) <= 3
            why = "its reply is not what was asked for" if status == 200 else f"it replied with status {status}"
            assert any(note.endswith(why) or "proposed nothing" in note for note in answer["notes"])
            done = client.reply(answer, {question["id"]: "skip" for question in answer["questions"]})
            assert done["status"] == "completed"
        with Clarifier(repo, configured(url, DEEDLOG_LLM_STRICT="yes")) as strict:
            before = files(repo)
            for _ in range(2):
                count = len(asked)
                error = strict.refused("require_clarification", user_intention="Add a database")
                assert error["code"] == "PATCH_EXTRACTION_FAILED"
                assert why in error["message"] or "proposed nothing" in error["message"]
                assert len(asked) > count, "who repeats the call asks again"
            assert files(repo) == before


def test_nothing_is_asked_of_a_provider_that_is_not_there(repo: Path) -> None:
    with Clarifier(repo, configured("http://127.0.0.1:1")) as client:
        assert client.require("Fix typo in login button")["warning"] == "llm_fallback"
    with Clarifier(repo) as client:
        assert "warning" not in client.require("Fix typo in login button")


def test_what_it_proposes_fills_the_adr(repo: Path) -> None:
    message = {"choices": [{"message": {"content": json.dumps(PROPOSAL)}}]}
    with provider(200, json.dumps(message)) as (url, asked), Clarifier(repo, configured(url)) as client:
        done = client.require("Use OAuth with next-auth for authentication")
        assert "warning" not in done
        assert "adr" in types(done)
        assert len(asked) == 1
        text = (repo / done["artifacts_created"][0]["path"]).read_text()
        assert "The model says so" in text
        assert "no mail server" in text
