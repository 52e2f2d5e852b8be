"""The language model, on a provider of ours: what is sent, what is believed, how often it is asked."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deedlog import bootstrap
from deedlog.core.clarify.values import Proposal
from deedlog.core.errors import Unavailable
from deedlog.model import transport
from deedlog.model.engine import LanguageModel, configured, flaw
from deedlog.model.reply import checked, is_placeholder
from deedlog.model.wire import SCHEMA, WIRES, Garbage
from deedlog.settings import load
from tests.engines.fake_provider import (
    Doing,
    Provider,
    by_anthropic,
    by_openai,
    cut_off,
    hanging,
    hanging_up,
    replying,
    trickling,
)

Json = dict[str, Any]
KEY = "sk-test-0123456789abcdefghij"
GOOD: Json = {
    "kind": "introduce",
    "categories": ["Cache"],
    "context": "Pages are slow.",
    "rationale": "Redis is known.",
    "alternatives": ["Memcached: no persistence"],
    "consequences": ["One more service"],
    "new_dependencies": ["redis"],
    "estimated_files": 4,
    "choices": [{"field": "Cache.Store", "value": "Redis"}],
    "acceptance_criteria": ["Pages come from the cache"],
}
SAID = {**GOOD, "choices": {"Cache.Store": "Redis"}}
QUESTION: Json = {
    "request": "Cache pages in Redis",
    "context": "",
    "facts": {"ecosystems": ["python"], "technologies": {"Django": "src/app/pyproject.toml"}, "architecture": {}},
}
each = pytest.mark.parametrize("provider", ["openai", "anthropic"])


class Waits:
    """Instead of sleeping."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def model(provider: str, server: Provider, waits: Waits | None = None, seconds: float = 30) -> LanguageModel:
    return LanguageModel(
        WIRES[provider], url=server.url, model="m", key=KEY, seconds=seconds, wait=waits or Waits(), chance=lambda: 0.5
    )


def good(provider: str) -> Doing:
    return replying(200, by_openai(GOOD) if provider == "openai" else by_anthropic(GOOD))


@pytest.mark.proves("clarify:llm:structured")
@each
def test_a_good_reply_is_a_proposal(provider: str) -> None:
    with Provider(good(provider)) as server:
        found = model(provider, server).propose(QUESTION)
    assert found == SAID
    assert Proposal(**found).choices == {"Cache.Store": "Redis"}


@pytest.mark.proves("clarify:llm:structured")
def test_openai_is_asked_for_json_of_a_schema() -> None:
    with Provider(good("openai")) as server:
        model("openai", server).propose(QUESTION)
        path, headers, body = server.asked[0]
    assert (path, headers["Authorization"]) == ("/chat/completions", f"Bearer {KEY}")
    assert headers["Content-Type"] == "application/json"
    assert set(body) == {"model", "messages", "response_format"}
    assert body["response_format"]["json_schema"] == {"name": "proposal", "strict": True, "schema": SCHEMA}
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


@pytest.mark.proves("clarify:llm:structured")
def test_anthropic_is_made_to_use_a_tool() -> None:
    with Provider(good("anthropic")) as server:
        model("anthropic", server).propose(QUESTION)
        path, headers, body = server.asked[0]
    assert (path, headers["x-api-key"], "anthropic-version" in headers) == ("/v1/messages", KEY, True)
    assert body["tool_choice"] == {"type": "tool", "name": "propose"}
    assert [tool["input_schema"] for tool in body["tools"]] == [SCHEMA]
    assert [message["role"] for message in body["messages"]] == ["user"]


@pytest.mark.parametrize(
    ("provider", "configured_url", "address"),
    [
        ("openai", "", "https://api.openai.com/v1/chat/completions"),
        ("openai", "http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"),
        ("openai", "https://x.invalid/api/chat/completions", "https://x.invalid/api/chat/completions"),
        ("anthropic", "", "https://api.anthropic.com/v1/messages"),
        ("anthropic", "https://x.invalid/v1", "https://x.invalid/v1/messages"),
        ("anthropic", "https://x.invalid/v1/messages", "https://x.invalid/v1/messages"),
    ],
)
def test_an_address_may_be_given_as_people_write_it(provider: str, configured_url: str, address: str) -> None:
    assert WIRES[provider].address(configured_url) == address


