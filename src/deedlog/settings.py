"""The one reader of configuration: flags, then environment, then files, then defaults."""

from __future__ import annotations

import os

from deedlog.core import check, prepare
from deedlog.core.caller import client_in
from deedlog.core.capability import CAPABILITIES, enabled, known
from deedlog.core.errors import DeedlogError, Invalid, Part
from deedlog.core.trust import MERGE_NEEDS, REMOVED, SETTING, Brought
from deedlog.core.value import Value
from deedlog.core.worker_calls import SOCKET, refusal
from deedlog.project import Project, stores_passed_by
from deedlog.repository import admitted, known_setting, parsed, with_file
from deedlog.setting_values import NO, YES, Setting, typed
from deedlog.trust import Trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting(
            name="store",
            help="Folder of the embedded store; by default in the git directory all work trees share",
            private=True,
        ),
        Setting(
            name="database_url", help="A PostgreSQL to use instead of the embedded store", secret=True, private=True
        ),
        Setting(
            name="project",
            help="The project's name in a shared PostgreSQL; by default from the git remote",
            guarded=True,
        ),
        Setting(
            name="actor",
            help="Who acts, in the log; by default the user, or the client's name; agents get a short id with it",
            guarded=True,
        ),
        Setting(name="host", help="Address `deedlog serve` listens on", default="127.0.0.1", private=True),
        Setting(name="port", help="Port `deedlog serve` listens on", default=4747, guarded=True),
        Setting(
            name="token",
            help="Bearer token for programs over HTTP; by default made once per store",
            secret=True,
            private=True,
        ),
        Setting(
            name="agents_may",
            help="Actions that need a person and that agents may do all the same, such as worker_done.force; * for all",
            default=[],
            private=True,
            own=True,
        ),
        Setting(
            name="token_rights",
            help="Rights of programs that use the HTTP API with the token: those of an agent, or of a person",
            default="agent",
            choices=("agent", "person"),
            private=True,
            own=True,
        ),
        Setting(
            name="watch_ignored",
            help="Globs of files that git ignores and whose changes shall be reported all the same (e.g. .env)",
            default=[],
            guarded=True,
        ),
        Setting(
            name="areas",
            help='What the names of areas stand for, as .gitignore writes paths: `auth = ["src/auth/", "!*.md"]`',
            default={},
        ),
        Setting(
            name="base_branch",
            help="The branch workers start from and their work is merged into; by default the one the main tree is on",
        ),
        Setting(name="branch_prefix", help="What the names of workers' branches begin with", default="task-"),
        Setting(name="max_workers", help="How many workers run at once; others wait in the queue", default=3),
        Setting(
            name="stall_ms",
            help="Milliseconds without output after which a run stops a worker, where the supervisor is on",
            default=300_000,
        ),
        Setting(name="stig_half_life_ms", help="Milliseconds after which a mark is half as strong", default=30_000),
        Setting(
            name="autoscale_cooldown_ms",
            help="Milliseconds for which the number of a run's workers stays, once it changed",
            default=10_000,
        ),
        Setting(name="worker_timeout", help="Seconds after which a worker is stopped", default=3600),
        Setting(
            name="worker_memory_mb",
            help="Most memory for data of each process of a worker, in MB, on Linux; 0 for any",
            default=0,
        ),
        Setting(
            name="worker_environment",
            help="Variables that workers and checks get although their names look like secrets, separated by commas",
            default=[],
            private=True,
        ),
        Setting(
            name="max_event_history",
            help="How many events of a run, and of the whole log, readers of both get back; 0 for all",
            default=0,
        ),
        Setting(name="lease", help="Seconds for which a task is claimed, unless its holder says more", default=900),
        Setting(
            name="checks",
            help='What must succeed before work is merged, by label: `tests = ["make", "test"]`',
            default={},
            entry=check.declared,
            form=check.FORM,
            guarded=True,
        ),
        Setting(
            name="prepare",
            help="What makes a fresh checkout ready for checks: "
            '`command = ["uv", "sync"]`, `lock_files = ["uv.lock"]`, `timeout = 600`',
            default=[],
            whole=prepare.declared,
            form=prepare.FORM,
            guarded=True,
        ),
        Setting(
            name="merge_hooks",
            help="Whether a merge runs the repository's hooks pre-merge-commit, pre-commit and commit-msg",
            default=False,
            guarded=True,
        ),
        Setting(name="merge_signing", help="Whether Deedlog signs the commits it merges", default=False, guarded=True),
        Setting(
            name="memory_labels",
            help="Language of the labels in the memory summary: en or ja",
            default="en",
            choices=("en", "ja"),
        ),
        Setting(
            name="clarify_idle",
            help="Minutes after which a clarification nobody answers expires",
            default=30,
        ),
        Setting(
            name="clarify_forms",
            help="Whether questions are shown as a form where the client has them: yes or no",
            default="yes",
            choices=("yes", "no"),
        ),
        Setting(
            name="llm_provider",
            help="The language model clarification may ask: openai (or what is compatible) or anthropic; else none",
            choices=("", "openai", "anthropic"),
            private=True,
        ),
        Setting(name="llm_model", help="Its name, e.g. gpt-5-mini", private=True),
        Setting(name="llm_url", help="Where it is; by default the provider's own address", private=True),
        Setting(
            name="llm_api_key",
            help="Its key; at the provider's own address by default OPENAI_API_KEY or ANTHROPIC_API_KEY",
            secret=True,
            private=True,
        ),
        Setting(
            name="llm_strict",
            help="Whether a language model that fails is a refusal: yes or no; by default the rules decide alone",
            default="no",
            choices=("yes", "no"),
        ),
        Setting(
            name="gateway_boot",
            help="MCP servers that are mounted when a server of ours starts, separated by commas",
            default=[],
            private=True,
        ),
        Setting(
            name="gateway_start_seconds",
            help="How long a mounted MCP server may take to start",
            default=90,
            private=True,
        ),
        Setting(
            name="gateway_call_seconds",
            help="How long a call of a mounted MCP server may take",
            default=300,
            private=True,
        ),
        Setting(
            name="gateway_idle_seconds",
            help="Seconds without a call after which a mounted MCP server is stopped until the next one; 0 for never",
            default=600,
            private=True,
        ),
        Setting(
            name="gateway_direct",
            help="Whether a package that npx or uvx has installed is run without them: yes or no",
            default="yes",
            choices=("yes", "no"),
            private=True,
        ),
        Setting(
            name="gateway_prompt_tokens",
            help="Most tokens that the list of MCP servers may take in an agent's instructions; 0 leaves it out",
            default=600,
            private=True,
        ),
        Setting(
            name="tools",
            help="What tools/list shows agents: the everyday tools in a few words (short), or all in full (all)",
            default="short",
            choices=("short", "all"),
        ),
        Setting(
            name="capabilities",
            help="Capabilities to switch on or off by their names: `tx = true`",
            default={},
            entry=lambda name, value: value if known(name) and isinstance(value, bool) else None,
            form="true or false",
            guarded=True,
        ),
        Setting(name="enable", help="Capabilities to switch on, separated by commas", default=[], guarded=True),
        Setting(name="disable", help="Capabilities to switch off, separated by commas", default=[], guarded=True),
        Setting(
            name="plugins", help="Python modules that add operations, separated by commas", default=[], private=True
        ),
    )
}
SWITCHES = {"DEEDLOG_ENABLE_": True, "DEEDLOG_DISABLE_": False}  # what begins the name of a capability's own variable
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


