"""One request over HTTP, in a time that holds for all of it; TLS is checked, proxies are those of the environment."""

from __future__ import annotations

import http.client
import ssl
import threading
from base64 import b64encode
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from deedlog import __version__
from deedlog.core.value import Value

LARGEST = 1 << 20
LOOPBACK = ("localhost", "127.", "::1")
PROXIES = ("http",)


class Failed(Exception):
    """It did not work. `again` tells whether another try may; `after` is how many seconds the other side asks for."""

    def __init__(self, what: str, *, again: bool, after: float = 0) -> None:
        super().__init__(what)
        self.what = what
        self.again = again
        self.after = after


class Response(Value):
    status: int
    headers: dict[str, str]
    body: bytes


def post(url: str, headers: dict[str, str], body: bytes, seconds: float) -> Response:
    """What the other side replies, or `Failed`. Redirections are not followed: they could carry the key elsewhere."""
    exchange = _Exchange(url, headers, body, seconds)
    thread = threading.Thread(target=exchange.run, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():  # a name that is looked up, a server that sends a byte now and then
        exchange.stop()
        raise Failed(f"no reply within {seconds:g} s", again=True)
    if exchange.failed:
        raise exchange.failed
    assert exchange.response
    return exchange.response


class _Exchange:
    def __init__(self, url: str, headers: dict[str, str], body: bytes, seconds: float) -> None:
        self._connection, self._target, more = prepared(url, seconds)
        self._headers = {"Content-Type": "application/json", "User-Agent": f"deedlog/{__version__}", **headers, **more}
        self._body = body
        self.failed: Failed | None = None
        self.response: Response | None = None

    def run(self) -> None:
        try:
            self._connection.request("POST", self._target, self._body, self._headers)
            reply = self._connection.getresponse()
            body = reply.read(LARGEST + 1)
            if len(body) > LARGEST:
                raise Failed("the reply is too large", again=True)
            named = {name.lower(): value for name, value in reply.getheaders()}
            self.response = Response(status=reply.status, headers=named, body=body)
        except Failed as failed:
            self.failed = failed
        except ssl.SSLCertVerificationError:
            self.failed = Failed("its certificate is not trusted", again=False)
        except TimeoutError:
            self.failed = Failed("no reply in time", again=True)
        except Exception:  # noqa: BLE001  # names that are none, headers that cannot be written, what a reply may break
            self.failed = Failed("it cannot be reached", again=True)
        finally:
            self._connection.close()

    def stop(self) -> None:
        """Let go of a connection that another thread still reads from."""
        try:
            if self._connection.sock:
                self._connection.sock.shutdown(2)
        except OSError:
            return


def prepared(url: str, seconds: float) -> tuple[http.client.HTTPConnection, str, dict[str, str]]:
    """A connection that is not open yet, what to ask there, and headers for a proxy."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.username or parts.password or not url.isascii():
        raise Failed("llm_url is no address that begins with http:// or https://, without a password", again=False)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    proxy = "" if _is_direct(host) else getproxies().get(parts.scheme, "")
    if not proxy:
        return _to(parts.scheme, host, port, seconds), target, {}
    way = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if way.scheme not in PROXIES or not way.hostname:
        raise Failed("the proxy the environment names is not an HTTP proxy", again=False)
    credentials = f"{unquote(way.username or '')}:{unquote(way.password or '')}".encode()
    secret = {"Proxy-Authorization": "Basic " + b64encode(credentials).decode()} if way.username else {}
    if parts.scheme == "http":
        return _to("http", way.hostname, way.port, seconds), url, secret
    connection = _to("https", way.hostname, way.port or 80, seconds)
    connection.set_tunnel(host, port or 443, secret)
    return connection, target, {}


def _is_direct(host: str) -> bool:
    return host.startswith(LOOPBACK) or bool(proxy_bypass(host))


def _to(scheme: str, host: str, port: int | None, seconds: float) -> http.client.HTTPConnection:
    if scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=seconds)
    return http.client.HTTPSConnection(host, port, timeout=seconds, context=ssl.create_default_context())
