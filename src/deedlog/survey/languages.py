"""What the manifests of each language say: its packages, never a version, and nothing is run."""

from __future__ import annotations

import json
import re

from deedlog.survey.found import pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from deedlog.survey.found import Found

JS, PYTHON, GO, RUST, JAVA, DOTNET = "javascript", "python", "go", "rust", "java", "dotnet"
LONGEST_LIST, MOST_DOTS = 4_000, 1_000
PHP, RUBY, ELIXIR, DART, SWIFT, CPP = "php", "ruby", "elixir", "dart", "swift", "cpp"

REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")
QUOTED = re.compile(r"""["']([A-Za-z0-9][\w.-]*)""")
INSTALL_REQUIRES = re.compile(r"\b(?:install|extras|tests)_requires?\s*=\s*[\[{]")
CFG_REQUIRES = re.compile(r"^install_requires[ \t]*=[ \t]*(.*(?:\n[ \t]+.*)*)", re.MULTILINE)
CONDA = re.compile(r"^[ \t]+-[ \t]+([A-Za-z0-9][\w.-]*)(?=[ \t]*(?:[=<>!~].*)?$)", re.MULTILINE)
GO_MODULE = re.compile(
    r"^[ \t]*(?:require[ \t]+)?([\w.-]+\.[\w-]+/[\w./~-]+)[ \t]+v[^\s/]+(?!.*// indirect)", re.MULTILINE
)
MAVEN = re.compile(r"<groupId>\s*([\w.-]+)\s*</groupId>\s*<artifactId>\s*([\w.-]+)\s*</artifactId>")
GRADLE = re.compile(r"""["']([\w.-]+):([\w.-]+)(?::[^"'\n]*)?["']""")
GRADLE_PLUGIN = re.compile(r"""\bid\s*\(?\s*["']([\w.-]+)["']""")
KOTLIN = re.compile(r"""\bkotlin\s*\(\s*["']|org\.jetbrains\.kotlin|kotlin-(?:stdlib|maven-plugin)""")
SCALA = re.compile(r"""scalaVersion|scala-library|["']scala["']""")
SBT = re.compile(r"""["']([\w.-]+)["']\s*%%?%?\s*["']([\w.-]+)["']""")
NUGET = re.compile(r"<Package(?:Reference|Version)\s[^>]{0,300}?\b(?:Include|Update)=\"([^\"]+)\"", re.IGNORECASE)
SDK = re.compile(r"<Project\s[^>]{0,300}?\bSdk=\"([^\"]+)\"", re.IGNORECASE)
GEM = re.compile(
    r"""^[ \t]*(?:gem|\w+\.add(?:_runtime|_development)?_dependency)[\s(]+["']([\w.-]+)["']""", re.MULTILINE
)
MIX = re.compile(r"\{\s*:(\w+)\s*,\s*(?:[\"~]|git|path|only|in_umbrella)")
PUB_SECTION = re.compile(r"^(?:dev_)?dependencies:[ \t]*\n((?:[ \t]+.*\n?|[ \t]*\n|#.*\n)*)", re.MULTILINE)
PUB = re.compile(r"^ {2}(\w+):", re.MULTILINE)
SWIFT_PACKAGE = re.compile(r"\.package\(")
SWIFT_URL = re.compile(r"[^)]{0,300}?url:\s*\"[^\"]{0,300}?([\w.-]{1,80}?)(?:\.git)?/?\"")
POD = re.compile(r"""^[ \t]*pod[ \t]+["']([\w.+/-]+)["']""", re.MULTILINE)
CMAKE = re.compile(r"\bfind_package\s*\(\s*(\w+)", re.IGNORECASE)
CONAN = re.compile(r"""(?:^|["'])([a-z0-9][\w.+-]*)/[\d\[][\w.\-\[\]<>=*]*""", re.MULTILINE)


def package_json(text: str, found: Found) -> None:
    data = _object(json.loads(text))
    found.ecosystem(JS)
    for part in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        found.package(JS, *_object(data.get(part)))
    if any(name == "typescript" for _, name in found.packages):
        found.ecosystem("typescript")
    manager = data.get("packageManager")
    if isinstance(manager, str) and manager.partition("@")[0] in MANAGERS:
        found.name(MANAGERS[manager.partition("@")[0]])
    if "node" in _object(data.get("engines")):
        found.name("Node.js")


