"""Capabilities by flag, variable and file, each under its own name too."""

from __future__ import annotations

from pathlib import Path

import pytest

from deedlog import settings
from deedlog.core.capability import CAPABILITIES
from deedlog.core.errors import Invalid
from deedlog.settings import Settings
from tests.approving import approve

each = pytest.mark.parametrize("name", [name for name, capability in CAPABILITIES.items() if not capability.inner])


def loaded(folder: Path, environment: dict[str, str] | None = None, **flags: object) -> Settings:
    return settings.load(str(folder), {"HOME": str(folder.parent), **(environment or {})}, flags)


def configure(repo: Path, text: str) -> None:
    """As a person who approves what the file brings."""
    (repo / ".deedlog").mkdir(exist_ok=True)
    (repo / ".deedlog/config.toml").write_text(text)
    approve(repo, {"HOME": str(repo.parent)})


@pytest.mark.proves("capability:switch:own-name")
@each
def test_every_capability_has_a_variable_and_a_key_of_its_own(repo: Path, name: str) -> None:
    variable = name.upper().replace("-", "_")
    assert name in loaded(repo, {f"DEEDLOG_ENABLE_{variable}": "1"}).enabled
    assert name not in loaded(repo, {f"DEEDLOG_ENABLE_{variable}": "0"}).enabled
    assert name not in loaded(repo, {f"DEEDLOG_DISABLE_{variable}": "yes"}).enabled
    configure(repo, f"[capabilities]\n{name} = true\n")
    assert name in loaded(repo).enabled
    configure(repo, f"[capabilities]\n{name} = false\n")
    assert name not in loaded(repo).enabled
    assert name in loaded(repo, {f"DEEDLOG_ENABLE_{variable}": "true"}).enabled, "the environment is nearer"


def test_keys_of_several_files_are_put_together(repo: Path) -> None:
    configure(repo, "[capabilities]\ntx = true\nbulk = true\n")
    found = loaded(repo, {"DEEDLOG_DISABLE_BULK": "1", "DEEDLOG_ENABLE": "locks"})
    assert {"tx", "locks"} <= found.enabled
    assert "bulk" not in found.enabled


@pytest.mark.proves("capability:run-time:operator")
def test_who_decided_is_told(repo: Path) -> None:
    configure(repo, "disable = ['clarify']\n[capabilities]\ntx = true\n")
    decided = loaded(repo, {"DEEDLOG_DISABLE_BULK": "1"}, enable=["locks"]).decided
    assert decided["clarify"].endswith("config.toml")
    assert "`capabilities.tx` in " in decided["tx"]
    assert decided["bulk"] == "it is switched off by the environment"
    assert decided["locks"] == "it is switched on by a flag, --enable-…"
    assert "cnp" not in decided


@pytest.mark.parametrize(
    ("environment", "nearest"),
    [
        ({"DEEDLOG_ENABLE_TXX": "1"}, "tx"),
        ({"DEEDLOG_DISABLE_LOCK": "1"}, "locks"),
        ({"DEEDLOG_ENABLE": "lock"}, "locks"),
    ],
)
@pytest.mark.proves("capability:flag:unknown")
def test_an_unknown_name_is_refused_with_the_nearest(repo: Path, environment: dict[str, str], nearest: str) -> None:
    with pytest.raises(Invalid) as refusal:
        loaded(repo, environment).enabled  # noqa: B018
    assert f"'{nearest}'" in refusal.value.hint


@pytest.mark.proves("capability:flag:unknown")
@pytest.mark.parametrize("text", ["[capabilities]\nlock = true\n", 'enable = ["lock"]\n'])
def test_an_unknown_name_in_a_project_s_file_is_ignored_and_told_with_the_nearest(repo: Path, text: str) -> None:
    configure(repo, text)
    (fault,) = loaded(repo).faults
    assert "there is no capability 'lock'" in fault
    assert "'locks'" in fault
    assert "locks" not in loaded(repo).enabled


@pytest.mark.parametrize("value", ["maybe", "2"])
def test_a_variable_is_yes_or_no(repo: Path, value: str) -> None:
    with pytest.raises(Invalid, match="DEEDLOG_ENABLE_TX must be 1 or 0"):
        loaded(repo, {"DEEDLOG_ENABLE_TX": value})


def test_a_key_is_true_or_false(repo: Path) -> None:
    configure(repo, '[capabilities]\ntx = "yes"\n')
    (fault,) = loaded(repo).faults
    assert "capabilities.tx must be true or false" in fault
    assert "tx" not in loaded(repo).enabled


@pytest.mark.proves("capability:inner:not-by-a-project")
@pytest.mark.parametrize(
    "text", ["[capabilities]\nsupervision = true\n", 'enable = ["supervision"]\n', 'enable = "tx, supervision"\n']
)
def test_no_file_of_a_project_opens_what_only_programs_of_ours_may_do(repo: Path, text: str) -> None:
    configure(repo, text)
    (fault,) = loaded(repo).faults
    assert "'supervision' is for programs of ours alone" in fault
    assert "supervision" not in loaded(repo).enabled
    configure(repo, "")
    assert "supervision" in loaded(repo, enable=["supervision"]).enabled
