"""The coding agents, each started for one prompt, with our scripted model as its provider and nothing else to reach."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.clients.model import ScriptedModel
from tests.e2e.desk import Desk

Agent = Callable[[Desk, ScriptedModel], str]
PROMPT = "Do the work."


def no_network(model: ScriptedModel) -> dict[str, str]:
    """Whatever an agent wants from elsewhere it asks the model for, which refuses."""
    proxies = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
    return dict.fromkeys(proxies, model.address) | dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1")


def claude(desk: Desk, model: ScriptedModel) -> str:
    desk.init("claude-code")
    approved = {"enabledMcpjsonServers": ["deedlog"]}  # what a person answers when Claude Code asks
    return desk.run(
        str(desk.bin / "claude"),
        *("-p", PROMPT, "--output-format", "json", "--settings", json.dumps(approved)),
        *("--permission-mode", "dontAsk", "--allowedTools", "mcp__deedlog,Write,Bash"),
        ANTHROPIC_BASE_URL=model.address,
        ANTHROPIC_API_KEY="none",
        **no_network(model),
    )


def codex(desk: Desk, model: ScriptedModel) -> str:
    """Without `required` it does not wait for servers; in its sandbox git could not commit."""
    desk.init("codex")
    provider = f'{{name="scripted",base_url="{model.address}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}}'
    settings = (
        "mcp_servers.deedlog.required=true",
        "model=gpt-5.5",
        "model_provider=scripted",
        f"model_providers.scripted={provider}",
    )
    return desk.run(
        str(desk.bin / "codex"),
        *("exec", "--json", "--sandbox", "danger-full-access"),
        *(word for setting in settings for word in ("--config", setting)),
        PROMPT,
        SCRIPTED_KEY="none",
        **no_network(model),
    )


def gemini(desk: Desk, model: ScriptedModel) -> str:
    desk.init("gemini-cli")
    desk.trust_for_gemini()
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}
    (desk.home / ".gemini/settings.json").write_text(json.dumps(settings))
    return desk.run(
        str(desk.bin / "gemini"),
        *("-p", PROMPT, "--output-format", "json", "--model", "gemini-2.5-flash", "--approval-mode", "yolo"),
        GOOGLE_GEMINI_BASE_URL=model.address,
        GEMINI_API_KEY="none",
        **no_network(model),
    )