MANAGERS = {"npm": "npm", "yarn": "Yarn", "pnpm": "pnpm", "bun": "Bun"}


def deno_json(text: str, found: Found) -> None:
    found.ecosystem(JS, "typescript")
    found.name("Deno")
    found.package(JS, *(re.findall(r'"npm:(@?[\w./-]+)', text)))


def pyproject(text: str, found: Found) -> None:
    data = _toml(text)
    found.ecosystem(PYTHON)
    project, tool = _object(data.get("project")), _object(data.get("tool"))
    _requirements(_texts(project.get("dependencies")), found)
    for extra in (project.get("optional-dependencies"), data.get("dependency-groups")):
        for wanted in _object(extra).values():
            _requirements(_texts(wanted), found)
    poetry = _object(tool.get("poetry"))
    groups = [_object(group) for group in _object(poetry.get("group")).values()]
    for part in (poetry, *groups):
        for name in ("dependencies", "dev-dependencies"):
            _requirements((name for name in _object(part.get(name)) if name != "python"), found)
    _requirements(_texts(_object(tool.get("uv")).get("dev-dependencies")), found)
    found.name(*(shown for name, shown in PYTHON_TOOLS.items() if name in tool))


PYTHON_TOOLS = {
    "poetry": "Poetry", "uv": "uv", "pdm": "PDM", "hatch": "Hatch", "ruff": "Ruff", "black": "Black", "mypy": "mypy",
    "pytest": "pytest", "pyright": "Pyright",
}  # fmt: skip


def requirements_txt(text: str, found: Found) -> None:
    found.ecosystem(PYTHON)
    _requirements((line for line in text.splitlines() if not line.lstrip().startswith(("-", "#", "http"))), found)


def pipfile(text: str, found: Found) -> None:
    data = _toml(text)
    found.ecosystem(PYTHON)
    found.name("Pipenv")
    for part in ("packages", "dev-packages"):
        _requirements(_object(data.get(part)), found)


def setup_cfg(text: str, found: Found) -> None:
    for listed in CFG_REQUIRES.findall(text):
        found.ecosystem(PYTHON)
        _requirements(listed.splitlines(), found)


def setup_py(text: str, found: Found) -> None:
    found.ecosystem(PYTHON)
    for piece in pieces(INSTALL_REQUIRES, text, LONGEST_LIST):
        _requirements(QUOTED.findall(piece.partition("]")[0]), found)


def conda(text: str, found: Found) -> None:
    found.ecosystem(PYTHON)
    found.name("Conda")
    _requirements((name for name in CONDA.findall(text) if name not in ("python", "pip", "defaults")), found)


def go_mod(text: str, found: Found) -> None:
    found.ecosystem(GO)
    for module in GO_MODULE.findall(text):
        found.package(GO, module, re.sub(r"/v\d+$", "", module))


def cargo(text: str, found: Found) -> None:
    data = _toml(text)
    found.ecosystem(RUST)
    targets = [_object(target) for target in _object(data.get("target")).values()]
    for part in (data, _object(data.get("workspace")), *targets):
        for name in ("dependencies", "dev-dependencies", "build-dependencies"):
            found.package(RUST, *_object(part.get(name)))


def maven(text: str, found: Found) -> None:
    found.name("Maven")
    _jvm(text, MAVEN.findall(text), found)


def gradle(text: str, found: Found) -> None:
    found.name("Gradle")
    _jvm(text, GRADLE.findall(text), found)
    found.package(JAVA, *GRADLE_PLUGIN.findall(text))


def gradle_versions(text: str, found: Found) -> None:
    found.name("Gradle")
    modules = []
    for entry in _object(_toml(text).get("libraries")).values():
        library = {"module": entry} if isinstance(entry, str) else _object(entry)
        whole = str(library.get("module") or f"{library.get('group')}:{library.get('name')}").split(":")
        modules += [(whole[0], whole[1])] if len(whole) > 1 else []
    _jvm(text, modules, found)


