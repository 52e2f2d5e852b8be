"""How people get in: a key of the page for what they decide, and beyond loopback a pass for what they read.

Browsers send a cookie to every port of a host, and scripts of any of them could use it. So the key is in the page's own
storage and travels in a header; what is in a cookie lets read only.
"""

from __future__ import annotations

import time
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie

from deedlog.token import derived, page_key

PASS_SECONDS = 30 * 86_400
LINK_SECONDS = 120
LONGEST = 200


class PageAccess:
    def __init__(self, token: str) -> None:
        self._token = token
        self._used: dict[str, float] = {}
        self.key = page_key(token)
        self.cookie = f"deedlog-{derived(token, 'cookie')[:8]}"  # several servers may be at one host

    def is_key(self, given: str) -> bool:
        return compare_digest(given.encode(), self.key.encode())

    def may_read(self, cookies: str) -> bool:
        """Whether the request carries a pass that is not over."""
        return self._holds(_value(cookies, self.cookie), "pass")

    def reading_pass(self) -> str:
        return self._made("pass", PASS_SECONDS)

    def redeem(self, given: str) -> bool:
        """Whether this is a link's code that is not over and was never used: programs of others see what we open."""
        now = time.time()
        self._used = {code: end for code, end in self._used.items() if end > now}
        if given in self._used or not self._holds(given, "link"):
            return False
        self._used[given] = now + LINK_SECONDS
        return True

    def proof(self, of: str) -> str:
        """What only a server with this token can answer: nobody else shall get the key from a link."""
        return derived(self._token, f"proof {of}")

    def _made(self, purpose: str, seconds: int) -> str:
        return made(self._token, purpose, seconds)

    def _holds(self, given: str, purpose: str) -> bool:
        end, _, mac = given.partition("-")
        if len(given) > LONGEST or not (end.isascii() and end.isdigit()) or int(end) < time.time():
            return False
        return compare_digest(mac.encode(), derived(self._token, f"{purpose} {end}").encode())


def made(token: str, purpose: str, seconds: int) -> str:
    """Something that can be shown for so long."""
    end = int(time.time()) + seconds
    return f"{end}-{derived(token, f'{purpose} {end}')}"


def link_code(token: str) -> str:
    """What a link carries that other programs may see: good once, and not for long."""
    return made(token, "link", LINK_SECONDS)


def _value(cookies: str, name: str) -> str:
    try:
        found = SimpleCookie(cookies).get(name)
    except CookieError:
        return ""
    return found.value if found else ""
