"""What is run for a server, with which variables, and where. A server gets its own keys and what any program needs.

A repository says by its files what `npx`, `uvx` or `python -m` find where they are started, and from where they load
it. So only what it brings itself is started in it; any other server has an empty folder of its own.
"""

from __future__ import annotations

import os
import re

from deedlog.core.errors import Part, Unavailable
from deedlog.core.gate.reference import environment, resolved
from deedlog.core.value import Value
from deedlog.gateway.programs.installed import without_wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deedlog.core.gate.server import Server
    from deedlog.gateway.places import Places

# What any program may need, and never a credential.
WHO = ("HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "DISPLAY", "WAYLAND_DISPLAY")
WHERE = ("PATH", "TMPDIR", "TEMP", "TMP", "DOCKER_HOST", "VOLTA_HOME", "NVM_DIR", "PYENV_ROOT", "ASDF_DATA_DIR")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy")
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO")
PASSED = frozenset((*WHO, *WHERE, *PROXIES, *CERTIFICATES))
FAMILIES = ("LC_", "XDG_", "npm_config_", "NPM_CONFIG_", "UV_", "PIP_", "NODE_", "PLAYWRIGHT_", "PUPPETEER_")
SECRET = ("TOKEN", "AUTH", "PASSWORD", "SECRET", "CREDENTIAL", "USERNAME", "KEY")  # in the name of one of a family
WITH_ADDRESS = ("INDEX", "REGISTRY", "FIND_LINKS")  # these may have a password in their address

LOGIN = re.compile(r"(?:(?<=//)|^)[^/@]*@")  # in the address of a proxy
RUNNING = "running"  # among the user's files: the folders that servers run in
INTERPRETER = re.compile(r"python[\d.]*|node|nodejs|deno|bun|tsx|ruby|perl|php|bash|sh")
NO_SCRIPT = frozenset({"-m", "-c", "-e"})  # what follows is a module, or the program itself


class Launch(Value):
    argv: list[str]
    env: dict[str, str]
    cwd: str


def command_of(server: Server, places: Places, look_up: Callable[[str], str | None], *, direct: bool = True) -> Launch:
    """How to start a server. Where `direct`, a package that npx or uvx would only find is run without them."""
    command, args = resolved(server.command, look_up), [resolved(each, look_up) for each in server.args]
    if server.cwd or server.brought:
        folder = os.path.normpath(os.path.join(places.root, _home(resolved(server.cwd, look_up), places)))
    else:
        folder, args = _own_folder(server, places), _seen_from(places.root, command, args)
    argv = [_program(command, places), *args]
    env = passed_on(places.environment) | environment(server, look_up)
    launch = Launch(argv=argv, env=env, cwd=folder)
    return (without_wrapper(launch) or launch) if direct else launch


def passed_on(ours: Mapping[str, str]) -> dict[str, str]:
    """Which of our variables every server gets. The password for a proxy is for whoever names it among its own."""
    found = {key: value for key, value in ours.items() if key in PASSED or _is_setting(key, value)}
    return found | {key: LOGIN.sub("", found[key]) for key in PROXIES if key in found}


def _is_setting(key: str, value: str) -> bool:
    if not key.startswith(FAMILIES):
        return False
    name = key.upper()
    if any(word in name for word in SECRET):
        return False
    return not (any(word in name for word in WITH_ADDRESS) and "@" in value)


def _own_folder(server: Server, places: Places) -> str:
    folder = os.path.join(places.user, RUNNING, server.name)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"the folder {folder} that {server.name} is to run in cannot be made: {error.strerror}",
            hint="check the permissions of the folder above it, and free space",
            part=Part.CONFIGURATION,
        ) from error
    return folder


def _seen_from(root: str, command: str, args: list[str]) -> list[str]:
    """Arguments whose relative paths are those of the project: what is written as one, and an interpreter's script."""
    script = next((at for at, word in enumerate(args) if not word.startswith("-") and word != "run"), -1)
    is_script = INTERPRETER.fullmatch(os.path.basename(command)) and not NO_SCRIPT.intersection(args[: max(script, 0)])
    found = [_absolute(root, word) for word in args]
    if is_script and script >= 0 and os.path.isfile(path := os.path.join(root, found[script])):
        found[script] = path
    return found


def _absolute(root: str, word: str) -> str:
    option, equals, path = word.partition("=") if word.startswith("-") else ("", "", word)
    if path not in (".", "..") and not path.startswith(("./", "../")):
        return word
    return option + equals + os.path.normpath(os.path.join(root, path))


def _program(command: str, places: Places) -> str:
    """A path is seen from the project; a name is looked up where programs are."""
    return os.path.join(places.root, _home(command, places)) if "/" in command else command


def _home(path: str, places: Places) -> str:
    return places.home + path[1:] if path == "~" or path.startswith("~/") else path
