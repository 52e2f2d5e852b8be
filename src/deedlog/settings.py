"""The one reader of configuration: flags, then environment, then files, then defaults."""

from __future__ import annotations

import os

from deedlog.core import check
from deedlog.core.capability import CAPABILITIES, enabled, known
from deedlog.core.errors import DeedlogError, Invalid, Part
from deedlog.core.value import Value
from deedlog.core.words import did_you_mean
from deedlog.project import STATE, Project, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class Setting(Value):
    """One thing that can be configured, under the same name everywhere.

    What is `private` the project's own file cannot set: whoever clones a repository has not agreed to it.
    `choices` are the values there are, where there are few.
    `entry` reads one entry of a table whose entries are not lists of texts, or returns None; they have the `form`.
    """

    name: str
    help: str
    default: Any = ""
    secret: bool = False
    private: bool = False
    choices: tuple[str, ...] = ()
    entry: Callable[[str, object], object] | None = None
    form: str = ""

    @property
    def variable(self) -> str:
        return f"DEEDLOG_{self.name.upper()}"


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
        Setting(name="project", help="The project's name in a shared PostgreSQL; by default from the git remote"),
        Setting(name="actor", help="Who acts, in the log; by default the user, or the client's own name"),
        Setting(name="host", help="Address `deedlog serve` listens on", default="127.0.0.1", private=True),
        Setting(name="port", help="Port `deedlog serve` listens on", default=4747),
        Setting(
            name="token",
            help="Bearer token for programs over HTTP; by default made once per store",
            secret=True,
            private=True,
        ),
        Setting(
            name="watch_ignored",
            help="Globs of files that git ignores and whose changes shall be reported all the same (e.g. .env)",
            default=[],
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
        ),
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
        ),
        Setting(name="enable", help="Capabilities to switch on, separated by commas", default=[]),
        Setting(name="disable", help="Capabilities to switch off, separated by commas", default=[]),
        Setting(
            name="plugins", help="Python modules that add operations, separated by commas", default=[], private=True
        ),
    )
}
SWITCHES = {"DEEDLOG_ENABLE_": True, "DEEDLOG_DISABLE_": False}  # what begins the name of a capability's own variable
YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
EXPECTED = {str: "text", int: "a whole number", list: "a list of texts", dict: "a table of lists of texts"}


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

    def the_project(self) -> Project:
        """The project, or the refusal that says why there is none."""
        if self.project is None:
            assert self.missing is not None
            raise self.missing
        return self.project


def user_file(environment: Mapping[str, str]) -> str:
    base = environment.get("XDG_CONFIG_HOME") or os.path.join(environment.get("HOME", "/"), ".config")
    return os.path.join(base, "deedlog", "config.toml")


def load(folder: str, environment: Mapping[str, str], flags: Mapping[str, Any] | None = None) -> Settings:
    """Settings for a command that runs in `folder`. Flags that are None were not given."""
    store = environment.get("DEEDLOG_STORE", "")
    project, missing = None, None
    try:
        project = find(folder, os.path.abspath(store) if store else "")
    except DeedlogError as error:
        missing = error
    layers = [("default", {name: setting.default for name, setting in SETTINGS.items()})]
    own = user_file(environment)
    layers.append((own, _file(own)))
    if project:
        path = os.path.join(project.root, STATE, "config.toml")
        layers.append((path, _without_private(_file(path), path, own)))
    layers.append(("environment", _environment(environment)))
    layers.append(("flag", {name: value for name, value in (flags or {}).items() if value is not None}))
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, layer in layers:
        for name, value in layer.items():
            typed = _typed(SETTINGS[name], value, origin)
            origins[name] = SETTINGS[name].variable if origin == "environment" else origin
            if name == "capabilities":  # each name is a setting of its own
                origins |= {f"{name}.{one}": origin for one in typed}
                typed = {**values.get(name, {}), **typed}
            values[name] = typed
    key = KEYS.get(values["llm_provider"], "")
    if not values["llm_api_key"] and not values["llm_url"] and environment.get(key):
        values["llm_api_key"], origins["llm_api_key"] = environment[key], key  # for the provider itself, nobody else
    if project and values["store"] and not store:
        base = os.path.join(project.root, os.path.expanduser(values["store"]))
        project = project.replace(store=os.path.normpath(base))
    return Settings(
        values=values,
        origins=origins,
        project=project,
        folder=folder,
        at=lambda other, without: load(other, _without(environment, without), flags),
        missing=missing,
        environment=environment,
    )