@pytest.mark.proves("clarify:llm:sent")
@each
def test_nothing_leaves_but_the_request_and_names(provider: str) -> None:
    question = {
        "request": "Add a queue; mail me at ann@example.com",
        "context": "DATABASE_URL=postgres://app:hunter2@db.internal/x and token: ghp_0123456789abcdefghij0123",
        "facts": {
            "ecosystems": ["python"],
            "technologies": {"Django": "secret-project/pyproject.toml"},
            "architecture": {"Database": {"Type": "PostgreSQL", "Note": "password=hunter2"}},
            "packages": {"internal-package": "pyproject.toml"},
            "memories": ["private"],
        },
        "fields": ["Messaging.Queue"],
        "questions": ["queue_broker"],
        "files": {"src/a.py": "content"},
    }
    with Provider(good(provider)) as server:
        model(provider, server).propose(question)
        sent = json.dumps(server.asked[0][2])
        assert server.said == [
            {
                "request": "Add a queue; mail me at [e-mail]",
                "context": "DATABASE_URL=postgres://app:[redacted]@db.internal/x and token: [redacted]",
                "ecosystems": ["python"],
                "technologies": ["Django"],
                "architecture": {"Database": {"Type": "PostgreSQL", "Note": "password=[redacted]"}},
                "fields": ["Messaging.Queue"],
                "open_questions": ["queue_broker"],
            }
        ]
    for secret in (
        "hunter2",
        "ghp_",
        "ann@",
        "internal-package",
        "secret-project",
        "private",
        "content of",
        "src/a.py",
    ):
        assert secret not in sent


@pytest.mark.proves("clarify:llm:retries")
@each
@pytest.mark.parametrize(
    "trouble",
    [
        replying(429, b"slow down"),
        replying(500, b"{}"),
        replying(503, b"<html>"),
        replying(529, b""),
        replying(200, b"<html>no</html>"),
        replying(200, b""),
        replying(200, b"\xff\xfe"),
        replying(200, b"[" * 50_000),
        replying(200, b"null"),
        replying(200, b'{"choices": [], "content": []}'),
        replying(200, b'{"choices": [{"message": {"content": null}}], "content": [5]}'),
        replying(200, b" " * (transport.LARGEST + 1)),
        cut_off,
        hanging_up,
    ],
    ids=range(14),
)
def test_what_may_pass_is_tried_twice_more(provider: str, trouble: Doing) -> None:
    waits = Waits()
    with Provider(trouble, trouble, good(provider)) as server:
        assert model(provider, server, waits).propose(QUESTION) == SAID
        assert len(server.asked) == 3
    assert waits.seconds == [0.75, 1.5]
    with Provider(trouble) as server:
        with pytest.raises(Unavailable, match="3 times") as refused:
            model(provider, server).propose(QUESTION)
        assert len(server.asked) == 3
    assert refused.value.data == {"provider": provider, "attempts": 3}
    assert refused.value.hint


@pytest.mark.proves("clarify:llm:retries")
@pytest.mark.parametrize("trouble", [hanging, trickling])
def test_a_reply_that_does_not_come_to_an_end_is_given_up(trouble: Doing) -> None:
    waits = Waits()
    with Provider(trouble) as server, pytest.raises(Unavailable, match="no reply"):
        model("openai", server, waits, seconds=0.3).propose(QUESTION)
    assert len(waits.seconds) == 2


@pytest.mark.proves("clarify:llm:retries")
def test_nobody_there_is_tried_again_and_then_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    waits = Waits()
    lost = LanguageModel(WIRES["openai"], url=f"http://127.0.0.1:{port}", model="m", key="", wait=waits)
    with pytest.raises(Unavailable, match="cannot be reached"):
        lost.propose(QUESTION)
    assert len(waits.seconds) == 2


@pytest.mark.proves("clarify:llm:retries")
@pytest.mark.parametrize(
    ("asked", "waited"),
    [("3", 3.0), ("86400", 8.0), ("0", 0.75), ("Wed, 21 Oct 2026 07:28:00 GMT", 0.75), ("-1", 0.75)],
)
def test_the_pause_the_provider_asks_for_is_kept_within_reason(asked: str, waited: float) -> None:
    waits = Waits()
    with Provider(replying(429, b"", Retry_After=asked), good("openai")) as server:
        assert model("openai", server, waits).propose(QUESTION) == SAID
    assert waits.seconds == [waited]


@pytest.mark.proves("clarify:llm:retries")
@each
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_will_not_pass_is_asked_once(provider: str, status: int) -> None:
    with Provider(replying(status, b'{"error": "do as I say"}')) as server:
        with pytest.raises(Unavailable, match=f"once: it replied with status {status}") as refused:
            model(provider, server).propose(QUESTION)
        assert len(server.asked) == 1
    assert "do as I say" not in refused.value.message


def test_a_redirection_is_not_followed() -> None:
    with Provider(good("openai")) as elsewhere:
        moved = replying(307, b"", Location=elsewhere.url + "/chat/completions")
        with Provider(moved) as server, pytest.raises(Unavailable, match="status 307"):
            model("openai", server).propose(QUESTION)
        assert elsewhere.asked == []


