"""Which files are likely to hold secrets: their changes are reported, their contents never kept."""

from __future__ import annotations

NAMES = {".env", ".netrc", ".pgpass", ".htpasswd", ".git-credentials", ".npmrc", ".pypirc"}
ENDINGS = {"env", "pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "asc"}
KEYS = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
EXAMPLES = {"example", "sample", "template", "dist", "default", "defaults", "pub"}


def may_be_secret(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    ending = name.rpartition(".")[2]
    if ending in EXAMPLES:
        return False
    return ending in ENDINGS or name in NAMES or name.startswith((".env.", *KEYS))