def sbt(text: str, found: Found) -> None:
    found.ecosystem("scala")
    _jvm(text, SBT.findall(text), found)


def _jvm(text: str, modules: Iterable[tuple[str, str]], found: Found) -> None:
    found.ecosystem(JAVA, *(["kotlin"] if KOTLIN.search(text) else []), *(["scala"] if SCALA.search(text) else []))
    for group, artifact in modules:
        found.package(JAVA, f"{group}:{artifact}", artifact)


def dotnet(text: str, found: Found) -> None:
    found.ecosystem(DOTNET)
    found.package(DOTNET, *NUGET.findall(text))
    if any(sdk.endswith(".Web") for sdk in SDK.findall(text)):
        found.name("ASP.NET Core")


def composer(text: str, found: Found) -> None:
    data = _object(json.loads(text))
    found.ecosystem(PHP)
    for part in ("require", "require-dev"):
        found.package(PHP, *(name for name in _object(data.get(part)) if name != "php"))


def gemfile(text: str, found: Found) -> None:
    found.ecosystem(RUBY)
    found.package(RUBY, *GEM.findall(text))


def mix(text: str, found: Found) -> None:
    found.ecosystem(ELIXIR)
    found.package(ELIXIR, *MIX.findall(text))


def pubspec(text: str, found: Found) -> None:
    found.ecosystem(DART)
    for section in PUB_SECTION.findall(text):
        found.package(DART, *PUB.findall(section))


def swift(text: str, found: Found) -> None:
    found.ecosystem(SWIFT)
    urls = (SWIFT_URL.match(piece) for piece in pieces(SWIFT_PACKAGE, text, LONGEST_LIST))
    found.package(SWIFT, *(url[1] for url in urls if url))


def podfile(text: str, found: Found) -> None:
    found.ecosystem(SWIFT)
    found.package(SWIFT, *(name.partition("/")[0] for name in POD.findall(text)))


def cmake(text: str, found: Found) -> None:
    found.ecosystem(CPP)
    found.name("CMake")
    found.package(CPP, *CMAKE.findall(text))


def conan(text: str, found: Found) -> None:
    found.ecosystem(CPP)
    found.name("Conan")
    found.package(CPP, *CONAN.findall(text))


def vcpkg(text: str, found: Found) -> None:
    found.ecosystem(CPP)
    found.name("vcpkg")
    wanted = _object(json.loads(text)).get("dependencies")
    for one in wanted if isinstance(wanted, list) else ():
        found.package(CPP, one if isinstance(one, str) else _object(one).get("name"))


def _requirements(lines: Iterable[str], found: Found) -> None:
    for line in lines:
        if name := REQUIREMENT.match(line):
            found.package(PYTHON, re.sub(r"[-_.]+", "-", name[1]))


def _toml(text: str) -> dict[str, Any]:
    import tomllib  # only where there is such a manifest

    if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
        return {}  # a key of many parts takes its time
    return tomllib.loads(text)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


BY_NAME: dict[str, Callable[[str, Found], None]] = {
    "package.json": package_json,
    "deno.json": deno_json,
    "deno.jsonc": deno_json,
    "pyproject.toml": pyproject,
    "Pipfile": pipfile,
    "setup.cfg": setup_cfg,
    "setup.py": setup_py,
    "environment.yml": conda,
    "environment.yaml": conda,
    "go.mod": go_mod,
    "Cargo.toml": cargo,
    "pom.xml": maven,
    "build.gradle": gradle,
    "build.gradle.kts": gradle,
    "libs.versions.toml": gradle_versions,
    "build.sbt": sbt,
    "Directory.Packages.props": dotnet,
    "composer.json": composer,
    "Gemfile": gemfile,
    "mix.exs": mix,
    "pubspec.yaml": pubspec,
    "Package.swift": swift,
    "Podfile": podfile,
    "CMakeLists.txt": cmake,
    "conanfile.txt": conan,
    "conanfile.py": conan,
    "vcpkg.json": vcpkg,
}
BY_ENDING: dict[str, Callable[[str, Found], None]] = {
    ".csproj": dotnet,
    ".fsproj": dotnet,
    ".vbproj": dotnet,
    ".gemspec": gemfile,
}