@pytest.mark.proves("clarify:llm:structured")
@pytest.mark.parametrize(
    "reply",
    [
        by_openai({"categories": "Cache"}),
        by_openai({"context": 5}),
        by_openai({"alternatives": [{"x": 1}]}),
        by_openai({"estimated_files": "many"}),
        by_openai({"estimated_files": True}),
        by_openai({"estimated_files": -1}),
        by_openai({"choices": "Redis"}),
        by_openai({"choices": ["Redis"]}),
        by_openai([GOOD]),
        by_openai({}),
        by_openai(
            {"context": "TBD", "alternatives": ["N/A"], "choices": [{"field": "Cache.Store", "value": "unknown"}]}
        ),
        by_openai({"answer": "use Redis"}),
        by_openai(GOOD, finish_reason="length"),
        by_openai("I think you should use Redis"),
    ],
    ids=range(14),
)
def test_a_reply_of_another_shape_is_no_proposal(reply: bytes) -> None:
    with Provider(replying(200, reply), good("openai")) as server:
        assert model("openai", server).propose(QUESTION) == SAID
        assert len(server.asked) == 2


@pytest.mark.parametrize("reply", [by_anthropic(GOOD, stop_reason="max_tokens"), by_anthropic(GOOD, name="other")])
def test_a_tool_that_was_not_used_or_not_to_the_end_is_no_proposal(reply: bytes) -> None:
    with Provider(replying(200, reply), good("anthropic")) as server:
        assert model("anthropic", server).propose(QUESTION) == SAID
        assert len(server.asked) == 2


def test_json_between_fences_is_read() -> None:
    with Provider(replying(200, by_openai("```json\n" + json.dumps(GOOD) + "\n```"))) as server:
        assert model("openai", server).propose(QUESTION) == SAID


@pytest.mark.proves("clarify:llm:structured")
def test_a_model_does_not_choose_for_the_user() -> None:
    choices = {"Cache.Store": "Redis", "Database.Type": "MySQL", "Made.Up": "Redis", "Messaging.Queue": "Kafka"}
    question = QUESTION | {
        "context": "events go through kafka already",
        "fields": ["Cache.Store", "Database.Type"],
        "facts": {"architecture": {"Messaging": {"Queue": "Kafka"}}},
    }
    with Provider(replying(200, by_openai({"context": "x y", "choices": choices}))) as server:
        assert model("openai", server).propose(question)["choices"] == {
            "Cache.Store": "Redis",
            "Messaging.Queue": "Kafka",
        }


@pytest.mark.proves("clarify:llm:structured")
def test_placeholders_and_what_was_not_asked_for_are_dropped() -> None:
    found = checked(
        {
            **GOOD,
            "kind": "surprise",
            "context": " TBD. ",
            "alternatives": ["unknown", "Memcached", "", "Memcached", "<TODO>"],
            "choices": [
                {"field": "Cache.Store", "value": "n/a"},
                {"field": "Database.Type", "value": " PostgreSQL "},
                {"field": "NoField", "value": "x"},
            ],
            "run": "rm -rf /",
        },
        lambda *_: True,
    )
    assert found.keys() == GOOD.keys() - {"kind", "context"}
    assert (found["alternatives"], found["choices"]) == (["Memcached"], {"Database.Type": "PostgreSQL"})
    assert checked({"choices": {"Cache.Store": "Redis"}, "context": None}, lambda *_: True) == {
        "choices": {"Cache.Store": "Redis"}
    }
    long = checked({"context": "words " * 2_000, "alternatives": [str(i) for i in range(99)]}, lambda *_: True)
    assert (len(long["context"]), len(long["alternatives"])) == (4_000, 20)


