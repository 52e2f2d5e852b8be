"""What `deedlog doctor` and `deedlog config` tell of the language model."""

from __future__ import annotations

import json

import pytest

from tests.faces.cli.running import Cli

KEY = "sk-never-shown-0123456789"


@pytest.mark.proves("clarify:llm:doctor")
def test_the_doctor_tells_which_model_is_configured_and_what_it_lacks(cli: Cli) -> None:
    said = json.loads(cli.run("doctor", "--json").stdout)
    assert (said["facts"]["language_model"], said["warnings"]) == ("none", [])
    asked = {"DEEDLOG_LLM_PROVIDER": "openai", "DEEDLOG_LLM_MODEL": "some-model"}
    without = cli.run("doctor", **asked)
    assert without.returncode == 0
    assert "openai some-model" in without.stdout
    assert "warning: the language model has no key: set DEEDLOG_LLM_API_KEY" in without.stdout
    well = cli.run("doctor", OPENAI_API_KEY=KEY, **asked)
    assert well.stdout.endswith("all is well\n")
    assert KEY not in well.stdout + cli.run("config", OPENAI_API_KEY=KEY, **asked).stdout


@pytest.mark.proves("clarify:llm:key")
def test_where_the_key_comes_from_is_told_and_the_key_is_not(cli: Cli) -> None:
    told = cli.run("config", DEEDLOG_LLM_PROVIDER="anthropic", ANTHROPIC_API_KEY=KEY).stdout
    assert "ANTHROPIC_API_KEY" in told
    assert KEY not in told
