"""What a folder's repository says that counts, and what a person has to approve first."""

from __future__ import annotations

import os

from deedlog.core.capability import is_inner, known
from deedlog.core.errors import DeedlogError, Denied, Invalid, Part
from deedlog.core.trust import APPROVED, MERGE_NEEDS, REMOVED, SETTING, STORE, Brought, mark_of, state_of
from deedlog.core.value import Value
from deedlog.core.words import did_you_mean
from deedlog.project import STATE, Project, find, refuse_foreign_folder, refuse_links
from deedlog.setting_values import typed
from deedlog.trust import Trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.setting_values import Setting

    Table = Mapping[str, Setting]

CAPABILITY_LISTS = ("capabilities", "enable", "disable")


class Repository(Value):
    """What is found in a folder: its project, or why there is none, and what its file says that counts."""

    project: Project | None = None
    missing: DeedlogError | None = None
    path: str = ""
    layer: dict[str, Any] = {}  # noqa: RUF012  # values are never changed in place
    brought: list[Brought] = []  # noqa: RUF012
    faults: list[str] = []  # noqa: RUF012


def admitted(folder: str, store: str, own_store: object, trusted: Trusted) -> Repository:
    """The project around a folder, unless another user, a link or an unknown store is in the way."""
    try:
        project = find(folder, os.path.abspath(store) if store else "")
        refuse_links(project)
        if not store and not own_store:
            refuse_foreign_folder(project)
    except DeedlogError as error:
        return Repository(missing=error)
    is_beside = not own_store and not store and project.store == project.store_beside
    if not is_beside or not os.path.lexists(project.store) or trusted.knows_store(project.store):
        return Repository(project=project)
    mark = mark_of(identity_of(project), STORE, STORE, project.store)
    since = os.lstat(project.store).st_mtime_ns // 1000
    item = Brought(kind=STORE, name=STORE, value=project.store, source=project.state, mark=mark, since=since)
    missing = Denied(
        f"Deedlog does not know the store {project.store}: it came with these files, or an earlier version made it",
        hint=f"if it is yours: deedlog trust approve {item.id}; else move that folder away",
        part=Part.CONFIGURATION,
    )
    return Repository(missing=missing, brought=[item])


def identity_of(project: Project) -> str:
    """What a repository is known by: the git directory that its work trees share."""
    return os.path.realpath(project.git_dir or project.root)


def with_file(found: Repository, own: str, trusted: Trusted, settings: Table, overruled: set[str]) -> Repository:
    """The project with what its file says: what may count without a person, and what they approved."""
    assert found.project is not None
    path = os.path.join(found.project.root, STATE, "config.toml")
    layer, faults = _harmless(path, own, settings)
    identity = identity_of(found.project)
    marks = {name: mark_of(identity, SETTING, name, layer[name]) for name in layer if settings[name].guarded}
    approved = trusted.approved(identity)
    since = _changed_at(path) if marks else 0
    brought = [
        Brought(
            kind=SETTING,
            name=name,
            value=layer[name],
            source=path,
            mark=mark,
            state=state_of(mark, approved.get(name)),
            since=since,
            overruled=name in overruled,
        )
        for name, mark in marks.items()
    ]
    if not faults:  # else nothing is merged anyway
        gone = [name for name in MERGE_NEEDS if name in approved and name not in marks and name not in overruled]
        brought += [one for name in gone if (one := _removed(identity, name, path, approved[name])).waits]
    ignored = {one.name for one in brought if one.state != APPROVED}
    layer = {name: value for name, value in layer.items() if name not in ignored}
    return found.replace(path=path, layer=layer, brought=brought, faults=faults)


def _removed(identity: str, name: str, path: str, given: object) -> Brought:
    """A value that a person approved and that is no longer there."""
    mark = mark_of(identity, SETTING, name, None)
    state = APPROVED if state_of(mark, given) == APPROVED else REMOVED
    return Brought(kind=SETTING, name=name, value=None, source=path, mark=mark, state=state, since=_changed_at(path))


def _changed_at(path: str) -> int:
    """When a file last changed, or the folder it is no longer in."""
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return os.stat(path).st_mtime_ns // 1000


def _harmless(path: str, own: str, settings: Table) -> tuple[dict[str, Any], list[str]]:
    """What a repository's file says and can say, and what is wrong with the rest, which is ignored."""
    layer, faults = {}, []
    try:
        found = parsed(path)
    except Invalid as error:
        return {}, [f"{error.message}; Deedlog ignores this file"]
    for name, value in found.items():
        try:
            layer[name] = _checked(name, value, path, own, settings)
        except Invalid as error:
            faults.append(f"{error.message}; Deedlog ignores it" + (f" ({error.hint})" if error.hint else ""))
    return layer, faults


def _checked(name: str, value: Any, path: str, own: str, settings: Table) -> Any:
    """A value that a repository's file may have, or the refusal of it."""
    setting = known_setting(name, path, settings)
    if setting.private:
        raise Invalid(
            f"{path}: a project's file cannot set {name!r}",
            hint=f"set {name} in {own}" + ("" if setting.own else f", or {setting.variable} in the environment"),
            part=Part.CONFIGURATION,
        )
    found = typed(setting, value, path)
    for capability in found if name in CAPABILITY_LISTS else ():
        if is_inner(known(capability)):
            raise Invalid(f"{path}: {capability!r} is for programs of ours alone", part=Part.CONFIGURATION)
    return found


def known_setting(name: str, path: str, settings: Table) -> Setting:
    if name not in settings:
        hint = did_you_mean(name, settings, "`deedlog config` lists the settings")
        raise Invalid(f"{path}: there is no setting {name[:80]!r}", hint=hint, part=Part.CONFIGURATION)
    return settings[name]


def parsed(path: str) -> dict[str, Any]:
    if not os.path.exists(path):
        return {}
    import tomllib  # importing it costs more than starting Python

    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (OSError, ValueError) as error:
        raise Invalid(f"{path}: {error}", part=Part.CONFIGURATION) from error
