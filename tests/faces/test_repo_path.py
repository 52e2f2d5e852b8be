"""A call that names a path runs in the project around it: over stdio, at the command line and over HTTP."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from deedlog import bootstrap, elsewhere
from deedlog.app import App
from deedlog.core.errors import DeedlogError, Invalid, NotFound, Part
from deedlog.settings import load
from deedlog.testing import caller
from tests.e2e.processes import HttpServer
from tests.faces.cli.running import COMMAND, Cli
from tests.repository import git, repository

ROOT = Path(__file__).parent.parent.parent
PLUGIN = "tests.faces.placed_plugin"
SERVE = [*COMMAND, "serve", "--port", "0"]
NOBODY = 65534


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder that is in no project."""
    (tmp_path / "outside").mkdir()
    return tmp_path / "outside"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return repository(tmp_path / "other")


def program(folder: Path, **environment: str) -> Cli:
    return Cli(folder, folder.parent, PYTHONPATH=str(ROOT), DEEDLOG_PLUGINS=PLUGIN, **environment)


def tool_calls(folder: Path, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """What one server process, started in a folder, answers to these calls."""
    lines = [
        json.dumps(
            {"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        )
        for i, (name, arguments) in enumerate(calls)
    ]
    done = program(folder).run("mcp", "serve", stdin="\n".join(lines) + "\n")
    replies = {reply["id"]: reply["result"] for reply in map(json.loads, done.stdout.splitlines())}
    return [json.loads(replies[i]["content"][0]["text"]) for i in range(len(calls))]


def shown(folder: Path, path: object) -> Any:
    return tool_calls(folder, ("place_show", {"repo_path": path}))[0]


def opened(folder: Path, *, confined: bool = False, **environment: str) -> App:
    return bootstrap.build(load(str(folder), environment, {"plugins": [PLUGIN]}), confined=confined)


def place(app: App, path: str) -> str:
    answer = app.call("place_show", {"repo_path": path}, caller())
    return str(answer["tree"])


def refusal(app: App, path: str, tool: str = "place_show", **arguments: str) -> DeedlogError:
    with pytest.raises(DeedlogError) as refused:
        app.call(tool, {"repo_path": path, **arguments}, caller())
    return refused.value


@pytest.mark.proves("clarify:repo:path")
def test_a_server_started_in_one_project_answers_for_another_with_its_own_store(repo: Path, other: Path) -> None:
    own = repo.parent / ".config/deedlog/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('agents_may = ["place_note", "place_show"]\n')
    first, second, third, fourth = tool_calls(
        repo,
        ("place_note", {"text": "there", "repo_path": str(other)}),
        ("place_show", {"repo_path": str(other)}),
        ("place_show", {}),
        ("place_show", {"repoPath": str(other)}),
    )
    assert (first["root"], first["tree"]) == (str(other), str(other))
    assert (second["notes"], third["notes"], fourth["notes"]) == (1, 0, 1)
    assert third["tree"] == str(repo)
    assert (other / ".git/deedlog/ledger.db").exists()


@pytest.mark.proves("clarify:repo:path")
def test_a_server_started_outside_of_any_project_answers_for_one_that_is_named(outside: Path, other: Path) -> None:
    here, there = tool_calls(outside, ("place_show", {}), ("place_show", {"repo_path": str(other)}))
    assert here["error"]
    assert there["tree"] == str(other)


@pytest.mark.proves("clarify:repo:path")
@pytest.mark.parametrize("path", [None, ""])
def test_no_path_is_the_project_of_the_server(repo: Path, path: object) -> None:
    assert shown(repo, path)["tree"] == str(repo)


@pytest.mark.proves("clarify:repo:path")
def test_a_path_that_is_no_text_is_refused_as_every_argument(repo: Path) -> None:
    with pytest.raises(Invalid, match="repo_path: must be text"):
        opened(repo).call("place_show", {"repo_path": 5}, caller())
    with pytest.raises(Invalid, match="given twice"):
        opened(repo).call("place_show", {"repo_path": "a", "repoPath": "b"}, caller())


@pytest.mark.proves("clarify:repo:path")
def test_a_subfolder_a_file_a_relative_path_and_the_home_folder_lead_to_the_project(
    repo: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (other / "src/deep").mkdir(parents=True)
    (other / "src/deep/main.py").write_text("")
    (repo / "link").symlink_to(other / "src")
    monkeypatch.setenv("HOME", str(other / "src"))
    app = opened(repo)
    paths = [str(other / "src/deep"), str(other / "src/deep/main.py"), "../other", "~", "~/deep", "link/deep"]
    assert [place(app, path) for path in paths] == [str(other)] * len(paths)
    assert place(app, "link/..") == str(other)


@pytest.mark.proves("clarify:repo:path")
def test_the_command_reads_a_path_from_the_folder_it_runs_in(repo: Path, outside: Path, other: Path) -> None:
    found = program(outside).run("place", "show", "--repo-path", "../other", "--json")
    assert json.loads(found.stdout)["tree"] == str(other)
    found = program(outside).run("-C", str(other), "place", "show", "--repo-path", "../repo", "--json")
    assert json.loads(found.stdout)["tree"] == str(repo)
    missing = program(outside).run("place", "show", "--repo-path", ".", "--json")
    assert (missing.returncode, "is not in a project" in missing.stderr) == (3, True)


@pytest.mark.proves("clarify:repo:discovery")
def test_another_work_tree_has_the_same_store_and_its_own_files(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "linked")
    noted, here = tool_calls(
        repo, ("place_note", {"text": "there", "repo_path": str(tmp_path / "linked")}), ("place_show", {})
    )
    assert (noted["tree"], noted["root"]) == (str(tmp_path / "linked"), str(repo))
    assert (here["tree"], here["notes"]) == (str(repo), 1)


@pytest.mark.proves("clarify:repo:discovery")
def test_a_submodule_and_a_nested_repository_are_projects_of_their_own(repo: Path, other: Path) -> None:
    git(repo, "submodule", "--quiet", "add", str(other), "vendor/other")
    repository(repo / "tools/nested")
    (repo / ".hidden/inside").mkdir(parents=True)
    app = opened(repo)
    assert place(app, "vendor/other") == str(repo / "vendor/other")
    assert place(app, "tools/nested") == str(repo / "tools/nested")
    assert place(app, ".hidden/inside") == str(repo)
    assert place(opened(repo / "vendor/other"), "..") == str(repo)


@pytest.mark.proves("clarify:repo:discovery")
def test_an_empty_git_folder_makes_no_project(outside: Path, repo: Path) -> None:
    (outside / ".git").mkdir()
    (outside / "sub").mkdir()
    assert "is not in a project" in refusal(opened(repo), str(outside / "sub")).message
    (repo / "sub/.git").mkdir(parents=True)
    assert place(opened(outside), str(repo / "sub")) == str(repo), "git does not see an empty one either"


@pytest.mark.proves("clarify:repo:discovery")
@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("nowhere", "does not exist"),
        ("a\0b", "has characters no path has"),
        ("half \ud800", "has characters no path has"),
        ("x" * 5_000, "File name too long"),
        ("README.md/x", "Not a directory"),
        ("loop", "symbolic links"),
        ("/", "is not in a project"),
        ("..", "is not in a project"),
        ("bare.git", "is a bare repository"),
        ("bare.git/refs", "is a bare repository"),
        (".git/hooks", "the inside of a git directory"),
        ("dangling/sub", "has a .git file that leads nowhere"),
    ],
    ids=range(12),
)
def test_a_path_that_is_in_no_repository_is_refused_with_a_reason(repo: Path, path: str, why: str) -> None:
    git(repo, "clone", "--quiet", "--bare", str(repo), "bare.git")
    (repo / "dangling/sub").mkdir(parents=True)
    (repo / "dangling/.git").write_text("gitdir: ../gone")
    (repo / "loop").symlink_to("loop")
    refused = refusal(opened(repo), path)
    assert (refused.kind, refused.part) == ("not_found", Part.CONFIGURATION)
    assert why in refused.message
    assert refused.hint
    assert (refused.data["code"], len(refused.message) < 400) == ("REPO_NOT_FOUND", True)
    json.dumps(refused.data, ensure_ascii=False).encode()


@pytest.mark.proves("clarify:repo:discovery")
def test_a_repository_of_another_user_is_refused_unless_its_store_is_named(
    repo: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(repo)
    place(app, str(repo))
    if os.getuid() == 0:
        os.chown(other / ".git", NOBODY, -1)
    else:  # nobody else can give a folder away: this is how it looks to another user
        monkeypatch.setattr(os, "getuid", lambda: NOBODY)
    refused = refusal(app, str(other))
    assert (refused.kind, refused.part) == ("denied", Part.CONFIGURATION)
    assert "belongs to another user" in refused.message
    assert place(opened(repo, DEEDLOG_STORE=str(other / ".git/deedlog")), str(other)) == str(other)


@pytest.mark.proves("clarify:repo:path")
def test_the_settings_of_the_other_project_are_read(repo: Path, other: Path) -> None:
    (other / ".deedlog").mkdir()
    (other / ".deedlog/config.toml").write_text('areas = { auth = "src/" }\nnonsense = 1\n')
    found = opened(repo).engines.projects()
    with found.visiting(str(other)) as app:
        assert app is not None
        assert app.settings["areas"] == {"auth": ["src/"]}
        (fault,) = app.trust.faults()
    assert "nonsense" in fault


@pytest.mark.proves("clarify:repo:path")
def test_what_was_begun_elsewhere_goes_on_there_without_naming_the_path_again(
    repo: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "MOST_BEGUN", 2)
    app = opened(repo)

    def call(**arguments: str) -> Any:
        return app.call("place_begin", arguments, caller())

    begun = call(repo_path=str(other))["session_id"]
    assert call(session_id=begun)["tree"] == str(other)
    assert call(sessionId=begun)["tree"] == str(other)
    assert call(session_id=begun, repo_path=str(repo))["tree"] == str(repo)
    assert call(session_id="clar-unknown")["tree"] == str(repo)
    assert call()["tree"] == str(repo)
    for _ in range(2):
        call(repo_path=str(other))
    assert call(session_id=begun)["tree"] == str(repo)


@pytest.mark.proves("clarify:repo:path")
def test_a_store_named_for_one_project_is_not_another_ones(repo: Path, other: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "linked")
    app = opened(repo, DEEDLOG_STORE=str(tmp_path / "store"), DEEDLOG_PROJECT="one")
    for path in (other, tmp_path / "linked"):
        app.call("place_note", {"text": "x", "repo_path": str(path)}, caller())
    assert app.call("place_show", {}, caller())["notes"] == 1
    assert app.call("place_show", {"repo_path": str(other)}, caller())["notes"] == 1
    assert (other / ".git/deedlog/ledger.db").exists()
    assert not (repo / ".git/deedlog").exists()
    app.close()


@pytest.mark.proves("clarify:repo:path")
def test_in_a_shared_postgresql_each_repository_has_its_own_name(repo: Path, other: Path, postgres_url: str) -> None:
    git(repo, "remote", "add", "origin", "https://x.invalid/team/one.git")
    app = opened(repo, DEEDLOG_DATABASE_URL=postgres_url, DEEDLOG_PROJECT="one")
    refused = refusal(app, str(other), tool="place_note", text="x")
    assert (refused.kind, "has no git remote" in refused.message) == ("not_found", True)
    git(other, "remote", "add", "origin", "https://x.invalid/team/two.git")
    app.call("place_note", {"text": "x", "repo_path": str(other)}, caller())
    assert app.call("place_show", {}, caller())["notes"] == 0
    assert app.call("place_show", {"repo_path": str(other)}, caller())["notes"] == 1
    app.close()


def test_few_projects_are_kept_open_and_none_that_is_in_use(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "MOST_OPEN", 2)
    app = opened(repo)
    projects: Any = app.engines.projects()
    folders = [repository(tmp_path / f"many/{i}") for i in range(4)]
    with projects.visiting(str(folders[0])) as first:
        for folder in folders:
            with projects.visiting(str(folder)) as visited:
                assert visited.call("place_note", {"text": "x"}, caller())["tree"] == str(folder)
        with projects.visiting(str(folders[0])) as again:
            assert again is first
    with projects.visiting(str(folders[3])) as kept, projects.visiting(str(folders[3])) as same:
        assert kept is same
    assert len(projects._open) == 2
    projects.close()
    assert len(projects._open) == 0


def test_a_repository_that_is_made_anew_in_the_same_place_is_another_one(repo: Path, tmp_path: Path) -> None:
    app = opened(repo)
    there = repository(tmp_path / "there")
    app.call("place_note", {"text": "x", "repo_path": str(there)}, caller())
    there.rename(tmp_path / "away")
    repository(there)
    assert app.call("place_show", {"repo_path": str(there)}, caller())["notes"] == 0
    app.close()


@pytest.mark.proves("clarify:repo:served")
def test_a_confined_app_stays_in_its_repository_and_tells_nothing_of_what_is_outside(
    repo: Path, other: Path, tmp_path: Path
) -> None:
    git(repo, "worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "linked")
    repository(repo / "nested")
    app = opened(repo, confined=True)
    for tree in (repo, tmp_path / "linked", repo / "nested"):
        assert place(app, str(tree)) == str(tree)
    for path in (str(other), str(tmp_path / "nowhere"), "/", "../other", "nowhere", "a\0b"):
        refused = refusal(app, path)
        assert isinstance(refused, NotFound)
        assert refused.message.endswith("is not in this project")
        assert "git repository" not in refused.hint, "no other one would do"
    assert refusal(opened(tmp_path, confined=True), str(other)).message.endswith("is not in this project")


@pytest.mark.proves("clarify:repo:served")
def test_the_http_server_is_confined(repo: Path, other: Path) -> None:
    environment = {**program(repo).environment, "DEEDLOG_TOKEN": "secret"}
    with HttpServer(SERVE, repo, environment) as server:
        status, found = server.post("/api/place/show", {"repo_path": str(repo)})
        assert (status, found["tree"]) == (200, str(repo))
        status, refused = server.post("/api/place/show", {"repo_path": str(other)})
        assert (status, "is not in this project" in refused["error"]["message"]) == (404, True)