# What runs when work is merged, and what an agent can use: no agent decides on that in its own environment.
OF_PEOPLE = (*MERGE_NEEDS, "merge_hooks", "merge_signing", "capabilities", "enable", "disable", "plugins")
IN_OWN_FILE = "a person sets it in ~/.config/deedlog/config.toml"


class Settings(Value):
    """What is configured, where each value comes from, and the project it is about (None outside of one)."""

    values: dict[str, Any]
    origins: dict[str, str]
    project: Project | None
    folder: str
    at: Callable[
        [str, tuple[str, ...]], Settings
    ]  # for another folder, without some of the settings in the environment
    missing: DeedlogError | None = None
    environment: Mapping[str, str] = {}  # values are never changed in place
    brought: list[Brought] = []  # noqa: RUF012  # what the repository brings that a person approves
    faults: list[str] = []  # noqa: RUF012  # what is wrong with the repository's file
    unheard: list[str] = []  # noqa: RUF012  # settings in the environment of an agent, which are a person's

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def enabled(self) -> frozenset[str]:
        table: dict[str, bool] = self["capabilities"]
        on, off = ([name for name, value in table.items() if value is wanted] for wanted in (True, False))
        return enabled([*self["enable"], *on], [*self["disable"], *off])

    @property
    def decided(self) -> dict[str, str]:
        """The capabilities that somebody decided on by name, each with where."""
        found = {}
        for setting, done in (("enable", "on"), ("disable", "off")):
            for name in self[setting]:
                found[name] = f"it is switched {done} by {_place(setting, self.origins[setting])}"
        for name, value in self["capabilities"].items():
            place = _place(f"capabilities.{name}", self.origins[f"capabilities.{name}"])
            found[name] = f"it is switched {'on' if value else 'off'} by {place}"
        inner = {name: "it is for programs of ours alone" for name, one in CAPABILITIES.items() if one.inner}
        return found | dict.fromkeys(self["plugins"], "it is a plug-in") | inner

    @property
    def waiting(self) -> list[Brought]:
        return [one for one in self.brought if one.waits]

    @property
    def notes(self) -> list[str]:
        """What Deedlog ignores of the repository, for people."""
        ignored = [one for one in self.waiting if one.kind == SETTING]
        passed = stores_passed_by(self.folder, self.project) if self.project else []
        return [
            *(
                f"{one.source}: {one.name!r} is gone, and nothing is merged until a person approves that: deedlog trust"
                if one.state == REMOVED
                else f"{one.source}: Deedlog ignores {one.name!r} until a person approves it: deedlog trust"
                for one in ignored
            ),
            *self.faults,
            *(f"Deedlog ignores {name!r} in the environment of an agent: {IN_OWN_FILE}" for name in self.unheard),
            *(f"{store} is not used: a folder inside a git work tree belongs to that repository" for store in passed),
        ]

    @property
    def note(self) -> str:
        """The same for agents: no text of the repository, which may carry instructions."""
        names = [one.name for one in self.waiting if one.kind == SETTING and one.state != REMOVED]
        ignored = [f"settings that no person approved yet ({', '.join(names)}; `deedlog trust`)"] if names else []
        wrong = [f"{len(self.faults)} wrong entries (`deedlog config`)"] if self.faults else []
        part = f"a part of this repository's .deedlog/config.toml: {' and '.join([*ignored, *wrong])}"
        heard = f"settings in your environment ({', '.join(self.unheard)}): {IN_OWN_FILE}"
        said = [*([part] if ignored or wrong else []), *([heard] if self.unheard else [])]
        return " ".join(f"Deedlog ignores {one}." for one in said)

    def the_project(self) -> Project:
        """The project, or the refusal that says why there is none."""
        if self.project is None:
            assert self.missing is not None
            raise self.missing
        return self.project


