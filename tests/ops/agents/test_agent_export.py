from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from deedlog.core.errors import DeedlogError

Call = Callable[..., Any]
DOCUMENT = """\
name: coder
description: コード実装担当
client: claude-code
model: sonnet
scope:
  read:
    - "**/*"
  write:
    - "src/**"
    - "tests/**"
  exclude:
    - "**/*.env"
config:
  temperature: 0.3
promptContent: |
  # コード実装担当
  役割と制約をここに記述
"""


@pytest.mark.proves("agent:import")
def test_the_document_s_definition_is_written_as_the_document_has_it(call: Call) -> None:
    call(
        "agent_edit",
        name="coder",
        description="コード実装担当",
        scope={"write": ["src/**", "tests/**"], "exclude": ["**/*.env"]},
        config={"temperature": 0.3},
        promptContent="# コード実装担当\n役割と制約をここに記述\n",
    )
    assert call("agent_export", name="coder") == {"yaml": DOCUMENT}


@pytest.mark.parametrize("name", ["planner", "coder", "reviewer", "writer"])
def test_a_real_parser_reads_what_agent_get_tells(call: Call, name: str) -> None:
    read = yaml.safe_load(call("agent_export", name=name)["yaml"])
    told = call("agent_get", name=name)
    assert read == {part: told[part] for part in read}
    assert {"name", "description", "client", "model", "scope", "promptContent"} <= set(read)


@pytest.mark.parametrize(
    "text",
    [
        "a: b # c",
        "  leading\n\n\nlines  \n\n",
        "PROMPT\n$(touch x)\n`x`",
        "\u202eRTL",
        "日本語　'\"",
        "\ttab\r\n",
        "no",
    ],
)
def test_hostile_texts_come_back_as_they_were(call: Call, text: str) -> None:
    config = {text: [text, {"k": text}], "list": [], "map": {}, "small": 1e-9, "large": 1e16}
    call("agent_create", name="x", description=text, promptContent=text, config=config, command=["x", text])
    written = call("agent_export", name="x")["yaml"]
    read = yaml.safe_load(written)
    assert (read["description"], read["promptContent"], read["config"]) == (text, text, config)
    before = call("agent_get", name="x")
    call("agent_edit", name="x", description="other", promptContent="other", config={})
    call("agent_import", yaml=written, replace=True)
    assert {**call("agent_get", name="x"), "version": 1, "updatedAt": ""} == {**before, "updatedAt": ""}


def test_an_unknown_one_is_refused(refused: Callable[..., DeedlogError]) -> None:
    assert refused("agent_export", name="nope").data["agent_id"] == "nope"
