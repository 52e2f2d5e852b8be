"""What a repository says of itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from deedlog.core.clarify.values import Facts
from deedlog.survey import engine, listing
from deedlog.survey.engine import TreeSurvey


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def facts(folder: Path) -> Facts:
    return TreeSurvey(str(folder), str(folder / ".deedlog")).facts()


def of(repo: Path, files: dict[str, str]) -> Facts:
    write(repo, files)
    git(repo, "add", "--all")
    return facts(repo)


PROJECTS = [
    (
        {
            "package.json": '{"dependencies": {"next": "15", "@prisma/client": "6"}, "devDependencies": '
            '{"typescript": "5", "vitest": "3"}, "packageManager": "pnpm@9.1.0", "engines": {"node": ">=22"}}',
            "pnpm-lock.yaml": "",
            "prisma/schema.prisma": 'datasource db {\n  provider = "postgresql"\n  url = env("DATABASE_URL")\n}\n',
            "vercel.json": "{}",
        },
        ["javascript", "typescript"],
        {"next", "@prisma/client", "vitest", "postgresql"},
        {"Next.js", "Prisma", "PostgreSQL", "pnpm", "Vercel", "Node.js", "Vitest"},
    ),
    (
        {
            "pyproject.toml": '[project]\ndependencies = ["fastapi[standard]>=0.115", "SQLAlchemy ~= 2.0", "redis"]\n'
            "[project.optional-dependencies]\nx = [\"celery; python_version > '3'\"]\n"
            '[dependency-groups]\ndev = ["pytest", {include-group = "x"}]\n[tool.uv]\ndev-dependencies = ["ruff"]\n',
            "uv.lock": "",
            ".python-version": "3.13\n",
        },
        ["python"],
        {"fastapi", "sqlalchemy", "redis", "celery", "pytest", "ruff"},
        {"FastAPI", "SQLAlchemy", "Redis", "Celery", "uv", "Python"},
    ),
    (
        {
            "pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.12"\nDjango = "^5"\n'
            '[tool.poetry.group.dev.dependencies]\npytest = "*"\n[build-system]\nrequires = ["poetry-core"]\n',
            "manage.py": "",
        },
        ["python"],
        {"django", "pytest"},
        {"Django", "Poetry"},
    ),
    (
        {
            "requirements-dev.txt": "# tools\n-r base.txt\nflask==3.0  # web\npsycopg2_binary>=2.9\nhttps://x.invalid/y\n",
            "setup.cfg": "[options]\ninstall_requires =\n    pymongo>=4\n    boto3\npython_requires = >=3.9\n",
            "Pipfile": '[packages]\ncelery = "*"\n',
        },
        ["python"],
        {"flask", "psycopg2-binary", "pymongo", "boto3", "celery"},
        {"Flask", "PostgreSQL", "MongoDB", "Pipenv"},
    ),
    (
        {
            "go.mod": "module example.invalid/x\n\ngo 1.23\n\nrequire github.com/jackc/pgx/v5 v5.7.1\n\nrequire (\n"
            "\tgithub.com/gin-gonic/gin v1.10.0\n\tgithub.com/redis/go-redis/v9 v9.7.0\n"
            "\tgolang.org/x/text v0.20.0 // indirect\n)\n",
            "Dockerfile": "FROM --platform=linux/amd64 golang:1.23 AS build\nFROM build AS test\n"
            "FROM gcr.io/distroless/static\n",
        },
        ["go"],
        {"github.com/jackc/pgx/v5", "github.com/jackc/pgx", "github.com/gin-gonic/gin", "golang", "static"},
        {"PostgreSQL", "Gin", "Redis", "Docker"},
    ),
    (
        {
            "Cargo.toml": '[workspace]\nmembers = ["a"]\n[workspace.dependencies]\naxum = "0.8"\n',
            "a/Cargo.toml": '[dependencies]\nsqlx = { version = "0.8" }\n[target.x.dependencies]\ntokio = "1"\n',
        },
        ["rust"],
        {"axum", "sqlx", "tokio"},
        {"Axum"},
    ),
    (
        {
            "pom.xml": "<project><parent><groupId>org.springframework.boot</groupId>\n"
            "<artifactId>spring-boot-starter-parent</artifactId></parent><dependencies><dependency>\n"
            "<groupId>org.postgresql</groupId><artifactId>postgresql</artifactId></dependency></dependencies></project>",
            "src/main/resources/application.yml": "spring.datasource.url: jdbc:mysql://localhost/x\n",
        },
        ["java"],
        {"org.postgresql:postgresql", "postgresql", "spring-boot-starter-parent", "mysql"},
        {"PostgreSQL", "MySQL", "Maven"},
    ),
    (
        {
            "app/build.gradle.kts": 'plugins { kotlin("jvm"); id("org.springframework.boot") version "3" }\n'
            'dependencies { implementation("org.apache.kafka:kafka-clients:3.8.0") }\n',
            "gradle/libs.versions.toml": '[libraries]\nktor = { module = "io.ktor:ktor-server-core" }\n'
            'exposed = { group = "org.jetbrains.exposed", name = "exposed-core" }\nh2 = "com.h2database:h2:2.3"\n',
        },
        ["java", "kotlin"],
        {"kafka-clients", "ktor-server-core", "exposed-core", "com.h2database:h2"},
        {"Gradle", "H2"},
    ),
    (
        {
            "src/Web/Web.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"><ItemGroup>'
            '<PackageReference Include="Npgsql" Version="9" /></ItemGroup></Project>',
        },
        ["dotnet"],
        {"npgsql"},
        {"ASP.NET Core", "PostgreSQL"},
    ),
    (
        {"composer.json": '{"require": {"php": "^8.3", "laravel/framework": "^11"}}'},
        ["php"],
        {"laravel/framework"},
        {"Laravel"},
    ),
    (
        {
            "Gemfile": 'source "https://rubygems.org"\ngem "rails", "~> 8.0"\n  gem \'sidekiq\'\n# gem "no"\n',
            "config/database.yml": "default:\n  adapter: postgresql\n",
            "Procfile": "web: bin/rails server\n",
        },
        ["ruby"],
        {"rails", "sidekiq", "postgresql"},
        {"Rails", "Sidekiq", "PostgreSQL", "Heroku"},
    ),
    (
        {"mix.exs": 'defp deps do\n[{:phoenix, "~> 1.7"}, {:postgrex, ">= 0.0.0"}, {:local, path: "../local"}]\nend\n'},
        ["elixir"],
        {"phoenix", "postgrex", "local"},
        {"Phoenix", "PostgreSQL"},
    ),
    (
        {
            "pubspec.yaml": "name: x\ndependencies:\n  flutter:\n    sdk: flutter\n"
            "  sqflite: ^2.0.0\ndev_dependencies:\n  build_runner:\n"
        },
        ["dart"],
        {"flutter", "sqflite", "build_runner"},
        {"Flutter", "SQLite"},
    ),
    (
        {
            "Package.swift": "let package = Package(dependencies: ["
            '.package(url: "https://github.com/vapor/vapor.git", from: "4.0.0")])'
        },
        ["swift"],
        {"vapor"},
        {"Vapor"},
    ),
    (
        {
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nfind_package(Boost REQUIRED)\n",
            "conanfile.txt": "[requires]\nfmt/10.2.1\nsqlite3/3.45.0\n",
            "vcpkg.json": '{"dependencies": ["zlib", {"name": "protobuf"}, 5]}',
        },
        ["cpp"],
        {"boost", "fmt", "sqlite3", "zlib", "protobuf"},
        {"CMake", "Conan", "vcpkg", "SQLite"},
    ),
    (
        {
            "infra/main.tf": 'provider "aws" {}\nresource "aws_sqs_queue" "q" {}\n'
            'resource "google_cloud_run_v2_service" "s" {}\n',
            "docker-compose.yml": "services:\n  db:\n    image: docker.io/library/postgres:16\n"
            "  cache:\n    image: 'redis@sha256:0'\n"
            "  own:\n    image: ${IMAGE}\n  bus:\n    image: bitnami/kafka\n",
            ".github/workflows/ci.yaml": "jobs:\n  x:\n    services:\n      m:\n        image: mysql:8\n",
            ".gitlab-ci.yml": "image: node:22\n",
            "k8s/app.yaml": "kind: Deployment\n",
            "chart/Chart.yaml": "name: x\ndependencies:\n  - name: rabbitmq\n",
            ".tool-versions": "nodejs 22.1.0\nterraform 1.9\nunheard-of 1\n",
            ".env.example": "DATABASE_URL=mongodb+srv://user:pass@host/x\nPLAIN=x\n",
            "fly.toml": "app = 'x'",
            "netlify.toml": "",
            "Jenkinsfile": "",
        },
        ["terraform"],
        {"postgres", "redis", "kafka", "mysql", "node", "rabbitmq", "mongodb"},
        {
            *(
                "Terraform",
                "AWS",
                "Cloud Run",
                "PostgreSQL",
                "Redis",
                "Kafka",
                "MySQL",
                "RabbitMQ",
                "MongoDB",
                "Docker",
            ),
            *("GitHub Actions", "GitLab CI", "Kubernetes", "Helm", "Node.js", "Fly.io", "Netlify", "Jenkins"),
        },
    ),
]


@pytest.mark.proves("clarify:facts:manifests")
@pytest.mark.parametrize(("files", "ecosystems", "packages", "technologies"), PROJECTS)
def test_the_manifests_of_each_ecosystem_are_read(
    repo: Path, files: dict[str, str], ecosystems: list[str], packages: set[str], technologies: set[str]
) -> None:
    found = of(repo, files)
    assert found.ecosystems == ecosystems
    assert packages - set(found.packages) == set()
    assert technologies - set(found.technologies) == set()
    assert {*found.packages.values(), *found.technologies.values()} <= {
        *files,
        *(os.path.dirname(name) for name in files),
    }
    assert facts(repo) == found


@pytest.mark.proves("clarify:facts:manifests")
def test_what_is_not_the_projects_own_is_not_read(repo: Path) -> None:
    own = '{"dependencies": {"%s": "1"}}'
    found = of(
        repo,
        {
            "package.json": own % "express",
            "packages/web/package.json": own % "react",
            "node_modules/x/package.json": own % "fastify",
            "tests/fixtures/app/package.json": own % "koa",
            "examples/x/package.json": own % "hapi",
            "a/b/c/d/e/package.json": own % "deep",
        },
    )
    assert set(found.packages) == {"express", "react"}


@pytest.mark.proves("clarify:facts:manifests")
@pytest.mark.parametrize(
    "name",
    ["package.json", "pyproject.toml", "Cargo.toml", "composer.json", "vcpkg.json", "pom.xml", "go.mod", "Gemfile",
     "docker-compose.yml", "requirements.txt", "pubspec.yaml", "mix.exs", "main.tf", "Dockerfile", "X.csproj"],
)  # fmt: skip
@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"dependencies": [1, {}]}', '{"dependencies": "x", "require": 5}', "\0" * 50, "[" * 9_000,
     "\n" * 9_000, '"' * 9_000, "a = [" * 2_000, "<Package" * 2_000, "dependencies:\n" * 900, "gem " * 2_000, "\ud800",
     '[project]\ndependencies = 5\n[tool]\npoetry = 1\n[dependencies]\n"" = 1\n'],
    ids=range(16),
)  # fmt: skip
def test_a_broken_manifest_says_nothing_and_stops_nothing(repo: Path, name: str, text: str) -> None:
    (repo / name).write_text(text, errors="surrogatepass")
    (repo / "vercel.json").write_text("")
    assert "Vercel" in facts(repo).technologies


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("pyproject.toml", "a."),
        ("setup.py", "install_requires=["),
        ("X.csproj", "<Project "),
        ("Package.swift", '.package(url: "'),
        ("schema.prisma", "datasource a {"),
        (".env.example", "\n"),
        ("Gemfile", "gem "),
        ("go.mod", "a.b/c "),
    ],
)
def test_no_manifest_takes_for_ever(repo: Path, name: str, part: str) -> None:
    """Where a reader is careless, this takes minutes."""
    found = of(repo, {f"{folder}/{name}": part * (listing.LARGEST // len(part)) for folder in "abcdef"})
    assert found.files == 7


def test_all_manifests_together_are_not_read_without_end(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_READ", 100)
    found = of(repo, {"a/go.mod": "module x\n" * 10, "b/Cargo.toml": "#" * 50, "c/mix.exs": "x"})
    assert found.ecosystems == ["go", "elixir"]


def test_a_manifest_that_is_too_large_or_leads_elsewhere_is_not_read(repo: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, {"package.json": '{"dependencies": {"secret": "1"}}', "go.mod": "module x"})
    (repo / "package.json").symlink_to(outside / "package.json")
    write(repo, {"sub/go.mod": "module y", "Cargo.toml": "#" * listing.LARGEST + "\n[dependencies]\naxum = '1'\n"})
    os.mkfifo(repo / "pyproject.toml")
    git(repo, "add", "--all")
    (repo / "sub/go.mod").unlink()
    (repo / "sub").rmdir()
    (repo / "sub").symlink_to(outside)
    found = facts(repo)
    assert (found.packages, found.ecosystems) == ({}, [])


@pytest.mark.proves("clarify:facts:tracked")
def test_only_what_git_tracks_counts_and_manifests_that_lie_at_the_root(repo: Path) -> None:
    found = of(repo, {".gitignore": "out/\n", "src/api/routes.py": "", ".config/x/y.txt": "", "docs/guide.md": ""})
    write(repo, {"out/deep/package.json": "{}", "later/go.mod": "module x", "Cargo.toml": "[dependencies]\naxum = '1'"})
    again = facts(repo)
    assert found.folders == again.folders == [".config", ".config/x", "docs", "src", "src/api"]
    assert again.ecosystems == ["rust"]
    assert (found.files, again.files) == (5, 5)


@pytest.mark.proves("clarify:facts:tracked")
def test_ignored_files_are_never_looked_at(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(repo, {".gitignore": "junk/\n", "src/a.py": ""})
    git(repo, "add", "--all")
    write(repo, {f"junk/{i}/package.json": "{}" for i in range(50)})
    opened: list[str] = []
    real_open, real_scan = os.open, os.scandir

    def spying_open(path: str, *more: int) -> int:
        opened.append(str(path))
        return real_open(path, *more)

    def spying_scan(path: str) -> object:
        opened.append(str(path))
        return real_scan(path)

    monkeypatch.setattr(os, "open", spying_open)
    monkeypatch.setattr(os, "scandir", spying_scan)
    assert facts(repo).folders == ["src"]
    assert [path for path in opened if "junk" in path] == []


@pytest.mark.proves("clarify:facts:tracked")
def test_a_large_index_is_read_once_until_it_changes(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(repo, "add", "--all")
    survey = TreeSurvey(str(repo), "")
    first = survey.facts()
    monkeypatch.setattr(listing, "tracked", None)
    assert survey.facts() == first
    monkeypatch.undo()
    write(repo, {"new/x.py": "", "go.mod": "module x"})
    git(repo, "add", "--all")
    assert (survey.facts().folders, survey.facts().ecosystems) == (["new"], ["go"])


@pytest.mark.proves("clarify:facts:tracked")
def test_a_work_tree_a_submodule_and_a_folder_below_a_hidden_one_have_facts_of_their_own(
    repo: Path, tmp_path: Path
) -> None:
    linked = repo / ".deedlog/worktrees/one"
    git(repo, "worktree", "add", "--quiet", str(linked), "-b", "one")
    write(linked, {"go.mod": "module x", "cmd/main.go": ""})
    git(linked, "add", "--all")
    assert (facts(linked).ecosystems, facts(linked).folders) == (["go"], ["cmd"])
    assert facts(repo).ecosystems == []
    git(linked, "commit", "--quiet", "--message=x")
    git(repo, "submodule", "--quiet", "add", "-b", "one", str(repo), "vendor/self")
    assert facts(repo / "vendor/self").ecosystems == ["go"]


@pytest.mark.proves("clarify:facts:tracked")
def test_a_repository_without_anything_tracked_and_a_folder_without_git_are_looked_around_in(tmp_path: Path) -> None:
    fresh, plain = tmp_path / "fresh", tmp_path / "plain"
    subprocess.run(["git", "init", "--quiet", str(fresh)], check=True)
    for folder in (fresh, plain):
        write(
            folder,
            {
                ".gitignore": "# ours\n/data/\n!keep\n",
                "services/api/pyproject.toml": '[project]\ndependencies = ["flask"]\n',
                "node_modules/x/package.json": "{}",
                "data/go.mod": "module x",
                "src/lib/a.py": "",
            },
        )
        found = facts(folder)
        assert (found.ecosystems, list(found.packages)) == (["python"], ["flask"])
        assert found.folders == ["services", "services/api", "src", "src/lib"]


@pytest.mark.proves("clarify:facts:tracked")
def test_a_look_around_ends_soon_and_in_the_same_place_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MOST_LOOKED_AT", 50)
    monkeypatch.setattr(listing, "MOST_IN_FOLDER", 20)
    write(tmp_path, {f"data/{i}/x.txt": "" for i in range(40)})
    write(tmp_path, {f"z{i}/go.mod": "module x" for i in range(15)})
    first = facts(tmp_path)
    assert first == facts(tmp_path)
    assert "data" in first.folders
    assert not any(folder.startswith("data/") for folder in first.folders)
    assert first.ecosystems == ["go"]


def test_names_that_are_no_text_are_left_out_and_many_folders_are_cut(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MOST_FOLDERS", 3)
    os.makedirs(os.path.join(os.fsencode(repo), b"bad\xff"))
    write(repo, {"b/c/d/x": "", "a/x": "", "é/x": ""})
    (repo / os.fsdecode(b"bad\xff") / "x").write_text("")
    found = of(repo, {})
    assert found.folders == ["a", "b"]
    monkeypatch.undo()
    assert facts(repo).folders == ["a", "b", "b/c", "b/c/d", "é"]
