"""Links that sign a browser in to the page of a running server, and browsers that are started with one."""

from __future__ import annotations

import os
import sys

from deedlog.core.errors import DeedlogError
from deedlog.faces.cli.files import write_whole
from deedlog.token import link_code, server_proof

SECONDS = 5
LINK_SECONDS = 120
FILE = "open.html"
PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>Deedlog</title>
<p><a href="{link}">Open Deedlog</a></p>
"""


def page_link(address: str, secret: str, *, seconds: int = LINK_SECONDS) -> str:
    """Return a link that signs one browser in; empty when no server with this secret is at the address."""
    run = _proven_run(address, secret)
    return f"http://{address}/#once={link_code(secret, run, seconds)}" if run else ""


def _proven_run(address: str, secret: str) -> str:
    """Return the run of the server that proves it has the secret and is at this address. The secret stays here."""
    import http.client
    import json

    challenge = os.urandom(16).hex()
    try:
        connection = http.client.HTTPConnection(address, timeout=SECONDS)
    except http.client.InvalidURL:
        return ""
    try:
        connection.connect()
        host, port = connection.sock.getpeername()[:2]
        connection.request("GET", f"/sign-in/proof?of={challenge}")
        answer = json.loads(connection.getresponse().read(10_000))
    except (OSError, http.client.HTTPException, ValueError):
        return ""
    finally:
        connection.close()
    run = answer.get("run") if isinstance(answer, dict) else None
    if not isinstance(run, str):
        return ""
    return run if answer.get("proof") == server_proof(secret, run, f"{host} {port}", challenge) else ""


def has_screen() -> bool:
    """Without one a browser in text mode would take the terminal."""
    shown = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform == "darwin" or any(os.environ.get(name) for name in shown)


def open_browser(folder: str, link: str) -> None:
    """Start the browser with a private file that leads to the link: every user sees the arguments of processes."""
    import webbrowser
    from urllib.parse import quote

    path = os.path.join(folder, FILE)
    try:
        write_whole(path, [PAGE.format(link=link)], secret=True)
        started = webbrowser.open(f"file://{quote(path)}")
    except DeedlogError:
        started = False
    if not started:
        sys.stderr.write("No browser could be started: open the link yourself.\n")
