"""JupyterLab in a real headless Chromium, driven as a person drives it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

QUIET = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1360,1700",
]


@contextmanager
def lab(home: Path) -> Iterator[str]:
    """`grader lab` on the project in `home`; gives the address that it prints."""
    config = home / "jupyter-config"
    config.mkdir(exist_ok=True)
    settings = {"LabApp": {"expose_app_in_browser": True}}
    (config / "jupyter_lab_config.json").write_text(json.dumps(settings))
    environment = {"PYTHONPATH": str(home), "JUPYTER_CONFIG_DIR": str(config)}
    program = "import sys; from grader.cli import main; sys.exit(main())"
    words = ["-c", program, "lab", "--no-browser"]
    with _told_address(home, words, environment, r"http\S+/\?token=\S+$") as address:
        yield address


@contextmanager
def notebooks_alone(home: Path) -> Iterator[str]:
    """JupyterLab on `home` without the lab: no Kafka, no Spark; gives its address."""
    config = {"LabApp.expose_app_in_browser": True, "ServerApp.ip": "127.0.0.1"}
    token = "a-token-for-this-test"
    config["IdentityProvider.token"] = token
    words = [f"--{name}={value}" for name, value in config.items()]
    words = ["-m", "jupyterlab", "--no-browser", "--allow-root", *words]
    with _told_address(home, words, {}, r"http://127\.0\.0\.1:\d+/") as address:
        yield f"{address}?token={token}"


@contextmanager
def _told_address(
    home: Path, words: list[str], environment: dict[str, str], pattern: str
) -> Iterator[str]:
    """Python run with these words in `home`; gives the first thing that it prints and fits a pattern."""
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=home,
        env={**os.environ, "GRADER_STATE": str(home / "state"), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said = []
    try:
        for line in process.stdout:
            said.append(line)
            if address := re.search(pattern, line):
                yield address[0]
                break
        else:
            raise AssertionError("JupyterLab did not start:\n" + "".join(said))
    finally:
        process.terminate()
        process.wait(60)


def found(*names: str) -> str:
    """The path of a program; without it the test is skipped, but not in CI."""
    path = next((path for name in names if (path := shutil.which(name))), None)
    if path is None:
        told = f"no {' or '.join(names)} here: sudo apt-get install chromium chromium-driver"
        assert not os.environ.get("CI"), told
        pytest.skip(told)
    return path


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    options = Options()
    for word in QUIET:
        options.add_argument(word)
    options.add_argument(f"--user-data-dir={tempfile.mkdtemp()}")
    options.binary_location = found("chromium", "google-chrome")
    driver = webdriver.Chrome(options=options, service=Service(found("chromedriver")))
    driver.set_script_timeout(300)
    try:
        yield driver
    finally:
        driver.quit()


class Notebook:
    """One open notebook: set a cell's text, run cells, read their outputs."""

    def __init__(self, driver: webdriver.Chrome, url: str, path: str, *, opened: bool = False):
        self.driver = driver
        if not opened:
            driver.get(url.replace("/?", f"/lab/tree/{path}?"))
        self.wait(
            "const w = window.jupyterapp?.shell.currentWidget;"
            "return !!w?.content?.widgets?.length && w.context.path === arguments[0]",
            path,
        )
        self.wait(
            "const k = window.jupyterapp.shell.currentWidget.sessionContext?.session?.kernel;"
            "return !!k && k.status === 'idle'"
        )

    def wait(self, script: str, *arguments: Any, seconds: float = 240) -> Any:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = self.driver.execute_script(script, *arguments)
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"the page never got there: {script}")

    def index(self, text: str) -> int:
        """The number of the first code cell that holds `text`."""
        return int(
            self.driver.execute_script(
                "return window.jupyterapp.shell.currentWidget.content.widgets.findIndex("
                "c => c.model.type === 'code' && c.model.sharedModel.getSource().includes(arguments[0]))",
                text,
            )
        )

    def write(self, cell: int, text: str) -> None:
        self.driver.execute_script(
            "window.jupyterapp.shell.currentWidget.content.widgets[arguments[0]].model.sharedModel"
            ".setSource(arguments[1])",
            cell,
            text,
        )

    def run(self, cell: int) -> str:
        """Shift-Enter in a cell; returns the text of its outputs when it is done."""
        self.driver.execute_script(
            "const w = window.jupyterapp.shell.currentWidget;"
            "w.content.activeCellIndex = arguments[0];"
            "w.content.widgets[arguments[0]].model.sharedModel.execution_count = null;"
            "window.jupyterapp.commands.execute('notebook:run-cell');",
            cell,
        )
        self.wait(
            "const c = window.jupyterapp.shell.currentWidget.content.widgets[arguments[0]];"
            "return c.model.sharedModel.execution_count !== null && c.model.executionState === 'idle'"
            " || c.promptNode?.textContent?.match(/\\[\\d+\\]/)",
            cell,
        )
        return self.outputs(cell)

    def outputs(self, cell: int) -> str:
        return str(
            self.driver.execute_script(
                "const c = window.jupyterapp.shell.currentWidget.content.widgets[arguments[0]];"
                "return c.outputArea ? c.outputArea.node.innerText : ''",
                cell,
            )
        )

    def element(self, cell: int) -> Any:
        """The page's element of a cell, scrolled into view."""
        node = self.driver.execute_script(
            "const c = window.jupyterapp.shell.currentWidget.content.widgets[arguments[0]];"
            "window.jupyterapp.shell.currentWidget.content.scrollToItem(arguments[0], 'start');"
            "c.node.scrollIntoView(); return c.node",
            cell,
        )
        return node

    def picture(self, cell: int, path: Path) -> None:
        """A PNG of a cell with its outputs."""
        self.element(cell).screenshot(str(path))
