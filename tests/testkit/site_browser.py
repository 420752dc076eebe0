"""The site in a real headless Chromium: served from this machine, looked at as a reader with other means would."""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from grader.site.npm_packages import install

AXE = Path(__file__).parents[1] / "site" / "npm"
PHONE = (390, 844)
_AXE_RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations"]}).then(found => done(found.violations.map(
  one => [one.impact, one.id, one.nodes.map(node => node.html.slice(0, 160)).join(" | ")])));
"""
_SMALL = """
return [...document.querySelectorAll("body *")].filter(node =>
  [...node.childNodes].some(part => part.nodeType === 3 && part.textContent.trim()) && node.checkVisibility()
  && parseFloat(getComputedStyle(node).fontSize) < 11).map(node => node.outerHTML.slice(0, 120));
"""
# of an SVG the scale at which it is drawn counts, too
_SIZES = """
const roots = [document, ...[...document.querySelectorAll("*")].map(node => node.shadowRoot).filter(Boolean)];
return roots.flatMap(root => [...root.querySelectorAll("svg.ss-lens text, .ss-words *")])
  .filter(node => node.checkVisibility() && node.textContent.trim())
  .map(node => parseFloat(getComputedStyle(node).fontSize) * (node.getScreenCTM ? node.getScreenCTM().a : 1));
"""
_GROUNDS = """
const paper = getComputedStyle(document.body).backgroundColor;
return [...document.querySelectorAll(".card")].flatMap(card => [...card.shadowRoot.querySelectorAll(".ground")])
  .filter(ground => ground.checkVisibility()).map(ground => getComputedStyle(ground).fill)
  .filter(fill => fill !== paper).map(fill => `a picture's ground is ${fill}, the page is ${paper}`);
"""
_FOREIGN = """
return performance.getEntriesByType("resource").map(one => one.name)
  .filter(name => !name.startsWith(location.origin + "/") && !name.startsWith("data:"));
"""


class _Quiet(SimpleHTTPRequestHandler):
    policy = ""

    def end_headers(self) -> None:
        if self.policy:
            self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path, policy: str = "") -> Iterator[str]:
    """A folder's pages on a free port of this machine; gives their address.

    The content security `policy` holds for every file, so for scripts of workers, too.
    """
    handler = type("_Held", (_Quiet,), {"policy": policy})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def screen(driver: webdriver.Chrome, width: int, height: int) -> None:
    """A screen of another size; a narrow one is a phone's."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def prefer(driver: webdriver.Chrome, colors: str) -> None:
    """A reader who prefers `light` or `dark` colors, and no motion."""
    features = [
        {"name": "prefers-color-scheme", "value": colors},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def press(driver: webdriver.Chrome, *keys: str) -> None:
    """Keys, one after the other, sent to what has the focus."""
    actions = ActionChains(driver)
    for key in keys:
        actions.send_keys(key)
    actions.perform()


def tab_to(driver: webdriver.Chrome, script: str, most: int = 40) -> None:
    """Press the Tab key until the focused element `node` fulfills a JavaScript condition."""
    for _ in range(most):
        press(driver, Keys.TAB)
        if driver.execute_script(f"const node = document.activeElement; return {script}"):
            return
    raise AssertionError(f"no element with {script} after {most} tabs")


def overflow(driver: webdriver.Chrome) -> int:
    """By how many pixels a page is wider than its screen."""
    return int(
        driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
    )


def small_texts(driver: webdriver.Chrome) -> list[str]:
    """The elements whose text is smaller than 11 pixels."""
    return list(driver.execute_script(_SMALL))


def letter_sizes(driver: webdriver.Chrome) -> list[float]:
    """The size in pixels of each text that is shown of a run: in pictures, and in words."""
    return list(driver.execute_script(_SIZES))


def from_other_servers(driver: webdriver.Chrome) -> list[str]:
    """The addresses that a page asked for, or tried to, and that are not on its own server."""
    return list(driver.execute_script(_FOREIGN))


def serious_faults(driver: webdriver.Chrome) -> list[str]:
    """What axe-core calls serious or critical on the page as it is."""
    driver.execute_script(_axe())
    found = driver.execute_async_script(_AXE_RUN)
    return [f"{id}: {nodes}" for impact, id, nodes in found if impact in ("serious", "critical")]


def hard_to_read(driver: webdriver.Chrome) -> list[str]:
    """What makes a page hard to read: too wide, too small, pale on white, or a serious fault of accessibility."""
    wide = overflow(driver)
    sideways = [f"{wide} pixels too wide"] if wide > 0 else []
    grounds = list(driver.execute_script(_GROUNDS))
    return sideways + grounds + small_texts(driver) + serious_faults(driver)


@cache
def _axe() -> str:
    """axe-core of the lock in tests/site/npm; npm checks its hash and keeps it in its cache."""
    with tempfile.TemporaryDirectory() as folder:
        packages = install(AXE, Path(folder))
        return (packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
