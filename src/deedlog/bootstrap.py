"""Build an App from settings: the one place that knows every engine."""

from __future__ import annotations

import os
import time

from deedlog import project
from deedlog.app import App, Engines
from deedlog.approvals import Approvals, claim_store
from deedlog.core.errors import NotFound, Part, Unavailable
from deedlog.core.trust import LIVE
from deedlog.core.worker_calls import SOCKET
from deedlog.operation import catalog
from deedlog.settings import user_file
from deedlog.switchboard import Switchboard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.core.gate.server import Standing
    from deedlog.elsewhere import Projects
    from deedlog.gateway.brought import BroughtServers
    from deedlog.gateway.configuration.secrets import Secrets
    from deedlog.gateway.places import Places
    from deedlog.importing.tools import Found
    from deedlog.operation.catalog import Catalog
    from deedlog.ports import Documents, Gateway, Model, Records, Snapshots, Survey, Upkeep, Workers, Worktrees
    from deedlog.settings import Settings
    from deedlog.store.database import Database
    from deedlog.store.ledger import SqlLedger


def build(settings: Settings, *, confined: bool = False, clock: Callable[[], int] | None = None) -> App:
    """An app for the project of these settings; a `confined` one does not follow callers to other projects."""
    if settings.environment.get(SOCKET):
        from deedlog.worker_app import worker_app  # only inside a worker

        return worker_app(settings, lambda error: report(settings, error))
    plugins: list[str] = settings["plugins"]
    current = Current(settings)
    claim_store(settings, is_tried=True)
    return App(
        load_catalog(plugins),
        Engines(
            root=lambda: current().the_project().root,
            ledger=lambda: open_ledger(current()),
            snapshots=lambda: open_snapshots(current()),
            worktrees=lambda: open_worktrees(current()),
            workers=lambda: open_workers(current()),
            documents=lambda: open_documents(current()),
            records=lambda: open_records(current()),
            survey=lambda: open_survey(current()),
            model=lambda: open_model(settings),
            gateway=lambda app: open_gateway(current(), app),
            servers=lambda: look_at_servers(current()),
            projects=lambda: open_projects(settings, confined=confined),
            trust=lambda: open_trust(settings),
        ),
        clock=clock or now,
        chance=chance,
        capabilities=open_switchboard(settings),
        report=lambda error: report(settings, error),
        settings=CurrentValues(settings),
    )


class Current:
    """The settings of an app; read once more where something waited for an approval, which a person may have given."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def __call__(self) -> Settings:
        if self._settings.waiting:
            self._settings = self._settings.at(self._settings.folder, ())
        return self._settings


class CurrentValues(dict[str, "Any"]):
    """The values of settings. Those that count at once in servers that run are read whenever they are asked for."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings.values)
        self._settings = settings

    def __getitem__(self, name: str) -> Any:
        if name in LIVE:
            return self._settings.at(self._settings.folder, ())[name]
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in LIVE else super().get(name, default)


def open_trust(settings: Settings) -> Approvals:
    def servers(now: Settings) -> BroughtServers:
        from deedlog.gateway.brought import BroughtServers  # see above

        return BroughtServers(places_of_servers(now), _own_addresses(now))

    return Approvals(
        lambda: settings.at(settings.folder, ()),
        lambda now: servers(now).all(),
        lambda now, one, approve: servers(now).judge(one, approve=approve),
    )


def open_switchboard(settings: Settings) -> Switchboard:
    folder = settings.project.store if settings.project else ""
    return Switchboard(settings.enabled | set(settings["plugins"]), settings.decided, folder)


def load_catalog(plugins: list[str]) -> Catalog:
    found = catalog.load()
    if plugins:
        from importlib import import_module

        from deedlog.operation.discover import operations_in  # reads annotations: only plug-ins need it here

        for name in plugins:
            try:
                module = import_module(name)
            except ImportError as error:
                hint = "put it where Python finds it, or take it out of `plugins`"
                raise Unavailable(
                    f"the plug-in {name!r} cannot be loaded: {error}", hint=hint, part=Part.CONFIGURATION
                ) from error
            found.add(*(op.replace(capability=name) for op in operations_in(module)))
    return found


def now() -> int:
    return time.time_ns() // 1000


def chance(bits: int) -> int:
    return int.from_bytes(os.urandom(8), "big") >> (64 - bits)


def open_database(settings: Settings) -> Database:
    where = settings.the_project()
    if settings["database_url"]:
        from deedlog.store.postgres import Postgres  # psycopg costs more than everything else here

        return Postgres(settings["database_url"], settings["project"] or _shared_name(settings))
    from deedlog.store.sqlite import Sqlite  # a server that only lists its tools opens no store

    claim_store(settings)
    project.refuse_network_folder(where.store)
    project.hide_store(where)
    return Sqlite(where.store)


def _shared_name(settings: Settings) -> str:
    """The name that the git remote gives; the refusal names an approval that would help."""
    try:
        return project.shared_name(settings.the_project())
    except NotFound as error:
        if any(one.name == "project" for one in settings.waiting):
            error.hint += "; or approve the name that the repository brings: deedlog trust"
        raise


def open_ledger(settings: Settings) -> SqlLedger:
    from deedlog.store.ledger import SqlLedger  # see above

    return SqlLedger(open_database(settings))


def open_snapshots(settings: Settings) -> Snapshots:
    from deedlog.snapshots import TreeSnapshots  # only what starts or ends a task needs it
    from deedlog.token import token

    claim_store(settings)
    where = settings.the_project()
    watched = settings["watch_ignored"]
    return TreeSnapshots(where.tree, where.store, watch_ignored=watched, secret=lambda: token(settings, make=False))


