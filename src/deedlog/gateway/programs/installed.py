"""The program that `npx` or `uvx` would run, where it is certain: each of them costs a second and 90 MB per server.

Whatever is not plain (options, tags, ranges, a package that is also in the project, a cache elsewhere) is left to them.
"""

from __future__ import annotations

import os
import re
from time import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.gateway.programs.launch import Launch

PACKAGE = re.compile(
    r"(?P<name>(?:@[a-z0-9][\w.-]*/)?[a-z0-9][\w.-]*)(?:@(?P<version>\d+\.\d+\.\d+[\w.+-]*))?", re.ASCII
)
TOOL = re.compile(r"[a-z0-9][a-z0-9-]*")  # spelled as uv spells a package's folder
LOOKS_AGAIN = 7 * 24 * 3600  # seconds after which npx is let look whether there is a newer one


def without_wrapper(launch: Launch) -> Launch | None:
    finds = {"npx": _of_npx, "uvx": _of_uvx}.get(os.path.basename(launch.argv[0]))
    program = finds(launch) if finds else ""
    if not program:
        return None
    rest = launch.argv[3:] if launch.argv[1] in ("-y", "--yes") else launch.argv[2:]
    path = os.pathsep.join(filter(None, (os.path.dirname(program), launch.env.get("PATH", ""))))
    return launch.replace(argv=[program, *rest], env=launch.env | {"PATH": path})


def _of_npx(launch: Launch) -> str:
    words = launch.argv[1:]
    spec = words[1] if words[:1] in (["-y"], ["--yes"]) and len(words) > 1 else (words or [""])[0]
    found = PACKAGE.fullmatch(spec)
    home = launch.env.get("HOME", "")
    if not found or not home or _has_other_settings(launch) or _is_nearer(launch, spec, found["name"]):
        return ""
    folder = os.path.join(_npm_cache(launch), "_npx", _folder_of(spec))
    if not _is_complete(folder, spec, found["name"], found["version"] or ""):
        return ""
    package = _read(os.path.join(folder, "node_modules", found["name"], "package.json"))
    if package.get("name") != found["name"] or found["version"] not in (None, package.get("version")):
        return ""
    program = os.path.join(folder, "node_modules", ".bin", _bin(package))
    return program if _bin(package) and os.path.isfile(program) and os.access(program, os.X_OK) else ""


def _folder_of(spec: str) -> str:
    """As npx names it."""
    from hashlib import sha512  # only a server that npx starts needs it

    return sha512(spec.encode()).hexdigest()[:16]


def _npm_cache(launch: Launch) -> str:
    cache = launch.env.get("npm_config_cache") or launch.env.get("NPM_CONFIG_CACHE")
    return cache or os.path.join(launch.env["HOME"], ".npm")


def _has_other_settings(launch: Launch) -> bool:
    """Whether npm may look elsewhere than it is looked for here, or run things in another way."""
    told = ("npm_config_prefix", "NPM_CONFIG_PREFIX", "npm_config_userconfig", "NPM_CONFIG_USERCONFIG")
    if any(key in launch.env for key in told):
        return True
    texts = [_text(os.path.join(folder, ".npmrc")) for folder in (launch.env["HOME"], *_upwards(launch.cwd))]
    return any(re.search(r"^\s*(?:prefix|cache|script-shell|node-options)\s*=", text, re.MULTILINE) for text in texts)


def _is_nearer(launch: Launch, spec: str, name: str) -> bool:
    """Whether npx would find it in the project, or among what is installed for everybody."""
    for folder in _upwards(launch.cwd):
        modules = os.path.join(folder, "node_modules")
        if os.path.exists(os.path.join(modules, name)) or os.path.exists(os.path.join(modules, ".bin", spec)):
            return True
        if name.rpartition("/")[2] in _text(os.path.join(folder, "package.json")):
            return True
    programs = _folder_with("npx", launch)
    modules = os.path.join(os.path.dirname(programs), "lib", "node_modules", name)
    return not programs or os.path.exists(modules) or os.path.exists(os.path.join(programs, spec))


def _is_complete(folder: str, spec: str, name: str, version: str) -> bool:
    """Whether npx has put exactly this there and is not at it now; without a version, whether it has looked lately."""
    try:
        looked = os.stat(folder).st_mtime
    except OSError:
        return False
    if os.path.exists(os.path.join(folder, "concurrency.lock")) or not (version or time() - looked < LOOKS_AGAIN):
        return False
    kept = _read(os.path.join(folder, "package.json"))
    packages = kept.get("_npx")
    if not isinstance(packages, dict) or packages.get("packages") != [spec]:
        return False
    return name in (kept.get("dependencies") or {})


def _bin(package: dict[str, Any]) -> str:
    """Which of a package's programs npx takes."""
    programs, name = package.get("bin"), package["name"].rpartition("/")[2]
    if isinstance(programs, str):
        return str(name)
    if not isinstance(programs, dict):
        return ""
    if len(set(map(str, programs.values()))) == 1:
        found = next(iter(programs))
        return found if "/" not in found else ""
    return name if name in programs else ""


def _of_uvx(launch: Launch) -> str:
    """`uvx` takes what `uv tool install` has installed, where no version is asked for."""
    name = launch.argv[1] if len(launch.argv) > 1 else ""
    home = launch.env.get("HOME", "")
    asked = any(key.startswith("UV_") and key != "UV_TOOL_DIR" for key in launch.env)
    if asked or not TOOL.fullmatch(name) or not home:
        return ""
    data = launch.env.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    folder = os.path.join(launch.env.get("UV_TOOL_DIR") or os.path.join(data, "uv", "tools"), name)
    program = os.path.join(folder, "bin", name)
    receipt = os.path.isfile(os.path.join(folder, "uv-receipt.toml"))
    return program if receipt and os.path.isfile(program) and os.access(program, os.X_OK) else ""


def _folder_with(program: str, launch: Launch) -> str:
    if "/" in launch.argv[0]:
        return os.path.dirname(launch.argv[0])
    folders = launch.env.get("PATH", "").split(os.pathsep)
    return next((folder for folder in folders if folder and os.path.isfile(os.path.join(folder, program))), "")


def _upwards(folder: str) -> list[str]:
    found = [os.path.abspath(folder)]
    while (above := os.path.dirname(found[-1])) != found[-1]:
        found.append(above)
    return found


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _read(path: str) -> dict[str, Any]:
    from json import loads  # as above

    try:
        found = loads(_text(path))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
