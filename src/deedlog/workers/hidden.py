"""What a worker cannot read: keys and settings that its client does not need.

One table, a reason each. A path is relative to the home folder. A client reads its own; the others stay out of sight.
"""

from __future__ import annotations

import os

from deedlog.workers.home import home, is_in

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
}
# the same, outside the home: who reaches these can start programs outside of the sandbox, or sign
PLACES = {
    "/run/docker.sock": "Docker runs anything as root",
    "/run/podman": "Podman runs programs",
    "/run/containerd": "containerd runs programs",
    "/run/user/{uid}": "the user's bus starts programs; agents keep keys there",
}
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
    base = environment.get("XDG_CONFIG_HOME", "")
    paths = [os.path.join(folder, name) for name in names if name not in needed] if folder else []
    paths += [name.format(uid=os.getuid()) for name in PLACES]
    paths += [os.path.join(base, "deedlog")] if os.path.isabs(base) else []
    found = sorted({os.path.realpath(path) for path in (*paths, *own) if os.path.exists(path)})
    kept = [path for path in found if path != os.sep and not (folder and is_in(folder, path))]
    return [path for path in kept if not any(path != other and is_in(path, other) for other in kept)]


def _others(client: str) -> list[str]:
    return [name for name in CLIENTS if name != client] if client in CLIENTS else []


def _needed(client: str, environment: Mapping[str, str]) -> set[str]:
    found = set(NEEDED_BY.get(client, ()))
    if client == "claude-code":
        found.update(name for variable, names in NEEDED.items() if environment.get(variable) for name in names)
    return found