def open_worktrees(settings: Settings) -> Worktrees:
    from deedlog.git.worktrees import GitWorktrees  # only workers need it
    from deedlog.token import token

    where = settings.the_project()
    return GitWorktrees(where.root, project.make_state(where), secret=lambda: token(settings, make=False))


def open_workers(settings: Settings) -> Workers:
    from deedlog.workers.engine import LocalWorkers  # see above

    claim_store(settings)
    where = settings.the_project()
    return LocalWorkers(where.root, where.store, settings["worker_environment"])


def open_documents(settings: Settings) -> Documents:
    from deedlog.documents.engine import StateDocuments  # see above

    return StateDocuments(project.make_state(settings.the_project()))


def open_records(settings: Settings) -> Records:
    from deedlog.records.engine import FileRecords  # see above

    claim_store(settings)
    where = settings.the_project()
    return FileRecords(
        where.tree,
        where.store,
        lambda folder: _committed(where, folder),
        left_out=lambda folder, surely: _left_out(where, folder, surely=surely),
    )


def _committed(where: project.Project, folder: str) -> dict[str, str]:
    if where.git_dir is None:
        return {}
    from deedlog.git.committed import committed_blobs  # only who verifies asks

    return committed_blobs(where.tree, folder)


def _left_out(where: project.Project, folder: str, *, surely: bool) -> list[str]:
    if where.git_dir is None or not (surely or project.may_leave_out(where.tree)):
        return []
    from deedlog.git.committed import left_out  # see above

    return left_out(where.tree, folder)


def open_survey(settings: Settings) -> Survey:
    from deedlog.survey.engine import TreeSurvey  # see above

    where = settings.the_project()
    return TreeSurvey(where.tree, where.state)


def open_model(settings: Settings) -> Model | None:
    """The language model that is configured; by default there is none, and nothing of it is loaded."""
    if not settings["llm_provider"]:
        return None
    from deedlog.model.engine import configured  # see above

    return configured(settings.values)


def model_flaw(settings: Settings) -> str:
    """What keeps the language model that is configured from being asked; nothing where all is well, or none is."""
    if not settings["llm_provider"]:
        return ""
    from deedlog.model.engine import flaw  # see above

    return flaw(settings.values)


def open_gateway(settings: Settings, app: App) -> Gateway:
    """The other MCP servers; opened by the first call that asks for one."""
    from deedlog.gateway.engine import LocalGateway  # see above

    return LocalGateway(
        places_of_servers(settings),
        settings.values,
        serving=app.serving.stdio or app.serving.host is not None,
        aside=app.aside,
        report=app.report,
        own=_own_addresses(settings),
    )


def _own_addresses(settings: Settings) -> tuple[str, ...]:
    """Under which `deedlog serve` may be found in somebody's file of servers."""
    hosts = dict.fromkeys([settings["host"], "127.0.0.1", "localhost", "[::1]"])
    return tuple(f"http://{host}:{settings['port']}" for host in hosts)


def open_secrets(settings: Settings) -> Secrets:
    """The keys that are kept for other MCP servers; they are the user's, whatever the project."""
    from deedlog.gateway.configuration.secrets import Secrets
    from deedlog.gateway.places import Places  # see above

    user = os.path.dirname(user_file(settings.environment))
    return Secrets(Places(root="", store="", state="", user=user, home="", environment=settings.environment))


def places_of_servers(settings: Settings) -> Places:
    from deedlog.gateway.places import Places  # see above

    where = settings.the_project()
    return Places(
        root=where.root,
        store=where.store,
        state=where.state,
        user=os.path.dirname(user_file(settings.environment)),
        home=settings.environment.get("HOME", ""),
        environment=settings.environment,
    )


def look_at_servers(settings: Settings) -> list[Standing]:
    """How the other MCP servers stand, before anybody needs one."""
    from deedlog.gateway.connecting import Connections  # see above

    boot = settings["gateway_boot"]
    return Connections(places_of_servers(settings), _own_addresses(settings), boot=boot).standings()


def flaws_of_servers(settings: Settings) -> list[str]:
    """What is wrong with the files in which other MCP servers and their keys are kept, and with `gateway_boot`."""
    from deedlog.core.gate.booting import unready
    from deedlog.gateway.connecting import Connections  # see above

    boot = settings["gateway_boot"]
    found = Connections(places_of_servers(settings), _own_addresses(settings), boot=boot)
    return [*found.warnings(), *unready(boot, found.standings())]


def open_projects(settings: Settings, *, confined: bool) -> Projects:
    from deedlog.elsewhere import Projects  # only a call that names a path needs it

    return Projects(settings, lambda other: build(other, confined=confined), confined=confined)


def open_upkeep(settings: Settings) -> Upkeep:
    from deedlog.store.upkeep import SqlUpkeep  # the care of a store is rare

    return SqlUpkeep(open_database(settings))


def read_from(tool: str, root: str, path: str) -> Found:
    """What another tool's files hold; see `importing/tools.py`."""
    from deedlog.importing.tools import read  # see above

    return read(tool, root, path)


def report(settings: Settings, error: BaseException) -> str:
    """Write down where an unexpected failure happened; say where that is."""
    import traceback

    text = "".join(traceback.format_exception(error))
    try:
        folder = os.path.join(project.make_state(settings.the_project()), "logs")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "errors.log")
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} pid {os.getpid()}\n{text}\n")
    except Exception:  # noqa: BLE001  # nothing must hide the failure itself
        return "its log could not be written"
    return f"details are in {path}"
