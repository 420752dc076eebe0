"""The lab: broker, self-check, JupyterLab; one Ctrl-C, or a closed terminal, stops it all."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from grader.errors import SetupError
from grader.lab import notebook_server
from grader.lab.doctor import examine
from grader.lab.welcome_page import keep_welcome_page
from grader.runtime.broker import lease_broker
from grader.runtime.log_tail import log_tail
from grader.runtime.paths import cache_dir, log_dir, state_dir
from grader.runtime.proxies import keep_own_servers_off_the_proxy, open_own
from grader.runtime.spark_session import stop_spark

START_SECONDS = 60
STOP_SECONDS = 15
# JupyterLab's settings if a learner has chosen nothing: it does not ask about news, shows Markdown as a
# page, and has none of nbgrader's tools for teachers. They are in `jupyter lab`.
OUR_DEFAULTS = Path(__file__).with_name("jupyter")


def run_lab(
    self_check: Callable[[], str] | None,
    notebook_dir: Path,
    *,
    lesson: str | None = None,
    port: int | None = None,
    open_browser: bool = True,
    say: Callable[[str], None] = print,
) -> int:
    """Run the lab until it is stopped; the exit code.

    `self_check` runs one graded stream and returns a line that says so, or raises. Without a `lesson`
    JupyterLab opens on the page with the learner's progress. Without `port` the first free one from 8888 is taken.
    """
    with signals_as_exit():
        try:
            notebook = lesson_notebook(notebook_dir, lesson) if lesson else ""
            _say_what_is_wrong(say)
            keep_own_servers_off_the_proxy()
            started = time.monotonic()
            with lease_broker() as broker:
                say(f"Kafka       {broker.bootstrap_servers}, up in {_seconds(started)}")
                if self_check is not None:
                    started = time.monotonic()
                    say("Self-check  one graded stream, Kafka → Spark → Kafka …")
                    line = self_check()
                    stop_spark()  # the notebooks start their own
                    say(f"            {line}; {_seconds(started)} with the start of Spark")
                _serve(notebook_dir, notebook, port, open_browser, say)
        except SetupError as error:
            say(str(error))
            return 1
        except KeyboardInterrupt:
            say("")
    say("The lab has stopped: notebooks, Spark and Kafka.")
    return 0


def lesson_notebook(course: Path, lesson: str) -> str:
    """The notebook of a lesson, such as 03, relative to `course`. Raises SetupError if there is none."""
    folders = {path.name[:2]: path.name for path in sorted(course.glob("[0-9][0-9]_*"))}
    if lesson not in folders:
        raise SetupError(
            f"There is no lesson {lesson}. Fix: name one of these: {', '.join(folders)}."
        )
    return f"{folders[lesson]}/{folders[lesson]}.ipynb"


def _serve(
    notebook_dir: Path,
    notebook: str,
    port: int | None,
    open_browser: bool,
    say: Callable[[str], None],
) -> None:
    """Run JupyterLab on the folder until it ends. It opens on the notebook, or on the first page."""
    welcome = keep_welcome_page(notebook_dir)
    opened = f"/lab/tree/{notebook}" if notebook else welcome
    log_path = log_dir() / "jupyterlab.log"
    with open(log_path, "wb") as log:
        server = subprocess.Popen(
            [sys.executable, notebook_server.__file__, *_arguments(notebook_dir, port, opened)],
            env={
                **os.environ,
                "GRADER_CACHE": str(cache_dir()),
                "GRADER_STATE": str(state_dir()),
                "JUPYTER_CONFIG_PATH": os.pathsep.join(
                    filter(None, [str(OUR_DEFAULTS), os.environ.get("JUPYTER_CONFIG_PATH")])
                ),
            },
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C reaches the lab alone, which stops the server
        )
    try:
        url = _wait_for_url(server, log_path)
        say(f"JupyterLab  {url}")
        say("            Ctrl-C here stops everything.")
        if open_browser:
            open_in_browser(url)
        server.wait()
    finally:
        assert server.stdin is not None
        server.stdin.close()
        try:
            server.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _arguments(notebook_dir: Path, port: int | None, opened: str) -> list[str]:
    arguments = [
        "--no-browser",
        f"--ServerApp.root_dir={notebook_dir.absolute()}",
        f"--LabApp.default_url={opened}",
        f"--ServerApp.ip={os.environ.get('GRADER_LAB_ADDRESS', '127.0.0.1')}",
        # Nothing is looked up outside while a lesson runs.
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.news_url=None",
        "--LabApp.extension_manager=readonly",
    ]
    if port is not None:
        arguments += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    if os.geteuid() == 0:
        arguments.append("--allow-root")
    return arguments


def _wait_for_url(server: "subprocess.Popen[bytes]", log: Path) -> str:
    """The address of the server, token included, once it answers."""
    from jupyter_core.paths import jupyter_runtime_dir

    about = Path(jupyter_runtime_dir()) / f"jpserver-{server.pid}.json"
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError, ValueError):
            entry: dict[str, Any] = json.loads(about.read_text())
            url, token = entry["url"].rstrip("/"), entry["token"]
            open_own(f"{url}/api", 5).close()
            return f"{url}/" + (f"?token={token}" if token else "")  # else there is a password
        time.sleep(0.1)
    raise SetupError(
        "JupyterLab did not start. If its port is taken, choose another with --port. "
        f"The end of its log ({log}):\n{log_tail(log)}"
    )


def open_in_browser(url: str) -> None:
    """Show the address in the person's browser, if there is one."""
    import webbrowser

    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(url)


def _say_what_is_wrong(say: Callable[[str], None]) -> None:
    for finding in examine():
        if not finding.ok:
            say(f"Note        {finding.name}: {finding.found}. Fix: {finding.fix}.")


def _seconds(started: float) -> str:
    return f"{time.monotonic() - started:.1f} s"


@contextlib.contextmanager
def signals_as_exit() -> Iterator[None]:
    """Let a closed terminal or a polite kill stop the lab as Ctrl-C does."""

    def stop(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    with signals_to(stop, signal.SIGTERM, signal.SIGHUP):
        yield


@contextlib.contextmanager
def signals_to(handler: Any, *numbers: signal.Signals) -> Iterator[None]:
    """Let a handler have these signals, as `signal.signal` takes one, and put back what had them."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, had in before.items():
            signal.signal(number, had)
