"""What happened in the shop during the last two days: a workflow that was finished, and one that failed."""

from __future__ import annotations

from deedlog.faces.cli.demo.shop import writings
from deedlog.faces.cli.demo.shop.people import CLAUDE, CODEX, MIRA, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.faces.cli.demo.shop.people import Team

TESTED = {"tests_status": "passed", "commands_executed": ["python3 -m unittest"]}


def search_was_made_forgiving(team: Team) -> None:
    """A finished workflow with subtasks, decisions and a review that a person closed."""
    workflow = team.workflow(
        CLAUDE, "Search that forgives typos", "People who mistype a word still find what they want."
    )
    team.clock.turn(1)
    whole = Work(
        team,
        workflow,
        "Forgiving search",
        "Search finds articles in spite of two wrong letters",
        areas=["search", "README.md"],
    )
    index = Work(
        team,
        workflow,
        "Index the words of the catalogue",
        "Every word is found in one step",
        areas=["search"],
        parent=whole.task_id,
    )
    index.after(4).milestone("Reading how search works today", 20)
    index.decide(
        "architecture",
        "Where does the index live?",
        "In memory, built at start",
        "The catalogue has 4,000 words: an index takes 30 ms and no service has to be run",
        "In memory, built at start",
        "SQLite FTS5",
        "Meilisearch",
        trade_offs="New articles are found after the next deployment",
    )
    team.scratch.remove("shop/search.py")
    index.after(11).write("shop/search/__init__.py", "").write("shop/search/index.py", writings.INDEX).milestone(
        "Index written", 80
    )
    index.after(6).commit("search: an index of all words").complete(
        "Words of the catalogue are indexed at start.", achievements=["30 ms for 4,000 words"], metadata=TESTED
    )
    team.clock.turn(3)
    rank = Work(
        team,
        workflow,
        "Rank by distance and sales",
        "The nearest names come first, then what sells",
        areas=["search"],
        parent=whole.task_id,
    )
    rank.after(7).milestone("Comparing two measures of distance", 30)
    rank.decide(
        "library_choice",
        "Which measure of distance?",
        "Our own Damerau-Levenshtein",
        "20 lines, and swapped letters are the most frequent typo",
        "rapidfuzz",
        "Our own Damerau-Levenshtein",
        "Trigrams",
    )
    rank.write("shop/search/distance.py", writings.DISTANCE).write("shop/search/ranking.py", writings.RANKING).after(14)
    rank.meet("bug_encountered", "Swapped letters counted as two mistakes", "Swaps are looked at as well: one mistake")
    rank.write("tests/test_search.py", writings.TEST_SEARCH).milestone("Tests pass", 90).after(5).commit(
        "search: rank by distance and sales"
    )
    rank.complete(
        "Names are ranked by distance, then by sales.",
        achievements=["Two wrong letters are forgiven"],
        limitations=["Words of three letters or fewer match too much"],
        manual_review_needed=True,
        manual_review_reason="A search for “tee” now also finds “tea”: is that wanted?",
        metadata=TESTED,
    )
    team.clock.turn(50)
    waiting = team.call(MIRA, "review_list")["reviews"]
    team.call(MIRA, "review_close", review_id=waiting[0]["review_id"], verdict="approved", note="Yes: people mean tea.")
    whole.after(9).edit("README.md", ("A small web shop.", "A small web shop whose search forgives typos.")).commit(
        "readme: the search"
    )
    whole.complete("Search forgives two wrong letters and says what was meant.", achievements=["p95 of a search: 3 ms"])
    team.clock.turn(2)
    team.call(
        CLAUDE, "complete_workflow", workflow_id=workflow, summary="Search forgives typos; sales decide among equals."
    )


def postgres_did_not_work_out(team: Team) -> None:
    """A workflow that failed, with the issue that made it fail."""
    workflow = team.workflow(CODEX, "Move the orders to PostgreSQL", "SQLite locks when two customers pay at once.")
    schema = Work(
        team, workflow, "Write the migration", "Orders keep their numbers", areas=["migrations/**"], actor=CODEX
    )
    schema.after(8).write("migrations/0002_orders_postgres.sql", writings.MIGRATION).milestone(
        "The migration is written", 60
    )
    schema.decide(
        "architecture",
        "Which database has the orders?",
        "PostgreSQL",
        "Two writers at once, and the team knows it",
        "PostgreSQL",
        "MySQL",
        "SQLite with WAL",
    )
    schema.after(12).commit("migrations: orders in PostgreSQL").complete(
        "The migration keeps all numbers.", metadata={"tests_status": "not_run"}
    )
    team.clock.turn(6)
    switch = Work(
        team,
        workflow,
        "Switch the checkout over",
        "Orders are written to PostgreSQL only",
        areas=["payment"],
        actor=CODEX,
    )
    switch.after(16).milestone("Rehearsing with last week's orders", 40)
    switch.meet(
        "dependency_conflict",
        "The hoster offers PostgreSQL 12, the migration needs 14",
        "None: the hoster has to be asked",
        review=True,
    )
    switch.after(7).complete(
        "The rehearsal failed: identity columns of the hoster's PostgreSQL 12 cannot be copied into.",
        "failed",
        limitations=["Nothing was switched over"],
        next_steps=["Ask the hoster for PostgreSQL 16"],
    )
    team.call(
        CODEX, "complete_workflow", workflow_id=workflow, status="failed", summary="The hoster's PostgreSQL is too old."
    )
