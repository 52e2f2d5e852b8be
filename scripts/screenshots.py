"""`make screenshots`: every view of the page, light, dark and narrow, from the demo, into docs/images/page/.

`python -m scripts.screenshots task board` makes these alone. They are pictures of a project that lives: times and what
is running differ a little each time they are made.
"""

from __future__ import annotations

import base64
import re
import socket
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from scripts import chromium
from scripts.shop import Shop

FOLDER = Path(__file__).parent.parent / "docs/images/page"
LOOKS = {  # suffix of the file: width, height, dark
    "": (1360, 850, False),
    "-dark": (1360, 850, True),
    "-narrow": (390, 780, False),
}
QUALITY = 80
PATIENCE_MILLISECONDS = 30_000
LOADED = """() => [...document.querySelectorAll("#main *")].every((one) =>
  one.children.length || one.textContent.trim() !== "Loading…" || one.getBoundingClientRect().top > innerHeight)"""

# The name of this machine and its temporary folders do not belong into the docs.
MASKED = """([host, folder]) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const text = node.data.replaceAll(host, "laptop").replace(new RegExp(folder, "g"), "/home/ann");
    if (text !== node.data) node.data = text;
  }
}"""
FOLDERS = re.escape("/tmp/deedlog-shop-") + "[^/]+/" + re.escape("deedlog-demo-") + "[^/]+"  # noqa: S108


def main(names: list[str]) -> int:
    if not chromium.found():
        print(chromium.MISSING)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with Shop() as shop, sync_playwright() as playwright:
        browser = chromium.started(playwright)
        views = {name: address for name, address in shop.views().items() if name in names or not names}
        for suffix, (width, height, dark) in LOOKS.items():
            page = opened(browser, shop, width, height, dark=dark)
            for name, address in views.items():
                picture(page, shop.base + address, FOLDER / f"{name}{suffix}.webp")
        browser.close()
    size = sum(path.stat().st_size for path in FOLDER.iterdir())
    print(f"{len(views) * len(LOOKS)} pictures, {size // 1024:,} KB, in {FOLDER}")
    return 0


def opened(browser: Browser, shop: Shop, width: int, height: int, *, dark: bool) -> Page:
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    context.add_init_script(
        f"if (location.protocol === 'http:') localStorage.setItem('deedlog-key', '{shop.sign_in()}')"
    )
    return context.new_page()


def picture(page: Page, address: str, path: Path) -> None:
    page.goto(address)
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    page.evaluate("location.hash && document.querySelector(location.hash).scrollIntoView()")
    page.wait_for_function(LOADED)
    page.evaluate("document.fonts.ready.then(() => new Promise((then) => requestAnimationFrame(() => then())))")
    page.evaluate(MASKED, [socket.gethostname(), FOLDERS])
    session = page.context.new_cdp_session(page)  # Playwright itself makes no WebP, which is a third of PNG
    shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    path.write_bytes(base64.b64decode(shot["data"]))
    session.detach()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