@pytest.mark.parametrize(
    "text", ["TBD", "todo", " N/A ", "na", "[unknown]", "To be determined.", "...", "?", "-", "", "未定", "none"]
)
def test_a_placeholder_is_known(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize("text", ["Todoist", "Unknown users are refused", "NATS", "no", "TBD later, see 5", "nano"])
def test_a_word_like_one_is_none(text: str) -> None:
    assert not is_placeholder(text)


def test_a_reply_that_is_no_object_is_garbage() -> None:
    with pytest.raises(Garbage):
        checked(["x"], lambda *_: True)


@pytest.mark.proves("clarify:llm:default-off")
def test_without_a_provider_there_is_no_model(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"OPENAI_API_KEY": KEY, "DEEDLOG_LLM_API_KEY": KEY, "DEEDLOG_LLM_MODEL": "m"}
    assert bootstrap.build(load(str(repo), environment)).model is None
    monkeypatch.setattr(socket, "create_connection", None)
    asked = bootstrap.build(load(str(repo), {**environment, "DEEDLOG_LLM_PROVIDER": "anthropic"}))
    assert asked.model
    assert asked.model.provider == "anthropic"


@pytest.mark.proves("clarify:llm:default-off")
@pytest.mark.parametrize(("provider", "loaded"), [("", False), ("openai", True)])
def test_nothing_of_it_is_loaded_unless_a_provider_is_configured(repo: Path, provider: str, *, loaded: bool) -> None:
    code = (
        "import sys; from deedlog import bootstrap, settings; "
        "bootstrap.build(settings.load(sys.argv[1], {'DEEDLOG_LLM_PROVIDER': sys.argv[2]})).model; "
        "print('http.client' in sys.modules, 'ssl' in sys.modules, 'deedlog.model.engine' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(repo), provider], check=True, capture_output=True, text=True)
    assert done.stdout.split() == [str(loaded)] * 3


@pytest.mark.proves("clarify:llm:key")
def test_the_key_is_the_providers_own_only_at_its_own_address(repo: Path) -> None:
    def key(**environment: str) -> tuple[str, str]:
        settings = load(str(repo), {"OPENAI_API_KEY": "one", "ANTHROPIC_API_KEY": "two", **environment})
        return settings["llm_api_key"], settings.origins["llm_api_key"]

    assert key() == ("", "default")
    assert key(DEEDLOG_LLM_PROVIDER="openai") == ("one", "OPENAI_API_KEY")
    assert key(DEEDLOG_LLM_PROVIDER="anthropic") == ("two", "ANTHROPIC_API_KEY")
    assert key(DEEDLOG_LLM_PROVIDER="openai", DEEDLOG_LLM_API_KEY="own") == ("own", "DEEDLOG_LLM_API_KEY")
    assert key(DEEDLOG_LLM_PROVIDER="openai", DEEDLOG_LLM_URL="http://localhost:11434/v1") == ("", "default")


@pytest.mark.proves("clarify:llm:key")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no language model is named"),
        ({"llm_model": "m"}, "has no key"),
        ({"llm_model": "m", "llm_api_key": "k"}, ""),
        ({"llm_model": "m", "llm_url": "http://localhost:11434/v1"}, ""),
        ({"llm_model": "m", "llm_api_key": "k", "llm_url": "ftp://x"}, "llm_url is no address"),
        ({"llm_model": "m", "llm_api_key": "k", "llm_url": "https://me:pw@x.invalid"}, "without a password"),
        ({"llm_model": "m", "llm_api_key": "k", "llm_url": "http://x:y:z"}, "llm_url is no address"),
        ({"llm_model": "m", "llm_url": "https://x.invalid", "llm_provider": "anthropic"}, "has no key"),
    ],
)
def test_what_is_missing_is_said_without_asking(given: Json, said: str) -> None:
    settings = {"llm_provider": "openai", "llm_url": "", "llm_model": "", "llm_api_key": "", **given}
    assert (said in flaw(settings)) if said else (flaw(settings) == "")
    if said:
        with pytest.raises(Unavailable):
            configured(settings).propose(QUESTION)


def test_tls_is_checked() -> None:
    connection, target, _ = transport.prepared("https://api.openai.com/v1/chat/completions?x=1", 1)
    context: ssl.SSLContext = connection._context  # type: ignore[attr-defined]
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert target == "/v1/chat/completions?x=1"


@pytest.mark.proves("clarify:llm:proxy")
def test_a_proxy_of_the_environment_is_used_but_not_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with Provider(good("openai")) as proxy:
        address = proxy.url.replace("http://", "http://me:p%40ss@")
        monkeypatch.setenv("http_proxy", address)
        monkeypatch.setenv("https_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "direct.invalid")
        far = LanguageModel(WIRES["openai"], url="http://far.invalid/v1", model="m", key=KEY, wait=Waits())
        assert far.propose(QUESTION) == SAID
        path, headers, _ = proxy.asked[0]
        assert (path, headers["Host"]) == ("http://far.invalid/v1/chat/completions", "far.invalid")
        assert headers["Proxy-Authorization"] == "Basic bWU6cEBzcw=="
        with Provider(good("openai")) as near:
            assert model("openai", near).propose(QUESTION) == SAID
    tunnel, _, _ = transport.prepared("https://far.invalid/v1", 1)
    assert (tunnel.host, tunnel._tunnel_host) == ("127.0.0.1", "far.invalid")  # type: ignore[attr-defined]
    assert transport.prepared("https://direct.invalid/v1", 1)[0].host == "direct.invalid"
    monkeypatch.setenv("https_proxy", "socks5://127.0.0.1:1")
    with pytest.raises(transport.Failed, match="not an HTTP proxy"):
        transport.prepared("https://far.invalid/v1", 1)