def user_file(environment: Mapping[str, str]) -> str:
    base = environment.get("XDG_CONFIG_HOME") or os.path.join(environment.get("HOME") or _home(), ".config")
    return os.path.join(base, "deedlog", "config.toml")


def _home() -> str:
    """The user's own folder, for a program that was started without HOME."""
    return os.path.expanduser("~")


def load(folder: str, environment: Mapping[str, str], flags: Mapping[str, Any] | None = None) -> Settings:
    """Settings for a command that runs in `folder`. Flags that are None were not given."""
    if environment.get(SOCKET):
        return _in_worker(folder, environment, flags or {})
    own = user_file(environment)
    layers = [("default", {name: setting.default for name, setting in SETTINGS.items()}), (own, _file(own))]
    given = _environment(environment)
    unheard = [name for name in given if name in OF_PEOPLE] if client_in(environment) else []
    above = [
        ("environment", {name: value for name, value in given.items() if name not in unheard}),
        ("flag", {name: value for name, value in (flags or {}).items() if value is not None}),
    ]
    trusted = Trusted(os.path.dirname(own))
    found = admitted(folder, environment.get("DEEDLOG_STORE", ""), layers[1][1].get("store"), trusted)
    if found.project:
        found = with_file(found, own, trusted, SETTINGS, {name for _, layer in above for name in layer})
        layers.append((found.path, found.layer))
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, layer in [*layers, *above]:
        for name, value in layer.items():
            read = typed(SETTINGS[name], value, origin)
            origins[name] = SETTINGS[name].variable if origin == "environment" else origin
            if name == "capabilities":  # each name is a setting of its own
                origins |= {f"{name}.{one}": origin for one in read}
                read = {**values.get(name, {}), **read}
            values[name] = read
    key = KEYS.get(values["llm_provider"], "")
    if not values["llm_api_key"] and not values["llm_url"] and environment.get(key):
        values["llm_api_key"], origins["llm_api_key"] = environment[key], key  # for the provider itself, nobody else
    project = found.project
    if project and values["store"] and not environment.get("DEEDLOG_STORE"):
        base = os.path.join(project.root, os.path.expanduser(values["store"]))
        project = project.replace(store=os.path.normpath(base))
    return Settings(
        values=values,
        origins=origins,
        project=project,
        folder=folder,
        at=lambda other, without: load(other, _without(environment, without), flags),
        missing=found.missing,
        environment=environment,
        brought=found.brought,
        faults=found.faults,
        unheard=unheard,
    )


