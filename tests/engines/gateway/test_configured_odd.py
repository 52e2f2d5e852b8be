"""Whatever is in somebody's files: servers are read, or warned of, and nothing breaks."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from deedlog.core.gate.readiness import missing
from deedlog.core.gate.reference import keys_of
from deedlog.core.gate.secrecy import line, literals, shown
from deedlog.core.gate.server import Server
from deedlog.gateway.configuration import tolerant
from deedlog.gateway.configuration.configured import Configured
from deedlog.gateway.places import Places

FIELDS = (
    *("command", "args", "env", "url", "httpUrl", "headers", "type", "cwd", "envFile", "description", "category"),
    *("disabled", "enabled", "required", "policy", "callSeconds", "timeout", "oauth", "auth", "env_vars", "boot"),
    *("bearer_token_env_var", "http_headers", "env_http_headers", "enabled_tools", "excludeTools", "core", "title"),
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=[]), max_size=12),
    st.sampled_from(["${A}", "${", "}", "$", "https://h/?a=", "x=${B:-c}", "/path/to/x", "\ud800", "a\0", "Bearer "]),
)
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(), TEXTS)
ANYTHING = st.recursive(
    PLAIN, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)), max_leaves=6
)
ENTRIES = st.one_of(ANYTHING, st.dictionaries(st.sampled_from(FIELDS), ANYTHING, max_size=8))
FILES = st.one_of(
    ANYTHING,
    st.fixed_dictionaries(
        {},
        optional={
            "mcpServers": st.one_of(ANYTHING, st.dictionaries(TEXTS, ENTRIES, max_size=3)),
            "servers": st.dictionaries(TEXTS, ENTRIES, max_size=2),
            "inputs": ANYTHING,
            "mcp": ANYTHING,
            "projects": ANYTHING,
            "approved": ANYTHING,
            "disabledMcpServers": ANYTHING,
        },
    ),
)
KNOWN = [Server(name="a", command="run", args=["-y", "pkg"], required=["A"])]


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(user=FILES, project=FILES, other=FILES)
@example(user={}, project={"mcpServers": {"a": {"command": []}}}, other={"mcpServers": {"a": {"env_vars": 5}}})
def test_any_file_gives_servers_that_can_be_judged_and_shown(user: Any, project: Any, other: Any) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, content in (
            ("home/.config/deedlog/servers.json", user),
            ("repo/.deedlog/servers.json", project),
            ("repo/.vscode/mcp.json", project),
            ("home/.claude.json", other),
            ("home/.gemini/settings.json", other),
        ):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(json.dumps(content))
        places = Places(
            root=str(folder / "repo"),
            store=name,
            state=str(folder / "repo/.deedlog"),
            user=str(folder / "home/.config/deedlog"),
            home=str(folder / "home"),
            environment={},
        )
        configured = Configured(places, lambda: KNOWN)
        found = configured.servers()
        assert "a" in [server.name for server in found]
        for server in found:
            assert re.fullmatch("[a-z0-9-]+", server.name)
            assert server.transport in ("stdio", "http", "sse")
            assert server.command if server.transport == "stdio" else server.url
            told = [missing(server, ()), keys_of(server), literals(server), shown(server), line(server)]
            json.dumps([told, server.fields(), configured.warnings()], ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ('{"a": "// no /* comment */, ]"}', {"a": "// no /* comment */, ]"}),
        ('{"a": [1, 2, /* x */ ], // y\n}', {"a": [1, 2]}),
        ('/* x */ {"a": "\\"//"}', {"a": '"//'}),
        ("\ufeff{}", {}),
        ("", {}),
    ],
)
def test_json_is_read_as_editors_read_it(tmp_path: Path, text: str, means: dict[str, Any]) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    assert tolerant.load(str(path)) == means


@pytest.mark.parametrize("text", ["/*" * 200_000, "{,/* */" * 50_000, '"' * 300_001, "[" * 200_000, ", " * 300_000])
def test_a_file_made_to_take_long_does_not(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(tolerant.Unreadable):
        tolerant.load(str(path))
