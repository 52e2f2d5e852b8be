"""Which files are likely to hold secrets: their changes are reported, their contents never kept."""

from __future__ import annotations

import re

EXAMPLE = re.compile(r"\.(example|sample|template|dist|defaults?)$", re.IGNORECASE)
SECRET = re.compile(
    r"""(^|/)(
        \.env(\..+)? | .+\.env | \.netrc | \.pgpass | \.htpasswd | \.git-credentials
        | id_(rsa|dsa|ecdsa|ed25519)[^/]* | .+\.(pem|key|p12|pfx|jks|keystore|kdbx|asc)
    )$""",
    re.IGNORECASE | re.VERBOSE,
)


def may_be_secret(path: str) -> bool:
    return bool(SECRET.search(path)) and not EXAMPLE.search(path) and not path.endswith(".pub")