def _in_worker(folder: str, environment: Mapping[str, str], flags: Mapping[str, Any]) -> Settings:
    """Of a worker, which has no store and need not be able to read any file of ours."""
    given = {name: value for name, value in flags.items() if value is not None}
    values = {name: setting.default for name, setting in SETTINGS.items()} | given
    return Settings(
        values=values,
        origins={name: "flag" if name in given else "default" for name in values},
        project=None,
        folder=folder,
        at=lambda other, _without: _in_worker(other, environment, flags),
        missing=refusal("this"),
        environment=environment,
    )


def _without(environment: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    variables = {SETTINGS[name].variable for name in names}
    return {variable: value for variable, value in environment.items() if variable not in variables}


def _environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found = {name: environment.get(setting.variable, "") for name, setting in SETTINGS.items() if not setting.own}
    given: dict[str, Any] = {name: text for name, text in found.items() if text}
    if switched := _switched(environment):
        table = typed(SETTINGS["capabilities"], given.get("capabilities", {}), "environment")
        given["capabilities"] = {**table, **switched}
    return given


def _switched(environment: Mapping[str, str]) -> dict[str, bool]:
    """What variables such as DEEDLOG_ENABLE_TX=1 say."""
    found = {}
    for variable, text in environment.items():
        for prefix, on in SWITCHES.items():
            if variable.startswith(prefix) and text:
                if text.lower() not in YES + NO:
                    raise Invalid(f"{variable} must be 1 or 0, not {text[:80]!r}", part=Part.CONFIGURATION)
                name = known(variable.removeprefix(prefix).lower().replace("_", "-"))
                found[name] = on == (text.lower() in YES)
    return found


def _place(setting: str, origin: str) -> str:
    if origin == "flag":
        return f"a flag, --{setting}-…"
    if origin == "environment":
        return "the environment"
    return origin if origin.startswith("DEEDLOG_") else f"`{setting}` in {origin}"


def _file(path: str) -> dict[str, Any]:
    found = parsed(path)
    for name in found:
        known_setting(name, path, SETTINGS)
    return found
