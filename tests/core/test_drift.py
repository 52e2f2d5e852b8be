"""What departs from what was decided."""

from __future__ import annotations

from deedlog.core.clarify.decided import technologies_in
from deedlog.core.clarify.lexicon import Lexicon, Technology
from deedlog.core.drift import against, bare, chosen_in, packages_against, packages_in
from deedlog.core.records.values import Architecture, Held
from deedlog.survey.lexicon import read

LEXICON = Lexicon(
    technologies=[
        Technology(
            name="Prisma", area="Database", field="ORM", aliases=["prisma"], packages=["prisma", "@prisma/client"]
        ),
        Technology(
            name="Drizzle",
            area="Database",
            field="ORM",
            aliases=["drizzle", "drizzle-orm"],
            packages=["drizzle-orm"],
        ),
        Technology(name="SQLAlchemy", area="Database", field="ORM", aliases=["sqlalchemy"], packages=["sqlalchemy"]),
        Technology(name="Zod", area="Backend", field="Validation", aliases=["zod"], packages=["zod"]),
    ],
    areas={},
    topics=[],
    questions={},
    words={},
)
DECIDED = Architecture(uid="u1", areas={"Database": {"ORM": Held(value="Drizzle", uid="u1")}})


def test_another_technology_for_a_decided_field_is_against_it() -> None:
    [found] = against(technologies_in("Prisma", LEXICON), DECIDED, LEXICON)
    assert (found.field, found.chosen, found.decided, found.uid) == ("Database.ORM", "Prisma", "Drizzle", "u1")


def test_what_was_decided_is_not_against_itself_however_it_is_spelt() -> None:
    for text in ("Drizzle", "drizzle-orm", "Drizzle, not Prisma", "Zod", "something else"):
        assert against(technologies_in(text, LEXICON), DECIDED, LEXICON) == [], text
    spelt = Architecture(uid="u1", areas={"database": {"orm": Held(value="drizzle-orm 0.30", uid="u1")}})
    assert against(technologies_in("Drizzle", LEXICON), spelt, LEXICON) == []
    assert against(technologies_in("Prisma", LEXICON), spelt, LEXICON)


def test_what_is_named_and_not_wanted_was_not_chosen() -> None:
    lexicon = read()
    for text in ("Drizzle", "Drizzle instead of Prisma", "Drizzle, not Prisma", "Drizzle plutôt que Prisma"):
        assert [technology.name for technology in chosen_in(text, lexicon)] == ["Drizzle"], text
    assert [technology.name for technology in chosen_in("PostgreSQL and Zod", lexicon)] == ["PostgreSQL", "Zod"]
    assert chosen_in("something of our own", lexicon) == []


def test_packages_are_of_technologies() -> None:
    found = packages_against(["zod", "@prisma/client", "prisma", "left-pad", "drizzle-orm"], DECIDED, LEXICON)
    assert [(name, one.chosen) for name, one in found] == [("@prisma/client", "Prisma")]


def test_a_version_is_no_part_of_a_name() -> None:
    for text in ("prisma@5.1.0", "prisma==5", "prisma>=5,<6", "prisma~=5", "prisma[extra]", " prisma ", "prisma ^5"):
        assert bare(text) == "prisma", text
    assert bare("@prisma/client@5.1.0") == "@prisma/client"
    assert bare("@prisma/client") == "@prisma/client"


def patch(path: str, *lines: str) -> bytes:
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,3 +1,9 @@\n"
    return (head + "".join(f"{line}\n" for line in lines)).encode()


def test_packages_are_found_where_a_patch_adds_them_to_manifests() -> None:
    added = {
        "package.json": '+    "@prisma/client": "^5.1.0",',
        "services/api/pyproject.toml": '+dependencies = ["fastapi>=0.1", "sqlalchemy>=2"]',
        "requirements-dev.txt": "+sqlalchemy==2.0",
        "Cargo.toml": '+diesel = { version = "2" }',
        "go.mod": "+\tgithub.com/jackc/pgx/v5 v5.5.0",
        "Gemfile": '+gem "sequel", "~> 5"',
        "pom.xml": "+      <artifactId>hibernate-core</artifactId>",
        "build.gradle.kts": '+    implementation("org.hibernate:hibernate-core:6.4")',
        "App.csproj": '+    <PackageReference Include="Dapper" Version="2" />',
    }
    names = {
        "package.json": "@prisma/client",
        "services/api/pyproject.toml": "sqlalchemy",
        "requirements-dev.txt": "sqlalchemy",
        "Cargo.toml": "diesel",
        "go.mod": "github.com/jackc/pgx/v5",
        "Gemfile": "sequel",
        "pom.xml": "hibernate-core",
        "build.gradle.kts": "org.hibernate:hibernate-core:6.4",
        "App.csproj": "Dapper",
    }
    for path, line in added.items():
        assert names[path] in packages_in(patch(path, line)), path


def test_a_new_version_or_a_lock_file_adds_no_package() -> None:
    assert "prisma" not in packages_in(patch("package.json", '-    "prisma": "4"', '+    "prisma": "5"'))
    assert packages_in(patch("package-lock.json", '+    "prisma": "5"')) == []
    assert packages_in(patch("src/a.ts", "+prisma")) == []
    assert packages_in(patch("package.json", '     "prisma": "5"')) == []
    assert packages_in(b"\xff\xfe not a patch") == []
