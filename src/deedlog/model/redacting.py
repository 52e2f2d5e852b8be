"""Secrets are taken out of a text before it leaves the machine. Rather a word too many than a key."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

REDACTED, E_MAIL = "[redacted]", "[e-mail]"
TOKENS = (
    r"(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA|ABIA|ACCA)[A-Z0-9]{12,}",
    r"sk-[\w-]{16,}|[srp]k_(?:live|test)_\w{10,}|whsec_\w{16,}",
    r"gh[opusr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|glc?ft-[\w-]{16,}",
    r"xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|AIza[\w-]{30,}|ya29\.[\w-]{16,}|GOCSPX-[\w-]{16,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}|npm_\w{30,}|pypi-[\w-]{16,}|hf_\w{16,}|do[opr]_v1_\w{16,}|shp(?:at|ca|pa|ss)_\w{16,}",
    r"lin_api_\w{16,}|sbp_\w{16,}|nvapi-[\w-]{16,}|hvs\.[\w-]{16,}|AGE-SECRET-KEY-1\w+|\d{8,10}:AA[\w-]{30,}",
    r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",  # a JWT
)
NAMED = (
    r"passw(?:or)?d|passwd|passphrase|pwd|secret|token|credentials?|cookie"
    r"|(?:api|access|account|auth|client|deploy|encryption|license|master|private|shared|signing|subscription)[ _-]?key"
    r"|connection[ _-]?string|mot de passe|mdp|パスワード|シークレット|トークン|秘密鍵"
)
VALUE = r"""[^\s"'`,;)\]}]"""
NOT_YET = r"(?!\[redacted\]|\[e-mail\])"
METHOD = r"(?!argon2|sha-?\d|pbkdf2|oauth2?\b|[rhep]s\d{3}\b|ed25519|base64)"  # what is said of passwords, no value
IS = "(?:[:\uff1a]|は|\\bis\\b|\\best\\b)"
TELLING = rf"(?={VALUE}{{0,80}}(?:\d|{VALUE}{{16}}))"  # no plain word
QUOTE = """["'`]?"""
RULES = tuple(
    (re.compile(pattern, flags), instead)
    for pattern, flags, instead in (
        (
            r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\Z)",
            re.DOTALL,
            REDACTED,
        ),
        (r"https://(?:hooks\.slack\.com|[\w.]{0,20}discord(?:app)?\.com/api/webhooks)/\S+", 0, REDACTED),
        (rf"""(://[^\s:/@"']{{0,200}}:){NOT_YET}{VALUE}{{1,300}}@""", 0, rf"\1{REDACTED}@"),
        (rf"""(://){NOT_YET}[^\s:/@"']{{8,300}}@""", 0, rf"\1{REDACTED}@"),
        (rf"(?<![\w-])(?:{'|'.join(TOKENS)})", re.ASCII, REDACTED),
        (r"([?&](?:sig|signature|key|code|auth|state|access_token)=)[\w.~%+/=-]{6,}", re.ASCII, rf"\1{REDACTED}"),
        (r"\b(bearer|basic)\s+[\w.~+/=-]{8,}", re.ASCII | re.IGNORECASE, rf"\1 {REDACTED}"),
        (
            rf"""((?:{NAMED})[\w.-]{{0,80}}["']?\s{{0,9}}=>?\s{{0,9}}{QUOTE}){NOT_YET}{VALUE}{{3,}}""",
            re.IGNORECASE,
            rf"\1{REDACTED}",
        ),
        (
            rf"""((?:{NAMED})[\w.-]{{0,80}}["']?\s{{0,9}}{IS}\s{{0,9}}{QUOTE}){NOT_YET}{METHOD}{TELLING}{VALUE}{{6,}}""",
            re.IGNORECASE,
            rf"\1{REDACTED}",
        ),
        (r"[\w.+%-]{1,64}@(?!\dx\.)[\w-]{1,64}(?:\.[\w-]{1,64})+", re.ASCII, E_MAIL),
        (r"\b[0-9a-fA-F]{32,}\b", re.ASCII, REDACTED),
        (
            r"(?<![\w+-])(?=[\w+-]*[0-9])(?=[\w+-]*[a-z])(?=[\w+-]*[A-Z])[\w+-]{40,}={0,2}",
            re.ASCII,
            REDACTED,
        ),
    )
)


def redacted(text: str) -> str:
    for pattern, instead in RULES:
        text = pattern.sub(instead, text)
    return text


def redacted_data(data: Any) -> Any:
    """The same for every text in JSON data, the names in it included."""
    if isinstance(data, str):
        return redacted(data)
    if isinstance(data, dict):
        return {redacted(str(name)): redacted_data(value) for name, value in data.items()}
    if isinstance(data, list):
        return [redacted_data(value) for value in data]
    return data
