"""Fill a scratch repository with a believable project, serve it, and let its agents work on while one watches."""

from __future__ import annotations

import os

from deedlog import bootstrap, settings
from deedlog.faces.cli.demo.scratch import Scratch
from deedlog.faces.cli.demo.shop import files, history, planned, today
from deedlog.faces.cli.demo.shop.clock import PastClock
from deedlog.faces.cli.demo.shop.desk import Desk
from deedlog.faces.cli.demo.shop.people import Team
from deedlog.faces.cli.demo.shop.present import Present, configure_servers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DAYS_AGO_HOURS = 51
NAME = "tea-and-cups"


def run(folder: str, *, keep: bool, port: int, watched: Callable[[Desk, Present], None]) -> None:
    """`watched` is told when there is something to see, and returns when that was enough."""
    with Scratch(folder, keep=keep, name=NAME) as scratch:
        environment = prepare(scratch)
        tasks, workflow = fill(scratch, environment)
        with Desk(scratch.folder, environment, port) as desk:
            present = Present(desk, tasks, workflow)
            try:
                present.begin()
                present.mount_a_server()
                watched(desk, present)
            finally:
                present.end()


def prepare(scratch: Scratch) -> dict[str, str]:
    """The repository with its first commit; returns the environment of everything that runs in it."""
    scratch.git("init", "--quiet", "--initial-branch=main")
    for path, text in files.FILES.items():
        scratch.write(path, text)
    scratch.write(".deedlog/config.toml", files.CONFIGURATION)
    scratch.write(".deedlog/.gitignore", "*\n!/config.toml\n")
    configure_servers(scratch.folder)
    home = os.path.join(scratch.folder, ".git", "home")
    os.makedirs(home)
    os.makedirs(scratch.store)
    environment = {**scratch.environment(os.environ), "HOME": home, "DEEDLOG_STORE": scratch.store}
    found = settings.load(scratch.folder, environment)
    bootstrap.open_trust(found).approve(found.waiting)  # our own example brings it
    return environment


def fill(scratch: Scratch, environment: Mapping[str, str]) -> tuple[dict[str, int], str]:
    """Two days of work, through operations on the real store; the tasks by title, and the workflow that goes on."""
    clock = PastClock(hours_ago=DAYS_AGO_HOURS)
    scratch.commit(message="A small web shop", author="Mira", at=clock.seconds)
    app = bootstrap.build(settings.load(scratch.folder, environment), clock=clock)
    try:
        team = Team(app, clock, scratch)
        today.team_is_set_up(team)
        clock.turn(20)
        history.search_was_made_forgiving(team)
        clock.turn_to(hours_ago=27)
        today.decisions_were_made(team)
        clock.turn_to(hours_ago=23)
        history.postgres_did_not_work_out(team)
        clock.turn_to(hours_ago=5.5)
        pages = today.pages_wait_for_people(team)
        clock.turn_to(hours_ago=3)
        plan = planned.Plan(team)
        planned.backlog_was_filled(plan, pages)
        clock.turn(15)
        today.somebody_left_a_task(team, "Show delivery dates")
        clock.turn_to(hours_ago=0.95)
        today.a_question_is_open(team)
        clock.turn_to(hours_ago=0.68)
        workflow = today.cards_were_begun(team)
        clock.turn(1)
        planned.cards_were_planned(plan, workflow)
        return plan.tasks, workflow
    finally:
        app.close()
