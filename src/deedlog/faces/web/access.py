"""Credentials: who sends a request, and how this server proves to the page that it is the same one.

A program sends the token. The page has a key, which this process makes when it starts and keeps only in memory.
A browser gets the key for the code of a link. Links are signed with another secret than the token: programs have that.
The page never sends the key. Each request carries a nonce and an HMAC with the key over the nonce, the method, the
address and a digest of the body, each answer another HMAC of that nonce. So another server on the same port learns
nothing, cannot use the signature for another request, and the page takes nothing from it. A nonce is good once: it
contains the time, and is remembered as long as that time is accepted. There is no cookie: browsers send cookies to
every port of a host.
"""

from __future__ import annotations

import os
import re
import time
from hashlib import sha256
from hmac import compare_digest

from starlette.datastructures import Headers

from deedlog.token import derived, link_code, server_proof

NOBODY, PROGRAM, PERSON = "", "program", "person"
FIRST_LINK_SECONDS = 86_400  # the link that `deedlog serve` prints may be opened later
CODE = re.compile(r"(\d{1,12})-([0-9a-f]{16})-([0-9a-f]{64})", re.ASCII)
SIGNED = re.compile(r"((\d{1,12})-[0-9a-f]{32}):([0-9a-f]{64}):([0-9a-f]{64})", re.ASCII)
WINDOW_SECONDS = 600  # by which the clocks of a browser and of this server may differ
MOST_SPENT = 100_000  # nonces that are remembered


class Seal:
    """A signature of the page that is right: its nonce, when it was made, and the digest of the body it is for."""

    def __init__(self, nonce: str, made: int, body: str) -> None:
        self.nonce = nonce
        self.made = made
        self._body = body

    def holds(self, body: bytes) -> bool:
        return _same(self._body, sha256(body).hexdigest())


class Access:
    """The credentials of one run of the server."""

    def __init__(self, token: str, sign_in: str = "") -> None:
        self._token = token
        self._sign_in = sign_in or os.urandom(32).hex()  # without one, only this process can make links
        self._used: dict[str, int] = {}
        self._spent: dict[str, float] = {}  # nonces, with when they may be forgotten, the oldest first
        self.run = os.urandom(8).hex()
        self.key = os.urandom(32).hex()

    def recognise(self, headers: Headers, seal: Seal | None) -> str:
        """Return who sends a request: a person on the page, a program with the token, or nobody that is known."""
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(secret.strip(), self._token):
            return PROGRAM
        return PERSON if seal else NOBODY

    def seal(self, headers: Headers, method: str, target: str) -> Seal | None:
        """Return the page's signature of a request for this method and address; None where there is none."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        signed = SIGNED.fullmatch(given.strip()) if scheme.lower() == "deedlog" else None
        if not signed or not _same(signed[4], _signed(self.key, signed[1], method, target, signed[3])):
            return None
        return Seal(signed[1], int(signed[2]), signed[3])

    def spend(self, seal: Seal) -> bool:
        """Return whether a signature was made just now and never used, and use it up."""
        now = time.time()
        while self._spent and next(iter(self._spent.values())) < now:
            del self._spent[next(iter(self._spent))]
        if abs(now - seal.made) > WINDOW_SECONDS or seal.nonce in self._spent or len(self._spent) >= MOST_SPENT:
            return False
        self._spent[seal.nonce] = now + 2 * WINDOW_SECONDS  # by then its time is not accepted any more
        return True

    def proof_for(self, seal: Seal | None) -> str:
        """Return what shows the page that the answer comes from this run; empty for other callers."""
        return derived(self.key, f"answer {seal.nonce}") if seal else ""

    def redeem(self, code: str) -> bool:
        """Return whether a link's code is good, and use it up."""
        found = CODE.fullmatch(code)
        now = int(time.time())
        self._used = {one: end for one, end in self._used.items() if end >= now}
        if not found or code in self._used or int(found[1]) < now:
            return False
        if not _same(found[3], derived(self._sign_in, f"link {self.run} {found[1]} {found[2]}")):
            return False
        self._used[code] = int(found[1])
        return True

    def first_code(self) -> str:
        return link_code(self._sign_in, self.run, FIRST_LINK_SECONDS)

    def proof(self, at: str, challenge: str) -> str:
        """Return the answer to `deedlog open`, which knows the sign-in secret and not the key."""
        return server_proof(self._sign_in, self.run, at, challenge)


def signature(key: str, method: str, target: str, body: bytes = b"", *, nonce: str = "") -> dict[str, str]:
    """Return the header with which the page signs a request."""
    nonce = nonce or f"{int(time.time())}-{os.urandom(16).hex()}"
    digest = sha256(body).hexdigest()
    return {"Authorization": f"Deedlog {nonce}:{digest}:{_signed(key, nonce, method, target, digest)}"}


def _signed(key: str, nonce: str, method: str, target: str, digest: str) -> str:
    return derived(key, f"ask {nonce} {method} {digest} {target}")


def _same(given: str, wanted: str) -> bool:
    return compare_digest(given.encode(), wanted.encode())
