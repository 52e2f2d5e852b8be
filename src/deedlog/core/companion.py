"""Files that accompany a change wherever it is made: manifests, lock files, snapshots, generated files, changelogs.

What people write by hand and review for itself is none: `prisma/schema.prisma`, a migration, `AndroidManifest.xml`.
"""

from __future__ import annotations

import re

MANIFEST, LOCK, SNAPSHOT, GENERATED, CHANGELOG = "manifest", "lock file", "snapshot", "generated", "changelog"

NAMES = {
    MANIFEST: """
        package.json pnpm-workspace.yaml deno.json deno.jsonc jsr.json bower.json
        pyproject.toml setup.py setup.cfg Pipfile environment.yml environment.yaml pixi.toml
        Cargo.toml go.mod go.work
        pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts libs.versions.toml
        build.sbt deps.edn project.clj
        Gemfile composer.json
        Directory.Packages.props packages.config paket.dependencies paket.references
        Package.swift Podfile Cartfile pubspec.yaml
        mix.exs rebar.config gleam.toml shard.yml elm.json spago.yaml stack.yaml cabal.project dune-project
        Project.toml DESCRIPTION cpanfile conanfile.txt conanfile.py vcpkg.json build.zig.zon dub.json dub.sdl
        MODULE.bazel flake.nix Chart.yaml
        """,
    LOCK: """
        package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lockb .pnp.cjs .pnp.loader.mjs
        pylock.toml conda-lock.yml go.sum go.work.sum
        gradle.lockfile buildscript-gradle.lockfile verification-metadata.xml maven_install.json
        gems.locked packages.lock.json Package.resolved Cartfile.resolved cabal.project.freeze
        Manifest.toml cpanfile.snapshot dub.selections.json .terraform.lock.hcl Brewfile.lock.json
        """,
    GENERATED: "next-env.d.ts routeTree.gen.ts .tsbuildinfo",
}
ENDINGS = {
    MANIFEST: ".gemspec .csproj .fsproj .vbproj .sln .slnx .pbxproj .podspec .cabal .opam .rockspec .nimble",
    LOCK: ".lock",  # yarn, bun, deno, poetry, uv, Cargo, Gemfile, composer, Podfile, pubspec, mix, flake and many more
    SNAPSHOT: ".snap .ambr .golden .approved.txt .verified.txt",
    GENERATED: """
        .pb.go .pb.gw.go .pb.cc .pb.h _pb2.py _pb2.pyi _pb2_grpc.py _pb.js _pb.ts _pb.d.ts .pb.swift .pb.dart
        .g.dart .freezed.dart .mocks.dart .Designer.cs .g.cs .gen.go .gen.ts _gen.go .generated.ts .generated.tsx
        .generated.js .generated.go .generated.swift .generated.cs .min.js .min.css .tsbuildinfo
        """,
}
FOLDERS = {
    SNAPSHOT: "__snapshots__ __image_snapshots__ __file_snapshots__",
    GENERATED: "__generated__ generated",
    CHANGELOG: ".changeset .changes changelog.d newsfragments",
}
PATHS = {
    GENERATED: "db/schema.rb db/structure.sql",  # Rails writes them from the migrations
    MANIFEST: "Packages/manifest.json project/plugins.sbt project/build.properties",  # Unity, sbt
    LOCK: "Packages/packages-lock.json vendor/modules.txt gradle/wrapper/gradle-wrapper.properties",
}
MADE_OF = (
    (re.compile(r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)", re.IGNORECASE), MANIFEST),
    (re.compile(r"(?:changelog|release[-_]?notes)(?:[-_.].*)?", re.IGNORECASE), CHANGELOG),
    (re.compile(r"(?:CHANGES|Changes|HISTORY|History|NEWS|News)(?:\..*)?"), CHANGELOG),
    (re.compile(r"zz_generated\..*\.go"), GENERATED),
)
TEXTS = (".md", ".markdown", ".rst", ".txt", ".adoc", ".org")


def _by_word(table: dict[str, str]) -> dict[str, str]:
    return {word: kind for kind, text in table.items() for word in text.split()}


BY_NAME, BY_ENDING, BY_FOLDER, BY_PATH = map(_by_word, (NAMES, ENDINGS, FOLDERS, PATHS))
INNER_ENDINGS = tuple(ending for ending in BY_ENDING if ending.startswith("_"))


def companion(path: str) -> str:
    """What kind of companion the path is; empty when it is none."""
    folder, _, name = path.rpartition("/")
    found = BY_NAME.get(name) or _by_folder(folder) or _by_ending(name)
    return found or _by_path(path) or _by_form(folder, name)


def _by_folder(folder: str) -> str:
    for part in folder.split("/"):
        if part in BY_FOLDER:
            return BY_FOLDER[part]
        if part.endswith("-snapshots"):  # Playwright: login.spec.ts-snapshots/
            return SNAPSHOT
    return ""


def _by_ending(name: str) -> str:
    at = name.find(".", 1)
    while at > 0:
        if found := BY_ENDING.get(name[at:]):
            return found
        at = name.find(".", at + 1)
    return GENERATED if name.endswith(INNER_ENDINGS) else ""


def _by_path(path: str) -> str:
    return next((kind for known, kind in BY_PATH.items() if path == known or path.endswith("/" + known)), "")


def _by_form(folder: str, name: str) -> str:
    for form, kind in MADE_OF:
        if form.fullmatch(name) and (kind != CHANGELOG or "." not in name or name.lower().endswith(TEXTS)):
            return kind
    in_requirements = folder.rpartition("/")[2] == "requirements" and name.endswith((".txt", ".in"))
    return MANIFEST if in_requirements else ""
