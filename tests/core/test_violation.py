from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.change import shown
from deedlog.core.violation import Judge, joined, meant, violations

Json = dict[str, Any]


def row(path: str, status: str = "modified", by: str = "task", **more: str) -> Json:
    return {"path": path, "status": status, "by": by, **more}


def reasons(scope: dict[str, list[str]], *rows: Json) -> dict[str, str]:
    return {found["path"]: found["reason"] for found in violations(rows, scope)}


@pytest.mark.proves("worker:scope:violations")
def test_what_is_excluded_or_not_in_the_write_list_is_a_violation() -> None:
    scope = {"write": ["src/**"], "exclude": ["**/*.env", "src/secret/"]}
    changed = [row("src/a.py"), row("README.md"), row("src/x.env"), row("src/secret/key")]
    assert reasons(scope, *changed) == {
        "README.md": "read-only",
        "src/x.env": "excluded",
        "src/secret/key": "excluded",
    }


def test_without_a_write_list_everything_may_be_changed_and_with_an_empty_one_nothing() -> None:
    assert reasons({}, row("a")) == {}
    assert reasons({"exclude": ["b"]}, row("a"), row("b")) == {"b": "excluded"}
    assert reasons({"write": []}, row("a")) == {"a": "read-only"}


def test_a_write_list_of_exceptions_means_everything_but_those() -> None:
    assert reasons({"write": ["!docs/**"]}, row("a"), row("docs/b")) == {"docs/b": "read-only"}
    assert reasons({"write": ["docs/**", "!docs/api/**"]}, row("docs/b"), row("docs/api/c")) == {
        "docs/api/c": "read-only"
    }


def test_both_names_of_a_renamed_file_count() -> None:
    scope = {"write": ["src/**"]}
    moved_out = [
        row("src/a", "deleted", renamed_to="lib/a"),
        row("lib/a", "added", renamed_from="src/a"),
    ]
    moved_in = [row("src/a", "added", renamed_from="lib/a"), row("lib/a", "deleted", renamed_to="src/a")]
    assert reasons(scope, *moved_out) == {"lib/a": "read-only"}
    assert reasons(scope, *moved_in) == {"lib/a": "read-only"}


def test_only_what_a_session_did_itself_is_judged() -> None:
    others = [row("a", by=by) for by in ("arrived", "shared", "subtask", "other", "deedlog")]
    assert reasons({"write": []}, *others) == {}


def test_our_own_files_never_count() -> None:
    ours = [row(".deedlog/prompt.md", "added"), row("CLAUDE.local.md", "added")]
    assert reasons({"write": []}, *ours) == {}
    assert not Judge({"write": []}).reason("docs/CURRENT_TASK.md"), "it writes that itself"
    assert reasons({"write": []}, row("docs/CURRENT_TASK.md")) == {"docs/CURRENT_TASK.md": "read-only"}


def test_a_context_file_that_the_project_had_is_the_projects() -> None:
    assert reasons({"write": ["src/**"]}, row("CLAUDE.local.md", "modified")) == {"CLAUDE.local.md": "read-only"}


@pytest.mark.parametrize("path", ["a", 'src/\udcff\udcfe é\n"x\\', '"a\\303\\251"', '"\\"', 'a"', "src/\udc80"])
def test_a_path_is_read_back_as_it_is(path: str) -> None:
    assert meant(shown(path)) == path


def test_a_path_that_is_no_text_is_judged_by_its_folders() -> None:
    assert reasons({"write": ["src/**"]}, row(shown("src/\udcff")), row(shown("lib/\udcff"))) == {
        shown("lib/\udcff"): "read-only"
    }


def test_the_lists_of_a_task_stand_before_those_of_its_agent_and_what_either_excludes_is_out() -> None:
    agent = {"read": ["**/*"], "write": ["src/**"], "exclude": ["*.env"]}
    assert joined(agent, {}) == agent
    assert joined(agent, {"write": ["docs/**"], "exclude": ["*.key", "*.env"]}) == {
        "read": ["**/*"],
        "write": ["docs/**"],
        "exclude": ["*.env", "*.key"],
    }
    assert joined({}, {}) == {"exclude": []}


@pytest.mark.parametrize(
    ("agent", "task", "together"),
    [
        (["secrets/**"], ["!secrets/**"], ["secrets/**"]),
        (["secrets/**"], ["docs/**", "!**"], ["secrets/**", "docs/**"]),
        (["*.env", "!example.env"], [], ["*.env", "!example.env"]),
        ([], ["*.env", "!example.env"], ["*.env", "!example.env"]),
        (["*.env", "!example.env"], ["config/**"], ["*.env", "config/**"]),
    ],
)
def test_nobody_makes_an_exception_of_what_another_excludes(
    agent: list[str], task: list[str], together: list[str]
) -> None:
    assert joined({"exclude": agent}, {"exclude": task})["exclude"] == together
