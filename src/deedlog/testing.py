"""Public helpers for testing operations and plug-ins: a real app on a real store, with a clock one can turn."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from deedlog import bootstrap, settings
from deedlog.app import App, Caller
from deedlog.core.caller import Kind
from deedlog.git.committed import committed_blobs
from deedlog.records.engine import FileRecords
from deedlog.snapshots import TreeSnapshots
from deedlog.store.database import Database
from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
from deedlog.survey.engine import TreeSurvey
from deedlog.switchboard import Switchboard
from deedlog.workers.engine import LocalWorkers

SECOND = 1_000_000
NOWHERE = os.path.join(os.sep, "nowhere")
START = 1_736_935_200 * SECOND  # 2025-01-15T10:00:00Z


class Clock:
    """A clock that stands still until it is turned."""

    def __init__(self, moment: int = START) -> None:
        self.moment = moment

    def __call__(self) -> int:
        return self.moment

    def turn(self, seconds: float) -> None:
        self.moment += round(seconds * SECOND)


def app_on(
    database: Database,
    *,
    tree: str = "",
    clock: Callable[[], int] | None = None,
    plugins: tuple[str, ...] = (),
    **flags: Any,
) -> App:
    """An app on an open database, whose tasks work in the folder `tree`; its own files are beside that."""
    configured = settings.load(tree or os.sep, {}, {**flags, "plugins": list(plugins)})
    built = bootstrap.build(configured)

    def beside(name: str) -> str:
        assert tree, "an app whose operations look at files needs a `tree`"
        return os.path.join(os.path.dirname(tree), name)

    return App(
        built.catalog,
        built.engines.replace(
            root=lambda: tree,
            ledger=lambda: SqlLedger(database),
            snapshots=lambda: TreeSnapshots(tree, beside("snapshots")),
            workers=lambda: LocalWorkers(tree, beside("store") if tree else NOWHERE),
            records=lambda: FileRecords(
                tree or NOWHERE, beside("store") if tree else NOWHERE, lambda folder: committed_blobs(tree, folder)
            ),
            survey=lambda: TreeSurvey(tree or NOWHERE, os.path.join(tree or NOWHERE, ".deedlog")),
        ),
        clock=clock or bootstrap.now,
        chance=bootstrap.chance,
        capabilities=Switchboard(configured.enabled | set(plugins), configured.decided),
        report=repr,
        settings=built.settings,
    )


def app_in(folder: str, **options: Any) -> App:
    """An app on an embedded store of its own in `folder`; options as `app_on` has them."""
    return app_on(Sqlite(folder), **options)


def caller(actor: str = "tester", kind: Kind = Kind.PERSON, **said: Any) -> Caller:
    """A person, unless a test says otherwise."""
    return Caller(actor=actor, kind=kind, **said)
