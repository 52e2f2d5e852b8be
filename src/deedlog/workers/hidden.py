"""What a worker cannot read: keys and settings that its client does not need.

One table, a reason each. A path is relative to the home folder. A client reads its own; the others stay out of sight.
"""

from __future__ import annotations

import os

from deedlog.workers.home import home, is_in, temporary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# what is hidden, and why
PATHS = {
    ".ssh": "keys for other machines",
    ".gnupg": "keys that sign and decrypt",
    ".aws": "keys of Amazon's cloud",
    ".azure": "keys of Microsoft's cloud",
    ".config/gcloud": "keys of Google's cloud",
    ".oci": "keys of Oracle's cloud",
    ".config/doctl": "keys of DigitalOcean",
    ".fly": "keys of Fly",
    ".kube": "keys of clusters",
    ".docker": "logins at registries",
    ".config/containers/auth.json": "logins at registries",
    ".config/gh": "a login at GitHub",
    ".config/hub": "a login at GitHub",
    ".config/glab-cli": "a login at GitLab",
    ".netrc": "passwords for machines",
    ".git-credentials": "passwords for git remotes",
    ".config/git/credentials": "passwords for git remotes",
    ".pypirc": "a password for publishing packages",
    ".gem/credentials": "a key for publishing packages",
    ".cargo/credentials": "a key for publishing packages",
    ".cargo/credentials.toml": "a key for publishing packages",
    ".m2/settings.xml": "passwords for publishing packages",
    ".terraform.d/credentials.tfrc.json": "a login at Terraform",
    ".pgpass": "passwords of databases",
    ".my.cnf": "passwords of databases",
    ".vault-token": "a key to a vault",
    ".config/op": "a password store",
    ".password-store": "a password store",
    ".local/share/keyrings": "a keyring",
    ".local/share/kwalletd": "a keyring",
    "Library/Keychains": "a keyring",
    ".mozilla": "logins and cookies of a browser",
    ".config/google-chrome": "logins and cookies of a browser",
    ".config/chromium": "logins and cookies of a browser",
    ".config/BraveSoftware": "logins and cookies of a browser",
    ".config/microsoft-edge": "logins and cookies of a browser",
    "snap/firefox": "logins and cookies of a browser",
    "Library/Application Support/Google/Chrome": "logins and cookies of a browser",
    "Library/Application Support/Firefox": "logins and cookies of a browser",
    "Library/Cookies": "cookies of a browser",
    ".config/deedlog": "Deedlog's settings and secrets",
    ".1password": "an agent that signs",
    ".bitwarden-ssh-agent.sock": "an agent that signs",
    ".colima": "sockets of Docker, which runs programs",
    ".lima": "sockets of machines, which run programs",
    ".rd": "sockets of Docker, which runs programs",
}
# the same, outside the home: who reaches these can start programs outside of the sandbox, or sign
PLACES = {
    "/run/docker.sock": "Docker runs anything as root",
    "/run/podman": "Podman runs programs",
    "/run/containerd": "containerd runs programs",
    "/run/user/{uid}": "the user's bus starts programs; agents keep keys there",
    "/run/dbus": "the system's bus starts programs",
    "/run/systemd/private": "systemd starts programs",
    "/run/screen": "screen runs programs",
    "/run/tmux": "tmux runs programs",
    "/run/libvirt": "machines use any disk",
    "/run/incus": "containers use any folder",
    "/run/crio": "CRI-O runs programs",
    "/run/snapd.socket": "snapd installs programs",
}
# variables that name such a socket, or the folder of some
SOCKETS = ("XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "TMUX")
# in the user's main work tree: `deedlog init --http` writes the token into these. A worker has its own tree
CONNECTED = (".mcp.json", ".gemini/settings.json", ".cursor/mcp.json", ".vscode/mcp.json")
# what a client keeps of itself: its login and what it was told in other projects
CLIENTS = {
    "claude-code": (".claude", ".claude.json", ".config/claude"),
    "codex": (".codex", ".config/codex"),
    "gemini-cli": (".gemini", ".config/gemini"),
    "opencode": (".opencode", ".config/opencode", ".local/share/opencode"),
    "aider": (".aider", ".aider.conf.yml"),
}
# of the keys above, those that clients use where a variable says so
NEEDED = {"CLAUDE_CODE_USE_BEDROCK": (".aws",), "CLAUDE_CODE_USE_VERTEX": (".config/gcloud",)}
NEEDED_BY = {"gemini-cli": (".config/gcloud",), "aider": (".aws",), "opencode": (".aws", ".config/gcloud")}


def hidden(client: str, environment: Mapping[str, str], own: Iterable[str] = ()) -> list[str]:
    """The paths that are there and must not be read; `own` are Deedlog's. No path lies in another one.

    A client that is not in the table may be any program, so no client's own files are hidden from it.
    """
    folder = home(environment)
    names = [*PATHS, *(name for other in _others(client) for name in CLIENTS[other])]
    needed = _needed(client, environment)
    paths = [os.path.join(folder, name) for name in names if name not in needed] if folder else []
    paths += [name.format(uid=os.getuid()) for name in PLACES]
    paths += [*_sockets(environment), *_settings(environment)]
    found = sorted({os.path.realpath(path) for path in (*paths, *own) if os.path.exists(path)})
    kept = [path for path in found if path != os.sep and not (folder and is_in(folder, path))]
    return [path for path in kept if not any(path != other and is_in(path, other) for other in kept)]


def make_settings(environment: Mapping[str, str]) -> None:
    """Make the folder of Deedlog's settings: what is not there cannot be hidden, and the user may make it later."""
    for path in _settings(environment):
        try:
            os.makedirs(path, mode=0o700, exist_ok=True)
        except OSError:
            continue  # then Deedlog cannot make it later, either


def _settings(environment: Mapping[str, str]) -> list[str]:
    folder, base = home(environment), environment.get("XDG_CONFIG_HOME", "")
    bases = [os.path.join(folder, ".config")] if folder else []
    return [os.path.join(path, "deedlog") for path in (*bases, *([base] if os.path.isabs(base) else []))]


def _sockets(environment: Mapping[str, str]) -> list[str]:
    """Those in no folder for temporary files: a sandbox that can hide sockets hides these folders as a whole."""
    named = [environment.get(name, "").split(",", maxsplit=1)[0] for name in SOCKETS]
    folders = temporary(environment)
    found = [os.path.realpath(path) for path in named if os.path.isabs(path)]
    return [path for path in found if not any(is_in(path, each) or is_in(each, path) for each in folders)]


def _others(client: str) -> list[str]:
    return [name for name in CLIENTS if name != client] if client in CLIENTS else []


def _needed(client: str, environment: Mapping[str, str]) -> set[str]:
    found = set(NEEDED_BY.get(client, ()))
    if client == "claude-code":
        found.update(name for variable, names in NEEDED.items() if environment.get(variable) for name in names)
    return found
