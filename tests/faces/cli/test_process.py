"""The command as its users meet it: streams, exit codes, terminals, signals."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deedlog import __version__
from deedlog.core.entry import Op
from deedlog.core.run import Run
from deedlog.faces.cli.command import MODULES
from deedlog.faces.cli.explain import explained
from deedlog.operation import catalog
from deedlog.testing import app_in, caller
from tests.approving import approve
from tests.faces.cli.running import DEADLINE, Cli


def started(cli: Cli, name: str = "x") -> str:
    return str(json.loads(cli.run("workflow", "start", name, "--json").stdout)["workflow_id"])


@pytest.mark.proves("face:cli:streams")
def test_data_goes_to_stdout_alone_and_json_is_the_answer_itself(cli: Cli) -> None:
    done = cli.run("workflow", "start", "認証", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    listed = cli.run("workflow", "list", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(listed.stdout)["workflows"][0] == {
        "workflow_id": answer["workflow_id"],
        "name": "認証",
        "status": "in_progress",
        "created_at": answer["created_at"],
    }
    assert "認証" in listed.stdout


@pytest.mark.proves("face:cli:exit-codes", "face:cli:streams")
@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["workflow", "start"], 2, "NAME is required"),
        (["workflow", "list", "--limit", "0"], 2, "out of range"),
        (["workflow", "list", "--sttaus", "x"], 2, "there is no option '--sttaus'"),
        (["workflow", "lst"], 2, "there is no command 'workflow lst'"),
        (["workflow"], 2, "not a whole command"),
        (["--enable-trakcing", "workflow", "list"], 3, "there is no capability 'trakcing'"),
        (["workflow", "list", "--disable-tracking"], 3, "switched off"),
        (["config", "--enable-nothing-known"], 3, "there is no capability"),
        (["config", "get", "prot"], 3, "there is no setting 'prot'"),
        (["-C", "/", "workflow", "list"], 3, "not in a project"),
        (["-C", "/surely/missing", "workflow", "list"], 3, "there is no folder /surely/missing"),
        (["workflow", "get", "wf-missing"], 5, "there is no workflow 'wf-missing'"),
        (["import", "missing.jsonl"], 2, "cannot be read"),
        (["completion", "tcsh"], 2, "not one of: bash, zsh, fish"),
        (["init", "--client", "emacs"], 2, "not one of"),
        (["init", "--client", "claude"], 2, "--client: 'claude' is not one of"),
        (["events", "--limit", "abc"], 2, "--limit: must be a whole number"),
        (["workflow", "start", "x", "--plan", "not json"], 2, "--plan: must be JSON"),
        (["init", "--client", "claude-code"], 2, "nobody can be asked"),
    ],
)
def test_each_refusal_has_its_exit_code_and_says_what_to_do(
    cli: Cli, words: list[str], code: int, complaint: str
) -> None:
    done = cli.run(*words)
    assert done.returncode == code, done.stderr
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    as_json = cli.run(*words, "--json")
    assert as_json.returncode == code
    refusal = json.loads(as_json.stderr.splitlines()[-1])["error"]
    assert complaint in refusal["message"]
    assert set(refusal) == {"kind", "message", "hint", "data"}
    assert refusal["hint"] or "not one of" in complaint or "out of range" in complaint


@pytest.mark.proves("face:cli:exit-codes")
def test_a_conflict_ends_with_6(cli: Cli) -> None:
    workflow_id = started(cli)
    assert cli.run("workflow", "complete", workflow_id, "--summary", "done").returncode == 0
    assert cli.run("workflow", "complete", workflow_id, "--summary", "done").returncode == 0
    refused = cli.run("workflow", "complete", workflow_id, "--status", "failed")
    assert refused.returncode == 6
    assert refused.stderr.splitlines()[1].startswith("hint: ")


@pytest.mark.proves("face:cli:exit-codes")
def test_a_store_that_cannot_be_opened_ends_with_4(cli: Cli) -> None:
    (cli.folder / ".git/deedlog").mkdir()
    (cli.folder / ".git/deedlog/ledger.db").write_text("this is not a database, surely not one of ours\n" * 100)
    done = cli.run("workflow", "list")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("error: ")


@pytest.mark.proves("face:cli:exit-codes", "face:cli:streams")
def test_a_bug_is_one_line_with_a_place_to_look_and_ends_with_1(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "plugin_with_a_bug.py").write_text(
        "from typing import TypedDict\n"
        "from deedlog.core.caller import ANYONE\n"
        "from deedlog.operation.define import Effect, operation\n"
        "class Nothing(TypedDict):\n    x: int\n"
        "@operation(Effect.READ, capability='ledger', callers=ANYONE, words='bug show')\n"
        "def bug_show(ctx) -> Nothing:\n    '''Fail.'''\n    return {'x': 1 // 0}\n"
    )
    done = cli.run("bug", "show", DEEDLOG_PLUGINS="plugin_with_a_bug", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith("error: bug_show failed unexpectedly\nhint: details are in ")
    assert len(done.stderr.splitlines()) == 2
    assert "ZeroDivisionError" in (cli.folder / ".deedlog/logs/errors.log").read_text()
    broken = cli.run("config", DEEDLOG_PLUGINS="", PYTHONSTARTUP="", TZ="UTC", HOME="/dev/null")
    assert (broken.returncode, broken.stderr) == (0, "")


def test_an_unexpected_failure_of_a_command_is_one_line_too(cli: Cli) -> None:
    code = (
        "import sys; from deedlog.faces.cli import command, main\n"
        "def run(invocation): raise ZeroDivisionError\n"
        "command.find('config')\n"
        "import deedlog.faces.cli.commands.config as config\n"
        "config.COMMAND = config.COMMAND.replace(run=run)\n"
        "sys.exit(main.main(['config']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cli.folder, env=cli.environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: deedlog failed unexpectedly: ZeroDivisionError\nhint: details are in ")


@pytest.mark.proves("capability:switch:three-ways", "capability:off:unlisted-and-refused")
def test_a_capability_is_switched_by_flag_environment_and_file(cli: Cli) -> None:
    assert cli.run("workflow", "list").returncode == 0
    assert cli.run("--disable-tracking", "workflow", "list").returncode == 3
    assert cli.run("workflow", "list", "--disable-tracking").returncode == 3
    refused = cli.run("workflow", "list", DEEDLOG_DISABLE="tracking")
    assert (refused.returncode, "--enable-tracking" in refused.stderr) == (3, True)
    assert "workflow list" not in cli.run("--help", DEEDLOG_DISABLE="tracking").stdout
    (cli.folder / ".deedlog").mkdir()
    (cli.folder / ".deedlog/config.toml").write_text('disable = ["tracking"]\n')
    assert cli.run("workflow", "list").returncode == 0, "no person approved it"
    approve(cli.folder, cli.environment)
    assert cli.run("workflow", "list").returncode == 3
    tools = cli.run("mcp", "serve", stdin='{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n').stdout
    assert "ledger_search" in tools
    assert "start_workflow" not in tools


@pytest.mark.proves("face:cli:unknown-command")
@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        (["workflow", "strat"], "workflow start"),
        (["wokflow", "start"], "workflow start"),
        (["evnts"], "events"),
        (["doctr"], "doctor"),
        (["mcp", "sevre"], "mcp serve"),
        (["version"], "--version"),
        (["log"], "events"),
        (["complete"], "task complete' or 'workflow complete"),
        (["mcp", "secret", "ls"], "mcp secret list"),
        (["mcp", "actvate"], "mcp activate"),
    ],
)
def test_an_unknown_command_suggests_the_nearest(cli: Cli, words: list[str], nearest: str) -> None:
    done = cli.run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"did you mean '{nearest}'?" in done.stderr


@pytest.mark.proves("face:cli:unknown-command")
def test_what_is_near_is_looked_for_among_its_like(cli: Cli) -> None:
    assert "`deedlog mcp --help` lists its commands" in cli.run("mcp", "bid").stderr  # `cnp bid` is something else
    assert "did you mean 'bb query'?" in cli.run("bbb", "query", DEEDLOG_ENABLE="blackboard").stderr
    assert "'bb query'" not in cli.run("bbb", "query", DEEDLOG_DISABLE="blackboard").stderr


def test_verbs_of_other_programs_are_understood(cli: Cli) -> None:
    cli.run("mcp", "add", "mine", "sh")
    assert cli.run("mcp", "ls").stdout == cli.run("mcp", "list").stdout == cli.run("mcp", "environment").stdout
    assert cli.run("mcp", "get", "mine").stdout == cli.run("mcp", "show", "mine").stdout
    assert cli.run("mcp", "rm", "mine").returncode == 0
    assert cli.run("task", "ls").stdout == cli.run("task", "list").stdout


@pytest.mark.proves("face:cli:help")
def test_the_first_words_of_commands_are_explained_too(cli: Cli) -> None:
    done = cli.run("mcp", "secret", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: deedlog mcp secret VERB")
    assert "mcp secret set" in done.stdout
    assert "mcp add" not in done.stdout


def test_many_choices_are_told_with_their_meaning_and_few_with_their_name(cli: Cli) -> None:
    told = " ".join(cli.run("attention", "--help").stdout.split())
    assert "--kind WORD Only what waits for this reason (one of review, question, permission," in told
    assert "clarification, lease, merge, trust)" in told
    assert "--how merge|squash|rebase|discard" in cli.run("worker", "done", "--help").stdout


@pytest.mark.proves("face:cli:help")
def test_help_lists_every_command_and_explains_each(cli: Cli) -> None:
    overview = cli.run("--help")
    assert (overview.returncode, overview.stderr) == (0, "")
    assert cli.run().stdout == cli.run("help").stdout == overview.stdout
    for words in ("workflow start", "event list", "mcp serve", "config get", "init", "export", "completion"):
        assert f"  {words} " in overview.stdout
        explained = cli.run(*words.split(), "--help")
        assert (explained.returncode, explained.stderr) == (0, "")
        assert explained.stdout.startswith(f"Usage: deedlog {words}")
        assert "Examples:\n  deedlog" in explained.stdout or "Examples:\n  source" in explained.stdout
        assert cli.run("help", *words.split()).stdout == explained.stdout
    start = cli.run("workflow", "start", "--help").stdout
    assert "NAME" in start
    assert "--description TEXT" in start
    assert "at most 200" in start
    assert "MCP tool start_workflow" in start
    assert cli.run("workflow", "--help").stdout.startswith("Usage: deedlog workflow VERB")
    without_verb = cli.run("workflow")
    assert (without_verb.returncode, without_verb.stdout) == (2, "")
    assert "workflow list      List workflows" in without_verb.stderr
    assert cli.run("--version").stdout == f"deedlog {__version__}\n"


@pytest.mark.proves("face:cli:help")
def test_help_names_commands_where_tools_are_meant(cli: Cli) -> None:
    told = " ".join(cli.run("mcp", "discover", "--help").stdout.split())
    assert "then `deedlog mcp activate` one" in told
    assert "mcp_activate" not in cli.run("mcp", "--help").stdout
    assert "may be repeated" not in cli.run("mcp", "add", "--help").stdout


@pytest.mark.proves("face:cli:help")
def test_help_says_which_options_are_whose_and_what_they_take(cli: Cli) -> None:
    start = cli.run("workflow", "start", "--help").stdout
    change, every = start.index("Options of every change:"), start.index("Options of every command:")
    assert change < start.index("--idempotency-key") < start.index("--cause") < every
    assert '[{"step": TEXT, "goal": TEXT}, …]' in " ".join(start.split())
    events = cli.run("events", "--help").stdout
    assert events.index("Options:") < events.index("--follow") < events.index("Options of every command:")
    assert "--idempotency-key" not in events
    assert "default all" in events
    assert "bash|zsh|fish" in cli.run("completion", "--help").stdout
    assert "@file" not in cli.run("init", "--help").stdout


@pytest.mark.proves("face:cli:help")
@pytest.mark.parametrize("columns", [40, 80])
def test_help_fits_the_terminal_and_its_examples_stay_what_they_are(cli: Cli, columns: int) -> None:
    for words in ([], ["workflow"], *(op.words.split() for op in catalog.load()), *map(str.split, MODULES)):
        code, shown = cli.on_terminal(*words, "--help", columns=columns)
        assert code == 0
        text, _, examples = shown.partition("Examples:\n")
        examples, _, more = examples.partition("\n\n")
        if words:
            assert [line for line in (text + more).splitlines() if len(line) > columns] == []
        assert [line for line in examples.splitlines() if len(line) > 80] == []
    for op in catalog.load():
        shown = explained(op).partition("Examples:\n")[2].partition("\n\n")[0].replace("\\\n", "")
        assert shlex.split(shown) == shlex.split("\n".join(op.examples))


def test_text_and_json_come_from_standard_input(cli: Cli) -> None:
    done = cli.run("workflow", "start", "x", "--plan", "-", "--json", stdin='[{"step": "1", "goal": "まず"}]\n')
    read = cli.run("workflow", "get", json.loads(done.stdout)["workflow_id"], "--json")
    assert json.loads(read.stdout)["plan"] == [{"step": "1", "goal": "まず"}]


@pytest.mark.proves("ledger:key:same-call-once", "ledger:key:other-arguments")
def test_the_actor_the_cause_and_the_key_of_a_call_are_recorded(cli: Cli) -> None:
    words = ["workflow", "start", "x", "--cause", "ticket 5", "--idempotency-key", "k1", "--json"]
    first, second = cli.run(*words, "--actor", "ada"), cli.run(*words, "--actor", "ada")
    assert first.stdout == second.stdout
    events = json.loads(cli.run("events", "--json").stdout)["events"]
    assert [event["actor"] for event in events] == ["ada"]
    other = cli.run("workflow", "start", "y", "--idempotency-key", "k1")
    assert other.returncode == 6
    assert json.loads(cli.run("events", "--actor", "nobody", "--json").stdout)["events"] == []


def test_an_empty_list_says_what_to_do_next_beside_the_data(cli: Cli) -> None:
    empty = cli.run("workflow", "list")
    assert (empty.returncode, empty.stdout) == (0, "")
    assert "begin with: deedlog workflow start" in empty.stderr
    assert "nothing matches" in cli.run("search", "x").stderr
    assert cli.run("search", "x", "--json").stderr == ""


def test_what_says_itself_why_it_is_empty_is_left_to_say_so(cli: Cli) -> None:
    calls = cli.run("mcp", "calls")
    assert (calls.returncode, calls.stderr) == (0, "")
    assert "no tool of another server was called yet; `deedlog mcp activate NAME` mounts one" in calls.stdout
    nothing = cli.run("mcp", "import")
    assert (nothing.returncode, nothing.stderr) == (0, "")
    assert "no other program's file with servers was found; `deedlog mcp add` adds one" in nothing.stdout
    unknown = cli.run("mcp", "discover", "xyzzy plugh")
    assert (unknown.returncode, unknown.stderr) == (0, "")
    (cli.folder / ".mcp.json").write_text('{"mcpServers": {"theirs": {"command": "sh"}}}')
    skipped = cli.run("mcp", "import")
    assert (skipped.returncode, skipped.stderr) == (0, "")
    assert "theirs" in skipped.stdout


@pytest.mark.proves("face:cli:readable")
def test_a_terminal_gets_a_fitting_coloured_table_and_a_pipe_a_plain_one(cli: Cli) -> None:
    started(cli, "長い" * 60)
    code, shown = cli.on_terminal("workflow", "list", columns=80)
    assert code == 0
    assert "\x1b[1m" in shown
    assert "…" in shown
    assert re.search(r"  \d\d:\d\d:\d\d\n", shown)
    assert "\x1b" not in cli.on_terminal("workflow", "list", NO_COLOR="1")[1]
    assert "\x1b" not in cli.on_terminal("workflow", "list", TERM="dumb")[1]
    plain = cli.run("workflow", "list").stdout
    assert "長い" * 60 in plain
    assert "\x1b" not in plain


@pytest.mark.proves("face:cli:escapes")
def test_escape_sequences_in_data_do_not_reach_the_terminal(cli: Cli) -> None:
    started(cli, "\x1b[2Jgone\x1b]0;owned\x07")
    for words in (["workflow", "list"], ["events"], ["search", "gone"]):
        _, shown = cli.on_terminal(*words, NO_COLOR="1", columns=200)
        assert "\x1b" not in shown
        assert "1b[2Jgone" in shown


@pytest.mark.proves("face:cli:interrupted")
def test_a_closed_pipe_ends_a_command_quietly(cli: Cli) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = cli.start("--help", stdout=writing)
    os.close(writing)
    _, errors = process.communicate(timeout=DEADLINE)
    assert (process.returncode, errors) == (141, b"")


def test_a_full_disk_under_the_output_is_said(cli: Cli) -> None:
    with open("/dev/full", "wb") as full:
        process = cli.start("--help", stdout=full.fileno())
        _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 1
    assert errors == b"error: the output cannot be written: No space left on device\n"


def test_a_closed_output_is_no_failure_of_the_command(cli: Cli) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "deedlog", "workflow", "start", "x"],
        cwd=cli.folder,
        env=cli.environment,
        stderr=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.proves("project:events:follow", "face:cli:interrupted")
def test_following_shows_each_event_as_it_is_committed_until_interrupted(cli: Cli) -> None:
    started(cli, "before")
    process = cli.start("events", "--follow", "--json")
    assert process.stdout
    seen = [json.loads(process.stdout.readline())]
    for name in ("one", "two"):
        started(cli, name)
        seen.append(json.loads(process.stdout.readline()))
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=DEADLINE)
    assert [event["after"]["name"] for event in seen] == ["before", "one", "two"]
    assert [event["seq"] for event in seen] == [1, 2, 3]
    assert (process.returncode, rest, errors) == (130, b"", b"")


def many(cli: Cli, count: int, description: str = "") -> None:
    app = app_in(str(cli.folder / ".git/deedlog"))
    for number in range(count):
        app.call("start_workflow", {"name": f"number {number}", "description": description}, caller())
    app.close()


def seqs(text: str) -> list[int]:
    return [int(line.split()[0]) for line in text.splitlines()[1:]]


@pytest.mark.proves("watch:resources-watch:wait")
def test_following_what_is_over_ends(cli: Cli) -> None:
    app = app_in(str(cli.folder / ".git/deedlog"))
    op = Op(op_id="op-1", operation="test", effect="write", actor="tester", at=1)
    app.ledger.write(op, [Run(id="run-1", workflow_id="", state="done", created_at=1, finished_at=2)])
    app.close()
    done = cli.run("resource", "watch", "sc://runs/run-1/events", "--follow", "--json")
    assert (done.returncode, [json.loads(line)["seq"] for line in done.stdout.splitlines()]) == (0, [1])


@pytest.mark.proves("project:events:follow")
def test_all_events_are_shown_however_many_pages_they_take(cli: Cli) -> None:
    many(cli, 130, "x" * 1000)
    answer = json.loads(cli.run("events", "--json").stdout)
    assert [event["seq"] for event in answer["events"]] == list(range(1, 131))
    assert answer["next_seq"] == 130
    assert seqs(cli.run("events").stdout) == list(range(1, 131))
    assert seqs(cli.run("events", "--from-seq", "90").stdout) == list(range(91, 131))
    limited = cli.run("events", "--limit", "60").stdout.splitlines()
    assert limited.pop() == "next_seq: 60"
    assert seqs("\n".join(limited)) == list(range(1, 61))
    assert seqs(cli.run("events", "--last", "--limit", "3").stdout) == [128, 129, 130]


@pytest.mark.proves("project:events:follow")
def test_following_begins_with_the_last_events_unless_told_where(cli: Cli) -> None:
    many(cli, 30)
    for words, first in (([], 21), (["--limit", "2"], 29), (["--from-seq", "3"], 4)):
        process = cli.start("events", "--follow", "--json", *words)
        assert process.stdout
        shown = [json.loads(process.stdout.readline())["seq"] for _ in range(31 - first)]
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=DEADLINE)
        assert (shown, rest) == (list(range(first, 31)), b"")


@pytest.mark.proves("face:cli:interrupted")
def test_following_ends_when_nobody_reads_any_more(cli: Cli) -> None:
    started(cli, "before")
    process = cli.start("events", "--follow")
    assert process.stdout
    assert process.stdout.readline().startswith(b"seq  at")
    assert process.stdout.readline().startswith(b"1 ")
    process.stdout.close()
    assert process.wait(DEADLINE) == 141
    assert process.stderr
    assert process.stderr.read() == b""
    process.stderr.close()


def test_following_for_people_shows_one_heading(cli: Cli) -> None:
    started(cli, "before")
    process = cli.start("events", "--follow", "--kind", "workflow.created")
    assert process.stdout
    assert process.stdout.readline().startswith(b"seq  at")
    assert process.stdout.readline().startswith(b"1 ")
    started(cli, "after")
    assert process.stdout.readline().startswith(b"2 ")
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=DEADLINE) == (b"", b"")


def test_a_folder_that_is_gone_is_said(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    words = ["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", sys.executable, "-m", "deedlog"]
    done = subprocess.run(
        [*words, "workflow", "list"], cwd=tmp_path / "gone", env=cli.environment, capture_output=True, check=False
    )
    assert done.returncode == 3
    assert done.stderr.startswith(b"error: the current folder is gone\n")


def test_a_plug_in_that_cannot_be_loaded_is_named(cli: Cli) -> None:
    done = cli.run("workflow", "list", DEEDLOG_PLUGINS="no_such_plug_in")
    assert done.returncode == 3
    assert "error: the plug-in 'no_such_plug_in' cannot be loaded" in done.stderr


def test_help_groups_the_commands_and_lists_none_that_is_off(cli: Cli) -> None:
    overview = cli.run("--help").stdout
    titles = ["Tasks:", "Workers and their sessions:", "Agents and the memory bank:", "The ledger:"]
    assert [line for line in overview.splitlines() if line in titles] == titles
    assert "worker begin" not in overview
    assert "session output" not in cli.run("session", "--help").stdout
    assert "session output" in cli.run("--enable-supervision", "session", "--help").stdout
