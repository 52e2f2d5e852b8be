"""Debian's Chromium, which tests and screenshots drive: where it is, and how it is started.

`python -m scripts.chromium` installs it where that needs no asking: as root, with apt-get.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHOSEN = "DEEDLOG_CHROMIUM"
MISSING = f"there is no Chromium here: install the package chromium, or name its program in {CHOSEN}"
FLAGS = (
    "--no-sandbox",  # containers have none
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
)
INSTALL = (
    ("apt-get", "update", "--quiet"),
    ("apt-get", "install", "--quiet", "--yes", "--no-install-recommends", "chromium", "fonts-dejavu-core"),
)


def found() -> str | None:
    if chosen := os.environ.get(CHOSEN):
        return shutil.which(chosen)
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def started(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=found(), args=list(FLAGS))


def main() -> None:
    """Never fails: without it the tests that need it are skipped, and say so."""
    if found():
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        for command in INSTALL:
            subprocess.run(command, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, check=False)
    if not found():
        print(f"{MISSING}. Tests in a browser are skipped.")


if __name__ == "__main__":
    main()
