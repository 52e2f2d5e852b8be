"""`deedlog demo page`."""

from __future__ import annotations

import json
import os
import sys
import time

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Unavailable
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.demo import asked
from deedlog.faces.cli.output import write
from deedlog.faces.cli.page_link import has_screen, open_browser
from deedlog.faces.cli.refusal import tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.faces.cli.demo.shop.desk import Desk
    from deedlog.faces.cli.demo.shop.present import Present

LOOK_SECONDS = 5.0


def run(invocation: Invocation) -> int:
    from deedlog.faces.cli.demo.shop import run as shop  # only a demo starts processes

    asked.tidy_when_ended()
    folder, keep = asked.place(invocation)
    may_open = not invocation.arguments.get("no_open", False)

    def watched(desk: Desk, present: Present) -> None:
        _show(desk, as_json=invocation.as_json, may_open=may_open)
        while True:
            time.sleep(LOOK_SECONDS)
            try:
                present.go_on()
            except Unavailable:  # a busy machine: tried again, as long as there is a server
                if not desk.is_there:
                    raise

    tell("A small web shop is being made, with two days of work in it: that takes about a quarter of a minute.")
    try:
        shop.run(folder, keep=keep, port=invocation.arguments.get("port", 0), watched=watched)
    except KeyboardInterrupt:
        tell("Ended.")
    return 0


def _show(desk: Desk, *, as_json: bool, may_open: bool) -> None:
    link = desk.link()
    write(json.dumps({"address": desk.address, "link": link, "folder": desk.folder}) if as_json else link)
    sys.stdout.flush()
    tell("Open that link. Its agents go on working; Ctrl-C ends it.")
    if may_open and has_screen():
        open_browser(os.path.join(desk.folder, ".git"), desk.link())


COMMAND = Command(
    words="demo page",
    callers=ANYONE,
    help="See the live page on a believable project, whose agents go on working while you look.\n\n"
    "Makes a scratch repository of a small web shop, records two days of work in it (finished, failed and waiting for "
    "a person), starts scripted workers in work trees of their own, serves the page and opens it. Your repositories, "
    "store and settings are left alone. Ctrl-C ends everything and removes it.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            **asked.PROPERTIES,
            "port": {
                "type": "integer",
                "description": "Port of the page, instead of a free one",
                "minimum": 0,
                "maximum": 65535,
            },
            "no_open": {"type": "boolean", "description": "Print the link only; open no browser"},
        },
    },
    examples=["deedlog demo page", "deedlog demo page --folder /tmp/shop --keep"],
)
