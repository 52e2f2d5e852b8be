"""Secrets are taken out of a text before it is kept or told: those we know, and whatever looks like one."""

from __future__ import annotations

import json
import re
from binascii import b2a_base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

REDACTED = "[redacted]"
LEAST = 6  # characters of a value that is taken out: shorter ones are parts of ordinary words
UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~"
KNOWN: dict[tuple[str, ...], tuple[str, ...]] = {}  # what was worked out already: every call of a server asks
MOST_KNOWN = 256
LEAST_INSIDE = 8  # of what base64 makes of a value inside of something longer
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
IN_NAMES = (
    *("passw", "passphrase", "pwd", "secret", "token", "credential", "cookie", "key", "connection"),
    *("mot de passe", "mdp", "パスワード", "シークレット", "トークン", "秘密鍵"),
)
VALUE = r"""(?:[^\s"'`,;)\]}\\]|\\(?!["']))"""
NOT_YET = r"(?!\[redacted\]|\[e-mail\])"
METHOD = r"(?!argon2|sha-?\d|pbkdf2|oauth2?\b|[rhep]s\d{3}\b|ed25519|base64)"  # what is said of passwords, no value
IS = "(?:[:\uff1a]|は|\\bis\\b|\\best\\b)"
TELLING = rf"(?={VALUE}{{0,80}}(?:\d|{VALUE}{{16}}))"  # no plain word
QUOTE = r"""\\?["'`]?"""
SHAPES = tuple(
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
    )
)
NAMED_SHAPES = tuple(
    (re.compile(pattern, re.IGNORECASE), rf"\1{REDACTED}")
    for pattern in (
        (rf"""((?:{NAMED})[\w.-]{{0,80}}\\?["']?\s{{0,9}}=>?\s{{0,9}}{QUOTE}){NOT_YET}{VALUE}{{3,}}"""),
        (
            rf"""((?:{NAMED})[\w.-]{{0,80}}\\?["']?\s{{0,9}}{IS}\s{{0,9}}{QUOTE}){NOT_YET}{METHOD}{TELLING}{VALUE}{{6,}}"""
        ),
    )
)


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without these values, however they are written, and without what has the shape of a token."""
    return without_shapes(without(text, secrets))


def without(text: str, secrets: Iterable[str]) -> str:
    for form in forms(tuple(secrets)):
        text = text.replace(form, REDACTED)
    return text


def without_shapes(text: str) -> str:
    lowered = text.lower()
    named = NAMED_SHAPES if any(word in lowered for word in IN_NAMES) else ()  # they take long on long texts
    for pattern, instead in (*SHAPES, *named):
        text = pattern.sub(instead, text)
    return text


def forms(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """All that these values may be written as, the longest first: one may contain another."""
    known = KNOWN.get(secrets)
    if known is None:
        found = {form for secret in secrets if len(secret) >= LEAST for form in _written(secret)}
        known = tuple(sorted((form for form in found if form not in REDACTED), key=len, reverse=True))
        if len(KNOWN) >= MOST_KNOWN:
            KNOWN.clear()
        KNOWN[secrets] = known
    return known


def _written(secret: str) -> Iterator[str]:
    """As it is, in a URL, in JSON (twice, too), in hexadecimal digits, in base64, at any place of it."""
    yield secret
    for plain in (json.dumps(secret), json.dumps(secret, ensure_ascii=False)):
        yield plain[1:-1]
        yield json.dumps(plain)[3:-3]
    for safe in (b"", b"/"):
        encoded = _in_url(secret.encode(errors="replace"), safe)
        for written in (encoded, encoded.replace("%20", "+")):
            yield written
            yield re.sub("%..", lambda found: found[0].lower(), written)
    yield from (digits := secret.encode(errors="replace").hex(), digits.upper())
    yield from _in_base64(secret.encode(errors="replace"))


def _in_url(data: bytes, safe: bytes) -> str:
    return "".join(chr(byte) if byte in UNRESERVED + safe else f"%{byte:02X}" for byte in data)


def _in_base64(data: bytes) -> Iterator[str]:
    """The letters that depend on nothing but `data`, whatever stands before and after it."""
    for before in range(3):
        length = before + len(data)
        written = b2a_base64(bytes(before) + data, newline=False).decode()
        inside = written[(0, 2, 3)[before] : length * 8 // 6]
        if len(inside) >= LEAST_INSIDE:
            yield inside
            yield inside.replace("+", "-").replace("/", "_")
