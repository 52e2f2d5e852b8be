"""Credentials: who sends a request, and how this server proves to the page that it is the same one.

A program sends the token. The page has a key, which this process makes when it starts and keeps only in memory.
A browser gets the key for the code of a link. Links are signed with another secret than the token: programs have that.
The page never sends the key. Each request carries a nonce and its HMAC with the key, each answer another HMAC of that
nonce. So another server on the same port learns nothing, and the page takes nothing from it. There is no cookie:
browsers send cookies to every port of a host.
"""

from __future__ import annotations

import os
import re
import time
from hmac import compare_digest

from starlette.datastructures import Headers

from deedlog.token import derived, link_code, server_proof

NOBODY, PROGRAM, PERSON = "", "program", "person"
FIRST_LINK_SECONDS = 86_400  # the link that `deedlog serve` prints may be opened later
CODE = re.compile(r"(\d{1,12})-([0-9a-f]{16})-([0-9a-f]{64})", re.ASCII)
SIGNED = re.compile(r"([0-9a-f]{32}):([0-9a-f]{64})", re.ASCII)


class Access:
    """The credentials of one run of the server."""

    def __init__(self, token: str, sign_in: str = "") -> None:
        self._token = token
        self._sign_in = sign_in or os.urandom(32).hex()  # without one, only this process can make links
        self._used: dict[str, int] = {}
        self.run = os.urandom(8).hex()
        self.key = os.urandom(32).hex()

    def recognise(self, headers: Headers) -> str:
        """Return who sends a request: a person on the page, a program with the token, or nobody that is known."""
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(secret.strip(), self._token):
            return PROGRAM
        return PERSON if self._nonce(scheme, secret) else NOBODY

    def proof_for(self, headers: Headers) -> str:
        """Return what shows the page that the answer comes from this run; empty for other callers."""
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        nonce = self._nonce(scheme, secret)
        return derived(self.key, f"answer {nonce}") if nonce else ""

    def _nonce(self, scheme: str, given: str) -> str:
        signed = SIGNED.fullmatch(given.strip()) if scheme.lower() == "deedlog" else None
        return signed[1] if signed and _same(signed[2], derived(self.key, f"ask {signed[1]}")) else ""

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

    def proof(self, challenge: str) -> str:
        """Return the answer to `deedlog open`, which knows the sign-in secret and not the key."""
        return server_proof(self._sign_in, self.run, challenge)


def signature(key: str, nonce: str = "") -> dict[str, str]:
    """Return the header with which the page signs a request."""
    nonce = nonce or os.urandom(16).hex()
    return {"Authorization": f"Deedlog {nonce}:{derived(key, f'ask {nonce}')}"}


def _same(given: str, wanted: str) -> bool:
    return compare_digest(given.encode(), wanted.encode())
