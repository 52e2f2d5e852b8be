"""What requests come to, over standard input and output: which are clear, what they decide, where it is filed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.clarifier import Clarifier, git, path_of, types


@pytest.fixture
def client(repo: Path) -> Iterator[Clarifier]:
    with Clarifier(repo) as clarifier:
        yield clarifier


def values(client: Clarifier) -> set[str]:
    return {value for fields in client.architecture().values() for value in fields.values()}


@pytest.mark.proves("clarify:require:first-call")
def test_a_request_that_says_all_completes_in_one_call(client: Clarifier) -> None:
    answer = client.require("Add a MySQL database with Drizzle")
    assert answer["status"] == "completed"
    assert types(answer)[:3] == ["adr", "task", "projection"]
    assert client.architecture()["Database"] == {"Type": "MySQL", "ORM": "Drizzle"}
    text = (client.folder / path_of(answer, "adr")).read_text()
    assert "MySQL" in text
    assert "Drizzle" in text
    assert "PostgreSQL" not in text


@pytest.mark.parametrize(
    ("intention", "chosen", "never"),
    [
        ("Migrate the database from PostgreSQL to MySQL", "MySQL", "PostgreSQL"),
        ("Replace Redis with Memcached as our cache", "Memcached", "Redis"),
        ("Add authentication with OAuth, but don't use Clerk", "OAuth", "Clerk"),
        ("For the database, keep PostgreSQL, not MySQL", "PostgreSQL", "MySQL"),
        ("データベースをPostgreSQLからMySQLへ移行する", "MySQL", "PostgreSQL"),
        ("Utiliser MySQL au lieu de PostgreSQL comme base de données", "MySQL", "PostgreSQL"),
    ],
)
def test_direction_and_negation_count(client: Clarifier, intention: str, chosen: str, never: str) -> None:
    answer = client.require(intention, preferences={"force_adr": True})
    while answer["status"] != "completed":
        answer = client.reply(answer, {question["id"]: "skip" for question in answer["questions"]})
    found = values(client)
    assert chosen in found
    assert never not in found


@pytest.mark.parametrize(
    ("intention", "value"),
    [
        ("Introduce Kafka for messaging between the services", "Kafka"),
        ("Store uploads in Amazon S3", "S3"),
        ("Add a Redis cache in front of the database", "Redis"),
        ("Move the runtime to Node 22", "Node"),
        ("Set up the infrastructure with Terraform", "Terraform"),
        ("Deploy the service on Cloud Run", "Cloud Run"),
    ],
)
def test_every_kind_of_technology_has_a_place(client: Clarifier, intention: str, value: str) -> None:
    answer = client.finish(intention)
    assert "adr" in types(answer)
    assert any(value in found for found in values(client)), client.architecture()
    assert "Other" not in client.architecture()


def test_a_decision_of_the_memory_bank_is_not_asked_for(client: Clarifier) -> None:
    client.call(
        "memory_add",
        id="sign-in",
        category="architecture",
        title="Authentication strategy",
        summary="Authentication uses OAuth with next-auth",
        status="active",
    )
    answer = client.require("Add authentication")
    asked = [question["id"] for question in answer.get("questions", [])]
    assert "auth_strategy" not in asked


@pytest.mark.proves("clarify:files:allowlist")
def test_the_task_names_the_folders_it_may_touch(client: Clarifier) -> None:
    for folder in ("src/auth", "src/billing", "migrations"):
        (client.folder / folder).mkdir(parents=True)
        (client.folder / folder / "x.py").write_text("x = 1\n")
    git(client.folder, "add", ".")
    (client.folder / ".env").write_text("SECRET=1\n")
    client.require("Use OAuth with next-auth for authentication")
    allowed = (client.folder / "docs/CURRENT_TASK.md").read_text().partition("## Allowlist")[2]
    assert "src/auth/**" in allowed.partition("\n## ")[0]
    assert "billing" not in allowed.partition("\n## ")[0]
    assert ".env" in allowed.partition("## Forbidden")[2].partition("\n## ")[0]


@pytest.mark.proves("clarify:adr:no-technology")
def test_an_adr_without_a_technology_records_the_request_itself(client: Clarifier) -> None:
    answer = client.finish("Stop supporting Windows", preferences={"force_adr": True})
    assert "adr" in types(answer)
    assert any("Stop supporting Windows" in value for value in values(client))
    other = client.finish("Drop the public beta", preferences={"force_adr": True})
    assert "adr" in types(other)
    assert any("Stop supporting Windows" in value for value in values(client)), "one does not replace the other"
