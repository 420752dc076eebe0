"""A real headless Firefox, driven through WebDriver BiDi, which Firefox speaks by itself: no other program is needed."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from selenium.webdriver.remote.websocket_connection import WebSocketConnection

_SECONDS = 120
_LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
_UNTIL = """
(deadline => new Promise((done, failed) => (function look() {
  const found = (CONDITION);
  if (found) done(found);
  else if (Date.now() > deadline) failed(new Error("it never came true"));
  else requestAnimationFrame(look);
})()))(Date.now() + MILLISECONDS)
"""


class Firefox:
    """One page: opened, clicked, typed into, asked."""

    def __init__(self, connection: WebSocketConnection):
        self._connection = connection
        self._tell("session.new", capabilities={})
        (page, *_) = self._tell("browsingContext.getTree")["contexts"]
        self._page = page["context"]

    def open(self, address: str) -> None:
        self._tell("browsingContext.navigate", context=self._page, url=address, wait="complete")

    def ask(self, script: str) -> Any:
        """The value of a JavaScript expression: a string, number, boolean or nothing. A promise is awaited."""
        return self._evaluate(script).get("value")

    def wait_for(self, condition: str) -> Any:
        """The value of a JavaScript expression as soon as it is true."""
        script = _UNTIL.replace("CONDITION", condition)
        return self.ask(script.replace("MILLISECONDS", str(_SECONDS * 900)))

    def click(self, element: str) -> None:
        """Click in the middle of an element, given as a JavaScript expression."""
        found = self._evaluate(
            f"(one => (one.scrollIntoView({{block: 'center'}}), one))({element})"
        )
        origin = {"type": "element", "element": {"sharedId": found["sharedId"]}}
        steps = [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": origin},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._perform({"type": "pointer", "id": "mouse", "actions": steps})

    def type(self, text: str) -> None:
        """Press a key for each character, in what has the focus."""
        self._keys((kind, key) for key in text for kind in ("keyDown", "keyUp"))

    def press(self, held: str, key: str) -> None:
        """Press a key while another one is held."""
        self._keys([("keyDown", held), ("keyDown", key), ("keyUp", key), ("keyUp", held)])

    def _keys(self, steps: Iterable[tuple[str, str]]) -> None:
        actions = [{"type": kind, "value": key} for kind, key in steps]
        self._perform({"type": "key", "id": "keyboard", "actions": actions})

    def _evaluate(self, script: str) -> dict[str, Any]:
        reply = self._tell(
            "script.evaluate",
            expression=script,
            target={"context": self._page},
            awaitPromise=True,
        )
        assert reply["type"] == "success", reply["exceptionDetails"]["text"]
        return dict(reply["result"])

    def _perform(self, actions: dict[str, Any]) -> None:
        self._tell("input.performActions", context=self._page, actions=[actions])

    def _tell(self, method: str, **parameters: Any) -> dict[str, Any]:
        reply = self._connection.send_cmd(method, parameters)
        assert reply["type"] == "success", f"{method}: {reply['error']}, {reply['message']}"
        return dict(reply["result"])


@contextmanager
def firefox() -> Iterator[Firefox]:
    """A Firefox with an empty profile; without Firefox the test is skipped."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        pytest.skip("no Firefox here: sudo apt-get install firefox-esr")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        words = ["--headless", "--no-remote", "--profile", home, "--remote-debugging-port=0"]
        process = subprocess.Popen(
            [program, *words, "about:blank"],
            env={**os.environ, "HOME": home},
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            connection = WebSocketConnection(f"{_address(process)}/session", _SECONDS, 0.02)
            yield Firefox(connection)
            connection.close()
        finally:
            process.terminate()
            process.wait(60)


def _address(process: "subprocess.Popen[str]") -> str:
    """Where Firefox listens, which it says once it has started."""
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if found := _LISTENS.search(line):
            return found[1]
    raise AssertionError("Firefox did not start:\n" + "".join(said))
