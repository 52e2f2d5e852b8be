"""Which files are likely to hold secrets: their changes are reported, their contents never kept.

Told by the name alone, because it is asked for every changed path. Source code that deals with secrets
(`secrets.py`, `src/credentials/index.ts`) is not meant.
"""

from __future__ import annotations

NAMES = frozenset(
    {
        *(".env", ".envrc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".mylogin.cnf", ".htpasswd", ".git-credentials"),
        *(".npmrc", ".pypirc", ".dockercfg", ".dockerconfigjson", ".s3cfg", ".boto", "rclone.conf", "kubeconfig"),
        *(".vault-token", ".vault_pass", "credentials.tfrc.json", "application_default_credentials.json"),
        *("secret", "secrets", "credentials", ".secret", ".secrets", ".credentials"),
    }
)
IN_FOLDERS = frozenset({".docker/config.json", ".kube/config", ".m2/settings.xml", "gh/hosts.yml"})
ENDINGS = frozenset(
    {
        *("env", "pem", "key", "p8", "p12", "pfx", "ppk", "asc", "jks", "jceks", "bks", "keystore", "keytab", "kdbx"),
        *("ovpn", "tfvars", "tfstate"),
    }
)
BEGINNINGS = (".env.", ".env-", ".env_", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
JSON_BEGINNINGS = ("service-account", "service_account", "serviceaccount", "client_secret", "client-secret")
TELLING = frozenset({"secret", "secrets", "credentials"})
OF_DATA = frozenset({"yaml", "yml", "json", "toml", "properties", "ini", "conf", "cfg", "xml", "csv", "txt", "db"})
EXAMPLES = frozenset({"example", "sample", "template", "dist", "default", "defaults", "pub"})
NO_CONTENT = frozenset({"example", "sample", "template", "schema"})
COPIES = frozenset({"bak", "backup", "old", "orig", "save", "swp"})

HIDDEN = b"(hidden)"
LONG = 16


def without_secret(patch: bytes, secret: str) -> bytes:
    """Return a patch that does not show our token. A short one is hidden only where a header would carry it."""
    hidden = secret.encode()
    if not hidden or hidden not in patch:
        return patch
    return (
        patch.replace(hidden, HIDDEN)
        if len(hidden) >= LONG
        else patch.replace(b"Bearer " + hidden, b"Bearer " + HIDDEN)
    )


def may_be_secret(path: str) -> bool:
    folder, _, name = path.lower().rstrip("~").rpartition("/")
    beginning, _, ending = name.rpartition(".")
    while ending in COPIES or ending.isdigit():
        name = beginning
        beginning, _, ending = name.rpartition(".")
    if ending in EXAMPLES:
        return False
    return (
        ending in ENDINGS
        or name in NAMES
        or name.startswith(BEGINNINGS)
        or (ending in OF_DATA and _is_telling(name, beginning))
        or f"{folder.rpartition('/')[2]}/{name}" in IN_FOLDERS
        or "/.env.d/" in f"/{folder}/"
    )


def _is_telling(name: str, beginning: str) -> bool:
    """Whether a file of data says that it holds secrets: `secrets.yaml`, `secrets.prod.json`, a service's key."""
    parts = beginning.split(".")
    if not NO_CONTENT.isdisjoint(parts):
        return False
    return not TELLING.isdisjoint(parts) or "tfvars" in parts or (name.endswith(".json") and _is_service_key(name))


def _is_service_key(name: str) -> bool:
    return name.startswith(JSON_BEGINNINGS) or "firebase-adminsdk" in name
