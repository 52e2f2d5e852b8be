"""The commands about a whole store and about the configuration."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import apsw
import pytest

from deedlog.settings import SETTINGS
from deedlog.testing import app_in, caller
from tests.approving import approve
from tests.engines.tracked import a_session, a_task, commit
from tests.faces.cli.running import Cli


@pytest.fixture
def other(tmp_path: Path) -> Cli:
    folder = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return Cli(folder, tmp_path / "home")


def names(cli: Cli) -> list[str]:
    return [row["name"] for row in json.loads(cli.run("workflow", "list", "--json").stdout)["workflows"]]


@pytest.mark.proves("project:export:commands")
def test_a_store_is_carried_through_a_file_and_through_a_pipe(cli: Cli, other: Cli, tmp_path: Path) -> None:
    for name in ("一", "two"):
        cli.run("workflow", "start", name)
    written = json.loads(cli.run("export", "--json").stdout)
    assert written["ops"] == len(Path(written["file"]).read_text().splitlines()) - 1 == 2
    assert Path(written["file"]).parent == cli.folder / ".deedlog/exports"
    piped = cli.run("export", "-")
    assert piped.stdout == Path(written["file"]).read_text()
    assert other.run("import", written["file"]).returncode == 0
    assert names(other) == names(cli) == ["two", "一"]
    events = other.run("events", "--json").stdout
    assert other.run("import", "-", stdin=piped.stdout).returncode == 0
    assert other.run("events", "--json").stdout == events
    assert cli.run("export", "here.jsonl").returncode == 0
    assert (cli.folder / "here.jsonl").read_text() == piped.stdout


@pytest.mark.proves("project:export:commands")
def test_tasks_are_carried_with_their_patches_and_get_free_numbers(cli: Cli, other: Cli) -> None:
    for one in (cli, other):
        ledger = app_in(str(one.folder / ".git/deedlog")).ledger
        patch = ledger.keep(str(one.folder).encode())
        commit(ledger, a_task(1), a_session(1, patch=patch))
        ledger.close()
    written = json.loads(cli.run("export", "--json").stdout)
    assert written["ops"] == len(Path(written["file"]).read_text().splitlines()) - 2 == 1
    done = other.run("import", written["file"])
    assert done.returncode == 0, done.stderr
    assert "task-1 is task-2 now" in done.stdout
    assert app_in(str(other.folder / ".git/deedlog")).ledger.kept(patch)
    last = json.loads(other.run("events", "--operation", "import", "--json").stdout)["events"][-1]
    assert (last["kind"], last["actor"]) == ("task.changed", "tester")
    assert other.run("doctor").returncode == 0


@pytest.mark.proves("project:export:commands")
def test_an_export_replaces_a_file_only_on_demand_and_nothing_else_ever(cli: Cli) -> None:
    cli.run("workflow", "start", "x")
    target = cli.folder / "kept.jsonl"
    target.write_text("precious")
    refused = cli.run("export", "kept.jsonl")
    assert (refused.returncode, target.read_text()) == (6, "precious")
    assert "hint: add --force" in refused.stderr
    (cli.folder / "folder").mkdir()
    os.mkfifo(cli.folder / "pipe")
    refusals = {"folder": 2, "pipe": 2, "missing/x.jsonl": 5, "/proc/x.jsonl": 3}
    for name, code in refusals.items():
        done = cli.run("export", name, "--force")
        assert done.returncode == code, done.stderr
        assert "hint: " in done.stderr
    assert not (cli.folder / "missing").exists()
    assert cli.run("export", "folder/../kept.jsonl", "--force", "--json").stdout == (
        json.dumps({"file": str(target), "ops": 1}) + "\n"
    )
    assert len(target.read_text().splitlines()) == 2
    assert list(cli.folder.glob("*.tmp")) == []


def test_files_are_named_from_where_one_stands_whatever_the_project(cli: Cli, other: Cli) -> None:
    cli.run("workflow", "start", "x")
    assert other.run("-C", str(cli.folder), "export", "all.jsonl").returncode == 0
    assert (other.folder / "all.jsonl").is_file()
    assert cli.run("-C", str(other.folder), "import", "all.jsonl").returncode == 2
    assert other.run("-C", str(other.folder), "import", "all.jsonl").returncode == 0
    assert names(other) == ["x"]


def test_a_changed_export_is_imported_on_demand_only(cli: Cli, other: Cli) -> None:
    cli.run("workflow", "start", "alpha")
    text = cli.run("export", "-").stdout.replace("alpha", "omega")
    refused = other.run("import", "-", stdin=text)
    assert (refused.returncode, names(other)) == (2, [])
    assert "--anyway" in refused.stderr
    assert other.run("import", "-", "--anyway", stdin=text).returncode == 0
    assert names(other) == ["omega"]


def test_what_did_not_fit_is_told_a_line_each_and_once_more_beside_the_data(cli: Cli, other: Cli) -> None:
    workflow_ids = [json.loads(cli.run("workflow", "start", name, "--json").stdout)["workflow_id"] for name in "ab"]
    assert other.run("import", "-", stdin=cli.run("export", "-").stdout).returncode == 0
    for workflow_id in workflow_ids:
        cli.run("workflow", "complete", workflow_id, "--status", "failed")
        other.run("workflow", "complete", workflow_id, "--status", "partial")
    done = other.run("import", "-", stdin=cli.run("export", "-").stdout)
    assert done.returncode == 0
    assert len([line for line in done.stdout.splitlines() if "was not applied" in line]) == 2
    assert done.stderr.startswith("warning: some ops did not fit")


@pytest.mark.parametrize("text", [b"\xff\n", b"not json\n", b'{"op": 5}\n', b"[]\n"])
def test_a_foreign_file_is_refused_and_nothing_is_imported(cli: Cli, text: bytes) -> None:
    done = cli.run("import", "-", stdin=text)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads(cli.run("events", "--json").stdout)["events"] == []


@pytest.mark.proves("project:doctor:command")
def test_the_doctor_says_that_all_is_well_or_what_is_not(cli: Cli) -> None:
    cli.run("workflow", "start", "x")
    well = cli.run("doctor")
    assert (well.returncode, well.stderr) == (0, "")
    assert well.stdout.endswith("all is well\n")
    assert str(cli.folder / ".git/deedlog") in well.stdout
    database = apsw.Connection(str(cli.folder / ".git/deedlog/ledger.db"))
    database.execute("UPDATE workflow SET body = replace(body, 'x', 'y')")
    database.close()
    ill = cli.run("doctor", "--json")
    assert ill.returncode == 4
    found = json.loads(ill.stdout)
    assert not found["ok"]
    assert found["problems"]
    shown = cli.run("doctor").stdout
    assert "problem: " in shown
    assert "`deedlog doctor --rebuild`" in shown.splitlines()[-1]
    rebuilt = cli.run("doctor", "--rebuild", "--json")
    assert rebuilt.returncode == 0
    assert json.loads(rebuilt.stdout)["facts"]["rebuilt"] == 1
    assert names(cli) == ["x"]


@pytest.mark.proves("store:place:became-git")
def test_a_folder_that_becomes_a_repository_goes_on_with_its_ledger(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    cli = Cli(tmp_path / "new", tmp_path / "home")
    git = ["git", "-C", str(cli.folder)]
    assert cli.run("init").returncode == 0
    cli.run("workflow", "start", "before")
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "--all"], check=True)
    assert subprocess.run([*git, "ls-files"], check=True, capture_output=True).stdout == b""
    cli.run("workflow", "start", "after")
    assert names(cli) == ["after", "before"]
    assert cli.run("doctor").stdout.endswith("all is well\n")


@pytest.mark.proves("store:place:became-git")
def test_the_doctor_points_at_a_store_that_is_not_used_and_says_how_to_add_it(cli: Cli, tmp_path: Path) -> None:
    beside = str(cli.folder / ".deedlog/store")
    cli.run("workflow", "start", "used")
    cli.run("workflow", "start", "forgotten", DEEDLOG_STORE=beside)
    done = cli.run("doctor")
    assert done.returncode == 0
    assert f"warning: the store in {beside} is not used" in done.stdout
    assert f"DEEDLOG_STORE={beside} deedlog export - | deedlog import -" in done.stdout
    assert "all is well" not in done.stdout
    exported = cli.run("export", "-", DEEDLOG_STORE=beside).stdout
    assert cli.run("import", "-", stdin=exported).returncode == 0
    assert sorted(names(cli)) == ["forgotten", "used"]
    (cli.folder / ".deedlog/store").rename(tmp_path / "away")
    assert cli.run("doctor").stdout.endswith("all is well\n")


def test_the_doctor_rebuilds_from_a_damaged_log_on_demand_only(cli: Cli) -> None:
    for name in ("one", "two"):
        cli.run("workflow", "start", name)
    database = apsw.Connection(str(cli.folder / ".git/deedlog/ledger.db"))
    database.execute("DELETE FROM event WHERE seq = 1")
    database.close()
    refused = cli.run("doctor", "--rebuild")
    assert refused.returncode == 4
    assert "--anyway" in refused.stdout
    assert names(cli) == ["two", "one"]
    assert json.loads(cli.run("doctor", "--rebuild", "--anyway", "--json").stdout)["facts"]["rebuilt"] == 1
    assert names(cli) == ["two"]


def test_a_store_that_cannot_be_written_is_a_warning(cli: Cli, postgres_url: str) -> None:
    environment = {"DEEDLOG_DATABASE_URL": postgres_url, "DEEDLOG_PROJECT": "p"}
    assert cli.run("workflow", "start", "x", **environment).returncode == 0
    environment["DEEDLOG_DATABASE_URL"] += "&options=-c%20default_transaction_read_only%3Don"
    done = cli.run("doctor", **environment)
    assert done.returncode == 0, done.stdout
    assert "warning: the store can be read but not written" in done.stdout
    assert "all is well" not in done.stdout


@pytest.mark.proves("project:doctor:command", "project:init:prepares")
def test_with_a_shared_database_that_is_shown_instead_of_the_folder(cli: Cli, postgres_url: str) -> None:
    environment = {"DEEDLOG_DATABASE_URL": postgres_url, "DEEDLOG_PROJECT": "ours"}
    made = cli.run("init", "--json", **environment)
    assert made.returncode == 0, made.stderr
    answer = json.loads(made.stdout)
    assert (answer["project"], answer["project_name"]) == (str(cli.folder), "ours")
    assert "/test" in answer["database"]
    assert json.loads(cli.run("init", "--json", "--dry-run", **environment).stdout)["database"] == "PostgreSQL"
    facts = json.loads(cli.run("doctor", "--json", **environment).stdout)["facts"]
    assert facts["database"].startswith("PostgreSQL 1")
    assert (facts["server"], facts["project"], facts["folder"]) == (answer["database"], "ours", str(cli.folder))
    assert "store" not in facts


@pytest.mark.proves("project:doctor:command", "doctor:verify:sound")
def test_the_doctor_works_where_the_store_cannot_be_opened(cli: Cli, tmp_path: Path) -> None:
    store = cli.folder / ".git/deedlog"
    store.mkdir()
    (store / "ledger.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    done = cli.run("doctor", "--json")
    assert done.returncode == 4
    found = json.loads(done.stdout)
    assert found["facts"]["store"] == str(store)
    assert len(found["problems"]) == 1
    outside = cli.run("-C", str(tmp_path), "doctor")
    assert outside.returncode == 4
    assert "problem: " in outside.stdout
    assert "not in a project" in outside.stdout


@pytest.mark.proves("project:config:origin")
def test_every_setting_is_shown_with_its_origin_and_secrets_are_not(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "home/.config/deedlog").mkdir(parents=True)
    user_file = tmp_path / "home/.config/deedlog/config.toml"
    user_file.write_text('port = 5000\nactor = "from-user"\nhost = "::1"\n')
    (cli.folder / ".deedlog").mkdir()
    (cli.folder / ".deedlog/config.toml").write_text('actor = "from-project"\n')
    approve(cli.folder, cli.environment)
    done = cli.run("config", "--json", "--enable-tracking", DEEDLOG_HOST="127.0.0.3", DEEDLOG_TOKEN="hush")
    rows = {row["setting"]: (row["value"], row["from"]) for row in json.loads(done.stdout)["settings"]}
    assert rows["port"] == (5000, str(user_file))
    assert rows["actor"] == ("from-project", str(cli.folder / ".deedlog/config.toml"))
    assert rows["host"] == ("127.0.0.3", "DEEDLOG_HOST")
    assert rows["enable"] == (["tracking"], "flag")
    assert rows["plugins"] == ([], "default")
    assert rows["store"] == (str(cli.folder / ".git/deedlog"), "default")
    assert rows["token"] == ("(secret)", "DEEDLOG_TOKEN")
    assert set(rows) == set(SETTINGS)
    table = cli.run("config", DEEDLOG_DATABASE_URL="postgresql://u:hush@h/d", DEEDLOG_TOKEN="hush").stdout
    assert "hush" not in table
    assert cli.run("config", "get", "token", DEEDLOG_TOKEN="hush").stdout == "hush\n"
    assert cli.run("config", "get", "plugins", DEEDLOG_PLUGINS="a, b").stdout == "a,b\n"
    areas = '{"auth": ["src/auth/"]}'
    assert cli.run("config", "get", "areas", DEEDLOG_AREAS=areas).stdout == f"{areas}\n"


@pytest.mark.proves("project:config:origin")
def test_what_was_left_open_is_shown_as_it_comes_out(cli: Cli) -> None:
    def shown(**environment: str) -> dict[str, str]:
        rows = json.loads(cli.run("config", "--json", **environment).stdout)["settings"]
        return {row["setting"]: row["value"] for row in rows}

    before = shown()
    assert (before["actor"], before["project"]) == ("tester", "")
    assert before["token"].startswith("(made once per store")
    token = cli.run("config", "get", "token").stdout.strip()
    assert shown()["token"] == "(secret)"
    assert token not in cli.run("config").stdout
    assert cli.run("config", "get", "actor").stdout == "tester\n"
    assert cli.run("config", "get", "store").stdout == f"{cli.folder / '.git/deedlog'}\n"
    shared = {"DEEDLOG_DATABASE_URL": "postgresql://h/d"}
    assert "no git remote" in shown(**shared)["project"]
    subprocess.run(["git", "-C", str(cli.folder), "remote", "add", "origin", "git@host.test:us/it.git"], check=True)
    assert (
        shown(**shared)["project"] == cli.run("config", "get", "project", **shared).stdout.strip() == "host.test/us/it"
    )
    assert shown()["project"] == ""


def test_settings_are_not_set_here_and_misspelt_variables_are_pointed_out(cli: Cli) -> None:
    refused = cli.run("config", "set", "port", "5")
    assert refused.returncode == 2
    assert "hint: edit .deedlog/config.toml" in refused.stderr
    done = cli.run("workflow", "list", DEEDLOG_TOKNE="x")
    assert done.returncode == 0
    assert "warning: there is no setting DEEDLOG_TOKNE: did you mean 'DEEDLOG_TOKEN'?\n" in done.stderr
    served = cli.run("mcp", "serve", stdin='{"jsonrpc":"2.0","id":1,"method":"ping"}\n', DEEDLOG_TOKNE="x")
    assert (served.returncode, served.stderr) == (0, "")
    refused = cli.run("config", DEEDLOG_PORT="many")
    assert refused.stderr.startswith("error: DEEDLOG_PORT must be a whole number, not 'many'\nhint: Port")


@pytest.mark.proves("secret:never-shown")
def test_a_password_in_the_database_s_address_is_never_shown(cli: Cli) -> None:
    address = "postgresql://user:hush@127.0.0.1:1/nothing?connect_timeout=2"
    for words in (["workflow", "list"], ["doctor"], ["config"], ["export"], ["workflow", "list", "--json"]):
        done = cli.run(*words, DEEDLOG_DATABASE_URL=address, DEEDLOG_PROJECT="p")
        assert done.returncode == (0 if words == ["config"] else 4), done.stderr
        assert "hush" not in done.stdout + done.stderr
    assert not (cli.folder / ".deedlog/logs/errors.log").exists()


@pytest.mark.proves("project:config:unknown")
def test_an_unknown_setting_in_a_file_is_told_with_the_nearest_name(cli: Cli, tmp_path: Path) -> None:
    (cli.folder / ".deedlog").mkdir()
    (cli.folder / ".deedlog/config.toml").write_text("prot = 1\n")
    done = cli.run("workflow", "list")
    assert done.returncode == 0
    assert "there is no setting 'prot'" in done.stderr
    assert "did you mean 'port'?" in done.stderr
    assert "prot" in cli.run("doctor").stdout
    (tmp_path / "home/.config/deedlog").mkdir(parents=True, exist_ok=True)
    (tmp_path / "home/.config/deedlog/config.toml").write_text("prot = 1\n")
    done = cli.run("workflow", "list")
    assert done.returncode == 3
    assert "there is no setting 'prot'" in done.stderr
    assert "did you mean 'port'?" in done.stderr
    assert cli.run("--help").returncode == 0


@pytest.mark.proves("face:mcp:verbose")
def test_a_verbose_server_logs_every_message_and_says_nothing_more(cli: Cli) -> None:
    line = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    quiet, verbose = cli.run("mcp", "serve", stdin=line + "\n"), cli.run("mcp", "serve", "--verbose", stdin=line + "\n")
    assert quiet.stdout == verbose.stdout
    log = (cli.folder / ".deedlog/logs/mcp.log").read_text().splitlines()
    assert [entry.split(" ", 3)[2:] for entry in log] == [["<", line], [">", verbose.stdout.strip()]]


def test_long_work_shows_its_progress_to_somebody_who_looks(cli: Cli, other: Cli) -> None:
    app = app_in(str(cli.folder / ".git/deedlog"))
    for number in range(600):
        app.call("start_workflow", {"name": str(number)}, caller())
    app.close()
    code, shown = cli.on_terminal("export", "all.jsonl")
    assert code == 0
    assert "\r\x1b[Kexported 500\r\x1b[K" in shown
    assert cli.run("export", "all.jsonl", "--force").stderr == ""
    code, shown = other.on_terminal("import", str(cli.folder / "all.jsonl"))
    assert code == 0
    assert "read 500" in shown
