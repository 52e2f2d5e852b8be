"""Where settings come from, and what is refused in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deedlog import bootstrap, settings
from deedlog.core.errors import Invalid, NotFound, Part
from deedlog.settings import SETTINGS, load
from tests.approving import approve


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.proves("project:config:origin")
def test_a_flag_wins_over_the_environment_over_the_project_over_the_user(
    repo: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    def actor(**flags: object) -> tuple[object, str]:
        found = load(str(repo), environment, flags)
        return found["actor"], found.origins["actor"]

    assert actor() == ("", "default")
    user = write(tmp_path / "home/.config/deedlog/config.toml", 'actor = "user"')
    assert actor() == ("user", str(user))
    mine = write(repo / ".deedlog/config.toml", 'actor = "project"')
    assert actor() == ("user", str(user)), "no person approved it"
    approve(repo, environment)
    assert actor() == ("project", str(mine))
    environment["DEEDLOG_ACTOR"] = "environment"
    assert actor() == ("environment", "DEEDLOG_ACTOR")
    assert actor(actor="flag") == ("flag", "flag")
    assert actor(actor=None) == ("environment", "DEEDLOG_ACTOR")


def test_the_user_s_file_follows_xdg(tmp_path: Path) -> None:
    write(tmp_path / "xdg/deedlog/config.toml", "port = 9")
    assert load("/", {"HOME": "/nowhere", "XDG_CONFIG_HOME": str(tmp_path / "xdg")})["port"] == 9


def test_text_from_the_environment_takes_the_setting_s_type(environment: dict[str, str]) -> None:
    environment |= {"DEEDLOG_PORT": "8080", "DEEDLOG_PLUGINS": " a, b ,", "DEEDLOG_HOST": ""}
    found = load("/", environment)
    assert (found["port"], found["plugins"], found["host"]) == (8080, ["a", "b"], "127.0.0.1")


@pytest.mark.proves("project:config:unknown")
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("prot = 1", "there is no setting 'prot'"),
        ('port = "x"', "port must be a whole number, not 'x'"),
        ("port = true", "port must be a whole number, not True"),
        ("actor = 5", "actor must be text, not 5"),
        ("memory_labels = 'fr'", "memory_labels must be one of: en, ja, not 'fr'"),
        ("enable = 1", "enable must be a list of texts, not 1"),
        ('areas = ["auth"]', r"areas must be a table of lists of texts, not \['auth'\]"),
        ("[areas]\nauth = 5", "areas.auth must be a list of texts, not 5"),
        ('[areas]\nauth = ["src/", 5]', r"areas.auth must be a list of texts, not \['src/', 5\]"),
        ('[areas.auth]\nread = ["src/"]', "areas.auth must be a list of texts, not {'read'"),
        ('[checks]\ntests = "make test"', "checks.tests must be a command as a list of texts, or a table"),
        ("[checks.tests]\ntimeout = 5", "checks.tests must be a command as a list of texts, or a table"),
        ("prepare = 5", "prepare must be a table, or a list of tables, with `command`"),
        ('[prepare]\ncommand = ["a"]\nlock_files = ["../x"]', "prepare must be a table, or a list of tables"),
        ("merge_hooks = 1", "merge_hooks must be true or false, not 1"),
        ("port = ", "Invalid value"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_the_file(
    repo: Path, tmp_path: Path, environment: dict[str, str], text: str, complaint: str
) -> None:
    path = write(repo / ".deedlog/config.toml", text + "\n")
    found = load(str(repo), environment)
    (fault,) = found.faults
    assert re.search(complaint, fault)
    assert fault.startswith(f"{path}: ")
    assert found.values == {name: setting.default for name, setting in SETTINGS.items()}, "the file has no effect"
    own = write(tmp_path / "home/.config/deedlog/config.toml", text)
    with pytest.raises(Invalid, match=complaint) as refused:
        load(str(repo), environment)
    assert str(own) in refused.value.message
    assert refused.value.part is Part.CONFIGURATION


LLM = {"llm_provider": '"openai"', "llm_model": '"x"', "llm_url": '"http://x"', "llm_api_key": '"x"'}
SECONDS = ("gateway_start_seconds", "gateway_call_seconds", "gateway_idle_seconds")
GATEWAY = {
    "gateway_boot": '["x"]',
    "gateway_direct": '"no"',
    "gateway_prompt_tokens": "9",
    **dict.fromkeys(SECONDS, "1"),
}
PRIVATE = {
    "store": '"x"',
    "database_url": '"x"',
    "host": '"0.0.0.0"',
    "token": '"x"',
    "plugins": '["os"]',
    "agents_may": '["worker_done.force"]',
    "token_rights": '"person"',
    "worker_environment": '["NPM_TOKEN"]',
    **LLM,
    **GATEWAY,
}


@pytest.mark.proves("project:config:private")
@pytest.mark.parametrize("name", PRIVATE)
def test_what_could_do_harm_has_no_effect_in_the_file_that_comes_with_a_clone(
    repo: Path, tmp_path: Path, environment: dict[str, str], name: str
) -> None:
    text = f"{name} = {PRIVATE[name]}"
    own = write(tmp_path / "home/.config/deedlog/config.toml", text)
    assert load(str(repo), environment).origins[name] == str(own)
    write(repo / ".deedlog/config.toml", text)
    found = load(str(repo), environment)
    assert found.origins[name] == str(own)
    (fault,) = found.faults
    assert f"a project's file cannot set '{name}'" in fault
    assert (SETTINGS[name].variable in fault) is not SETTINGS[name].own
    assert str(own) in fault
    assert found.brought == [], "no approval changes that"


def test_rights_come_from_the_users_own_file_alone(repo: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    given = {**environment, "DEEDLOG_AGENTS_MAY": "worker_done.force", "DEEDLOG_TOKEN_RIGHTS": "person"}
    found = load(str(repo), given)
    assert (found["agents_may"], found["token_rights"]) == ([], "agent")
    write(tmp_path / "home/.config/deedlog/config.toml", 'agents_may = ["worker_done.force"]')
    assert load(str(repo), given)["agents_may"] == ["worker_done.force"]


def test_every_secret_is_private() -> None:
    assert {setting.name for setting in SETTINGS.values() if setting.private} == set(PRIVATE)
    assert all(setting.private for setting in SETTINGS.values() if setting.secret)


@pytest.mark.proves("capability:flag:unknown")
def test_an_unknown_capability_is_refused_wherever_it_was_written(environment: dict[str, str]) -> None:
    with pytest.raises(Invalid, match="'trakcing'") as refused:
        _ = load("/", environment | {"DEEDLOG_ENABLE": "trakcing"}).enabled
    assert refused.value.hint == "did you mean 'tracking'?"
    assert "tracking" not in load("/", environment | {"DEEDLOG_DISABLE": "tracking"}).enabled


@pytest.mark.proves("store:place:chosen")
def test_the_store_s_place_comes_from_the_environment_or_a_file(
    repo: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    write(tmp_path / "home/.config/deedlog/config.toml", 'store = "kept/here"')
    assert load(str(repo), environment).the_project().store == str(repo / "kept/here")
    environment["DEEDLOG_STORE"] = str(tmp_path / "there")
    assert load(str(repo), environment).the_project().store == str(tmp_path / "there")


def test_outside_of_a_project_settings_are_read_and_the_project_is_refused(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    found = load(str(tmp_path), environment)
    assert found.project is None
    with pytest.raises(NotFound, match="not in a project"):
        found.the_project()


def test_every_setting_has_a_help_and_a_variable_of_its_own() -> None:
    assert all(setting.help for setting in SETTINGS.values())
    assert len({setting.variable for setting in settings.SETTINGS.values()}) == len(SETTINGS)


def test_a_project_defines_its_areas_in_its_file(repo: Path, environment: dict[str, str]) -> None:
    assert load(str(repo), environment)["areas"] == {}
    write(repo / ".deedlog/config.toml", '[areas]\nauth = ["src/auth/", "prisma/schema.prisma"]\ndocs = "docs/"\n')
    defined = {"auth": ["src/auth/", "prisma/schema.prisma"], "docs": ["docs/"]}
    assert load(str(repo), environment)["areas"] == defined
    assert bootstrap.build(load(str(repo), environment)).settings["areas"] == defined


def test_areas_in_the_environment_are_json(environment: dict[str, str]) -> None:
    environment["DEEDLOG_AREAS"] = '{"auth": ["src/auth/"], "docs": "docs/"}'
    assert load("/", environment)["areas"] == {"auth": ["src/auth/"], "docs": ["docs/"]}
    for wrong in ("auth=src", '["auth"]', "{"):
        environment["DEEDLOG_AREAS"] = wrong
        with pytest.raises(Invalid, match="DEEDLOG_AREAS must be a table of lists of texts, not") as refused:
            load("/", environment)
        assert "auth = [" in refused.value.hint


def test_a_project_declares_its_checks_in_its_file(repo: Path, environment: dict[str, str]) -> None:
    lines = (
        '[checks]\nlint = ["make", "lint"]\n[checks.tests]\ncommand = ["make", "test"]\ntimeout = 60\nrequired = false'
    )
    write(repo / ".deedlog/config.toml", lines)
    approve(repo, environment)
    assert load(str(repo), environment)["checks"] == {
        "lint": {"label": "lint", "command": ["make", "lint"], "timeout": 600, "required": True},
        "tests": {"label": "tests", "command": ["make", "test"], "timeout": 60, "required": False},
    }
