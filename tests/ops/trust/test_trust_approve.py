from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from deedlog import bootstrap
from deedlog.core.errors import NotFound
from deedlog.settings import load
from tests.ops.trust.conftest import CHECKS, Clone


@pytest.mark.proves("trust:settings:hash")
def test_an_approval_is_for_exactly_one_value_and_counts_at_once(clone: Clone) -> None:
    clone.brings(CHECKS)
    clone.approve("checks")
    assert clone.app.settings["checks"]["tests"]["command"] == ["make", "test"]
    clone.brings('[checks]\ntests = ["sh", "-c", "steal"]\n')
    assert clone.items()["checks"]["state"] == "changed"
    assert clone.app.settings["checks"] == {}
    clone.brings(CHECKS)
    assert clone.items()["checks"]["state"] == "approved", "the value is the one that was approved"


@pytest.mark.proves("trust:settings:hash")
def test_checks_that_were_approved_are_neither_removed_nor_rolled_back_without_a_person(clone: Clone) -> None:
    lenient, strict = '[checks]\ntests = ["true"]\n', '[checks]\ntests = ["false"]\n'
    for text in (lenient, strict):
        clone.brings(text)
        clone.approve("checks")
    clone.brings(lenient)
    assert clone.items()["checks"]["state"] == "changed"
    clone.brings("")
    assert clone.items()["checks"]["state"] == "removed"
    (clone.repo / ".deedlog/config.toml").unlink()
    assert clone.items()["checks"]["state"] == "removed"
    assert clone.call("attention_list")["counts"]["trust"] == 1
    clone.approve("checks")
    assert clone.items() == {}
    clone.brings(strict)
    assert clone.items()["checks"]["state"] == "changed"


@pytest.mark.proves("trust:settings:hash")
def test_an_id_names_what_the_person_saw_and_not_what_came_after(clone: Clone) -> None:
    clone.brings(CHECKS)
    seen = clone.items()["checks"]["id"]
    clone.brings('[checks]\ntests = ["sh", "-c", "steal"]\n')
    with pytest.raises(NotFound, match="brings no") as refused:
        clone.call("trust_approve", ids=[seen])
    assert "trust_list" in refused.value.hint
    assert clone.app.settings["checks"] == {}


@pytest.mark.proves("trust:settings:hash")
def test_an_approval_holds_in_every_work_tree_and_in_no_other_clone(clone: Clone, tmp_path: Path) -> None:
    clone.brings(CHECKS)
    clone.approve("checks")
    git = ["git", "-C", str(clone.repo), "-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    subprocess.run([*git, "add", "--force", ".deedlog/config.toml"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message=checks"], check=True)
    subprocess.run([*git, "worktree", "add", "--quiet", str(tmp_path / "linked")], check=True)
    subprocess.run(["git", "clone", "--quiet", str(clone.repo), str(tmp_path / "again")], check=True)
    assert load(str(tmp_path / "linked"), clone.environment)["checks"] != {}
    again = load(str(tmp_path / "again"), clone.environment)
    assert again["checks"] == {}
    assert [one.state for one in again.brought] == ["waiting"]


@pytest.mark.proves("trust:settings:hash")
def test_nothing_in_a_repository_or_its_store_can_approve(clone: Clone) -> None:
    clone.brings(CHECKS)
    clone.approve("checks")
    own = Path(os.environ["XDG_CONFIG_HOME"]) / "deedlog/trusted.json"
    assert own.stat().st_mode & 0o777 == 0o600
    for place in (".deedlog/trusted.json", ".git/deedlog/trusted.json"):
        (clone.repo / place).write_text(own.read_text())
    own.unlink()
    assert load(str(clone.repo), clone.environment)["checks"] == {}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"approved": 5}', '{"approved": {"x": []}, "stores": []}'])
def test_a_damaged_record_approves_nothing_and_is_written_again(clone: Clone, content: str) -> None:
    own = Path(os.environ["XDG_CONFIG_HOME"]) / "deedlog/trusted.json"
    own.parent.mkdir(parents=True)
    own.write_text(content)
    clone.brings(CHECKS)
    assert clone.items()["checks"]["state"] == "waiting"
    clone.approve("checks")
    assert clone.items()["checks"]["state"] == "approved"


@pytest.mark.proves("trust:event")
def test_every_approval_is_an_event_with_the_value_and_its_hash(clone: Clone) -> None:
    clone.brings(CHECKS)
    row = clone.items()["checks"]
    clone.approve("checks")
    (event,) = clone.call("event_list", subject=f"trust://{row['id']}")["events"]
    told = event["after"][row["id"]]
    assert (told["state"], told["hash"]) == ("approved", row["hash"])
    assert told["value"]["tests"]["command"] == ["make", "test"]


def test_a_value_of_your_own_overrules_the_repository_s(clone: Clone) -> None:
    clone.brings(CHECKS)
    environment = {**clone.environment, "DEEDLOG_CHECKS": json.dumps({"mine": ["true"]})}
    found = load(str(clone.repo), environment)
    assert list(found["checks"]) == ["mine"]
    assert found.waiting == []
    app = bootstrap.build(found)
    assert list(app.settings["checks"]) == ["mine"]
