"""What accompanies a change wherever it is made, and what does not though it looks like it."""

from __future__ import annotations

import pytest

from deedlog.core.companion import companion

KINDS = {
    "manifest": (
        "package.json apps/web/package.json pnpm-workspace.yaml deno.json pyproject.toml setup.cfg Pipfile "
        "requirements.txt requirements-dev.txt dev-requirements.in requirements/base.txt constraints.txt "
        "environment.yml Cargo.toml go.mod go.work pom.xml build.gradle app/build.gradle.kts "
        "gradle/libs.versions.toml build.sbt deps.edn Gemfile mygem.gemspec composer.json src/App.csproj "
        "Directory.Packages.props App.sln Package.swift Podfile App.xcodeproj/project.pbxproj pubspec.yaml mix.exs "
        "rebar.config shard.yml elm.json stack.yaml lib.cabal dune-project Project.toml DESCRIPTION cpanfile "
        "conanfile.txt vcpkg.json build.zig.zon MODULE.bazel flake.nix charts/web/Chart.yaml Packages/manifest.json"
    ),
    "lock file": (
        "package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock .pnp.cjs "
        "poetry.lock uv.lock pdm.lock pylock.toml Pipfile.lock conda-lock.yml Cargo.lock go.sum go.work.sum "
        "gradle.lockfile Gemfile.lock composer.lock packages.lock.json paket.lock Package.resolved Podfile.lock "
        "pubspec.lock mix.lock shard.lock stack.yaml.lock Manifest.toml renv.lock flake.lock infra/.terraform.lock.hcl "
        "Chart.lock buf.lock vendor/modules.txt Packages/packages-lock.json"
    ),
    "snapshot": (
        "src/__snapshots__/App.test.tsx.snap tests/__snapshots__/test_a.ambr tests/a.ambr "
        "e2e/login.spec.ts-snapshots/home-linux.png src/snapshots/parse__one.snap testdata/out.golden "
        "Tests/Report.verified.txt Tests/Report.approved.txt"
    ),
    "generated": (
        "api/user.pb.go api/user_pb2.py api/user_pb2_grpc.py lib/user.g.dart lib/user.freezed.dart "
        "src/__generated__/types.ts src/generated/client.ts src/schema.generated.ts src/routeTree.gen.ts "
        "next-env.d.ts Form1.Designer.cs db/schema.rb db/structure.sql apis/v1/zz_generated.deepcopy.go "
        "static/app.min.js"
    ),
    "changelog": (
        "CHANGELOG.md CHANGELOG changelog.rst packages/a/CHANGELOG.md CHANGES.rst Changes HISTORY.md History.md "
        "NEWS RELEASE_NOTES.md release-notes.txt .changeset/blue-dogs-sing.md changelog.d/12.fixed.md "
        "newsfragments/12.bugfix.rst"
    ),
    "": (
        "prisma/schema.prisma db/migrate/20240115_create_users.rb orders/migrations/0002_total.py tsconfig.json "
        ".github/workflows/ci.yml Dockerfile docker-compose.yml Makefile CMakeLists.txt README.md .gitignore "
        "turbo.json nx.json app/src/main/AndroidManifest.xml public/manifest.json src/package.ts src/lock.ts "
        "src/Changelog.tsx src/changes.go content/news.md src/history.ts docs/requirements.md src/generator.ts "
        "src/snapshot.ts db/schema.sql graphql/schema.graphql locales/fr.json .env src/setup.ts x.locked "
        "config/environment.rb lock/a.ts"
    ),
}


@pytest.mark.proves("track:scope:companions")
@pytest.mark.parametrize("kind", KINDS)
def test_companions_are_known_in_every_ecosystem(kind: str) -> None:
    paths = KINDS[kind].split()
    assert {path: companion(path) for path in paths} == dict.fromkeys(paths, kind)
