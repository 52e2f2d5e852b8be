from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.agent import BUILT_IN, CLIENTS
from deedlog.core.errors import Invalid
from deedlog.core.launch import CLIENTS as LAUNCHED
from deedlog.core.launch import Launch, check_command, launch, prompt, quoted, shell, with_prompt
from deedlog.core.task import Task

SHOW = "import json, os, sys; print(json.dumps([os.getcwd(), sys.argv[1:], sys.stdin.read()]))"
HOSTILE = [
    "plain",
    "with space",
    "it's",
    'say "hi"',
    "$(touch hit)",
    "`touch hit`",
    "a; touch hit",
    "a\ntouch hit",
    "PROMPT",
    "-n",
    "~",
    "*",
    "!!",
    "A=b",
    "\\",
    "\u202eabc",
    "{model}",
    "&& touch hit #",
    "é中",
]


def run_by_shell(folder: Path, started: Launch) -> tuple[str, list[str], str]:
    done = subprocess.run(["/bin/sh", "-c", shell(str(folder), started)], check=True, capture_output=True, text=True)
    where, words, given_ = json.loads(done.stdout)
    return where, words, given_


@pytest.mark.proves("worker:command:quoted")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_shell_gives_the_program_exactly_its_words_whatever_folder_it_is_in(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    (folder / ".deedlog").mkdir(parents=True)
    (folder / ".deedlog/prompt.md").write_text("# Task\nPROMPT\n$(touch hit)\n")
    command = [sys.executable, "-c", SHOW, *HOSTILE, "", "x{branch}y"]
    started = launch("codex", command=command, model="m", words={"branch": name})
    where, words, given_ = run_by_shell(folder, started)
    assert where == str(folder)
    assert words == ["m" if word == "{model}" else word for word in HOSTILE] + ["", f"x{name}y"]
    assert given_ == "# Task\nPROMPT\n$(touch hit)\n"
    assert not list(tmp_path.rglob("hit"))


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_a_quoted_word_is_one_word(word: str) -> None:
    done = subprocess.run(["/bin/sh", "-c", f"printf %s. {quoted(word)}"], check=True, capture_output=True)
    assert done.stdout.decode() == f"{word}."


def test_a_program_that_is_called_like_a_word_of_the_shell_is_still_that_program(tmp_path: Path) -> None:
    line = shell("/", Launch(argv=["if", "x"]))
    assert line == "cd / && 'if' x"


@pytest.mark.proves("worker:command:auto")
@pytest.mark.parametrize(
    ("client", "plain", "approving"),
    [
        ("claude-code", ["claude", "--print"], ["--dangerously-skip-permissions"]),
        ("codex", ["codex", "exec"], ["--sandbox", "workspace-write"]),
        ("gemini-cli", ["gemini"], ["--yolo", "--skip-trust"]),
        ("opencode", ["opencode", "run"], ["--dangerously-skip-permissions"]),
        ("aider", ["aider"], ["--yes-always"]),
    ],
)
def test_each_client_has_its_words_and_approves_only_when_asked_to(
    client: str, plain: list[str], approving: list[str]
) -> None:
    by_file = ["--message-file", ".deedlog/prompt.md"] if client == "aider" else []
    assert launch(client).argv == plain + by_file
    assert launch(client, auto=True).argv == plain + approving + by_file
    assert launch(client).stdin == ("" if by_file else ".deedlog/prompt.md")


def test_every_client_an_agent_can_have_can_be_launched() -> None:
    assert sorted(LAUNCHED) == sorted(CLIENTS)


def test_codex_has_no_sandbox_inside_of_ours() -> None:
    assert launch("codex", auto=True, sandboxed=True).argv == [
        "codex",
        "exec",
        "--dangerously-bypass-approvals-and-sandbox",
    ]
    assert launch("codex", sandboxed=True).argv == ["codex", "exec"]


def test_a_supervised_client_tells_what_it_uses() -> None:
    assert launch("claude-code", supervised=True).argv[2:] == ["--output-format", "stream-json", "--verbose"]
    assert launch("codex", supervised=True).argv[2:] == ["--json"]


def test_a_model_is_named_to_clients_that_know_it() -> None:
    assert launch("claude-code", model="sonnet").argv == ["claude", "--print", "--model", "sonnet"]
    assert launch("codex", model="sonnet").argv == ["codex", "exec"]
    assert launch("codex", model="gpt-5.5").argv == ["codex", "exec", "--model", "gpt-5.5"]


def test_words_of_a_command_stand_for_something_within_single_arguments() -> None:
    command = ["run", "--in={worktree}", "{task_id}/{session_id}", "{branch}", "{model}", '{"json": 1}', "{}"]
    words = {"worktree": "/a b", "task_id": "5", "session_id": "7", "branch": "task-5-s7"}
    started = launch("codex", command=command, model="m", words=words)
    assert started.argv == ["run", "--in=/a b", "5/7", "task-5-s7", "m", '{"json": 1}', "{}"]
    assert started.stdin == ".deedlog/prompt.md"
    assert launch("codex", command=["run", "{prompt_file}"]).stdin == ""


def test_the_prompt_stands_in_an_argument_only_where_the_command_says_so(tmp_path: Path) -> None:
    (tmp_path / ".deedlog").mkdir()
    text = "first 'line'\n$(touch hit) \"x\" `y` \\"
    (tmp_path / ".deedlog/prompt.md").write_text(text)
    started = launch("codex", command=[sys.executable, "-c", SHOW, "--text={prompt}.", "{prompt}"])
    assert started.stdin == ""
    assert text not in shell(str(tmp_path), started)
    done = subprocess.run(
        ["/bin/sh", "-c", shell(str(tmp_path), started)], check=True, capture_output=True, text=True, input=""
    )
    assert json.loads(done.stdout)[1] == [f"--text={text}.", text]
    assert with_prompt(started.argv, text)[-2:] == [f"--text={text}.", text]
    assert not os.path.exists(tmp_path / "hit")


@pytest.mark.parametrize("command", [["run", "{promt}"], ["run", "a\0b"], ["", "x"], ["run", "x{Model}"]])
def test_a_command_that_could_never_run_is_refused(command: list[str]) -> None:
    with pytest.raises(Invalid):
        check_command(command)


def test_what_a_word_stands_for_cannot_be_taken_for_the_prompt() -> None:
    with pytest.raises(Invalid):
        launch("codex", command=["run", "{worktree}"], words={"worktree": "/x/{prompt}"})


def test_a_worker_is_told_who_it_is_its_task_and_its_limits() -> None:
    task = Task(id="t", number=5, name="Add\nauth", goal="Do it.\n", type="feature", priority="high", created_at=1)
    memory = "## Memory Bank Summary\n- Rule: test\n\n## Project Context (Memory Bank)\n- x"
    text = prompt(task, BUILT_IN["coder"], scope=BUILT_IN["coder"].scope, memory=memory, branch="task-5-s7")
    heads = [line for line in text.splitlines() if line.startswith("#")]
    assert heads == [
        "# Worker: coder",
        "# Task #5: Add auth",
        "## Description",
        "## Agent Instructions",
        "## Scope",
        "## Memory Bank Summary",
        "## Project Context (Memory Bank)",
        "## Instructions",
    ]
    assert "Type: feature | Priority: high" in text
    assert "- Write: src/**, tests/**, package.json, tsconfig.json" in text
    assert "nothing; change no files" in prompt(task, BUILT_IN["planner"], scope={"write": []})