def _without(environment: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    variables = {SETTINGS[name].variable for name in names}
    return {variable: value for variable, value in environment.items() if variable not in variables}


def _environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found = {name: environment.get(setting.variable, "") for name, setting in SETTINGS.items()}
    given: dict[str, Any] = {name: text for name, text in found.items() if text}
    if switched := _switched(environment):
        table = _typed(SETTINGS["capabilities"], given.get("capabilities", {}), "environment")
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
    if not os.path.exists(path):
        return {}
    import tomllib  # importing it costs more than starting Python

    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Invalid(f"{path}: {error}", part=Part.CONFIGURATION) from error
    for name in found:
        if name not in SETTINGS:
            hint = did_you_mean(name, SETTINGS, "`deedlog config` lists the settings")
            raise Invalid(f"{path}: there is no setting {name!r}", hint=hint, part=Part.CONFIGURATION)
    return found


def _without_private(found: dict[str, Any], path: str, own: str) -> dict[str, Any]:
    for name in found:
        if SETTINGS[name].private:
            raise Invalid(
                f"{path}: a project's file cannot set {name!r}",
                hint=f"set {SETTINGS[name].variable} in the environment, or {name} in {own}",
                part=Part.CONFIGURATION,
            )
    for name in _switched_on(found, path):
        if name in CAPABILITIES and CAPABILITIES[name].inner:
            raise Invalid(f"{path}: {name!r} is for programs of ours alone", part=Part.CONFIGURATION)
    return found


def _switched_on(found: dict[str, Any], path: str) -> list[str]:
    table = _typed(SETTINGS["capabilities"], found.get("capabilities", {}), path)
    return [*_typed(SETTINGS["enable"], found.get("enable", []), path), *(name for name, on in table.items() if on)]


def _typed(setting: Setting, value: Any, origin: str) -> Any:
    """The value in the type of the setting's default; text from the environment is read."""
    if isinstance(setting.default, list) and isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    if isinstance(setting.default, int) and isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(setting.default, dict) and isinstance(value, str):
        value = _from_json(value)
    if type(value) is not type(setting.default):
        raise _wrong(setting, origin, EXPECTED[type(setting.default)], value)
    if setting.choices and value not in setting.choices:
        raise _wrong(setting, origin, f"one of: {', '.join(setting.choices)}", value)
    return _table(setting, value, origin) if isinstance(value, dict) else value


def _from_json(text: str) -> Any:
    import json  # only a variable in the environment is text

    try:
        return json.loads(text)
    except ValueError:
        return text


def _table(setting: Setting, table: dict[str, Any], origin: str) -> dict[str, Any]:
    if setting.entry:
        return {name: _entry(setting, setting.entry, name, value, origin) for name, value in table.items()}
    lists = {name: [value] if isinstance(value, str) else value for name, value in table.items()}
    for name, value in lists.items():
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise _wrong(setting, origin, EXPECTED[list], value, f".{name}")
    return lists


def _entry(setting: Setting, read: Callable[[str, object], object], name: str, value: object, origin: str) -> object:
    found = read(name, value)
    if found is None:
        raise _wrong(setting, origin, setting.form, value, f".{name}")
    return found


def _wrong(setting: Setting, origin: str, expected: str, value: Any, part: str = "") -> Invalid:
    where = setting.variable if origin == "environment" else f"{origin}: {setting.name}"
    found = "" if setting.secret else f", not {value!r}"
    return Invalid(f"{where}{part} must be {expected}{found}", hint=setting.help, part=Part.CONFIGURATION)
