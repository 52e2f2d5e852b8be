"""One setting, and its values in the type that it has."""

from __future__ import annotations

from deedlog.core.errors import Invalid, Part
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
EXPECTED = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    list: "a list of texts",
    dict: "a table of lists of texts",
}


class Setting(Value):
    """One thing that can be configured, under the same name everywhere.

    The project's own file cannot set what is `private`: a person who clones a repository has not agreed to it.
    It sets what is `guarded` only after a person approved exactly this value: it runs programs or redirects data.
    Only the user's own file sets what is `own`: an agent that runs a command chooses its environment.
    `choices` are the values there are, where there are few.
    `entry` reads one entry of a table whose entries are not lists of texts, or returns None; they have the `form`.
    `whole` reads the whole value in the same way.
    """

    name: str
    help: str
    default: Any = ""
    secret: bool = False
    private: bool = False
    guarded: bool = False
    own: bool = False
    choices: tuple[str, ...] = ()
    entry: Callable[[str, object], object] | None = None
    whole: Callable[[object], object] | None = None
    form: str = ""

    @property
    def variable(self) -> str:
        return f"DEEDLOG_{self.name.upper()}"


def typed(setting: Setting, value: Any, origin: str) -> Any:
    """The value in the type of the setting's default; text from the environment is read."""
    if setting.whole:
        return _whole(setting, setting.whole, value, origin)
    if isinstance(setting.default, bool) and isinstance(value, str) and value.lower() in YES + NO:
        return value.lower() in YES
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


def _whole(setting: Setting, read: Callable[[object], object], value: object, origin: str) -> object:
    found = read(_from_json(value) if isinstance(value, str) else value)
    if found is None:
        raise _wrong(setting, origin, setting.form, value)
    return found


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
