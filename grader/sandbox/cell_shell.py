"""IPython without a kernel: runs cells in this process and keeps what they show."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

MAX_CHARACTERS = 500_000  # of one cell's outputs; a figure of usual size fits
CUT = "\n… the rest of this cell's output was left out (too long)\n"

Output = dict[str, Any]


class Outputs:
    """The outputs of the cell that runs, in the order they came, as a notebook file has them."""

    def __init__(self) -> None:
        self.kept: list[Output] = []
        self._left = MAX_CHARACTERS
        self._clear_first = False

    def stream(self, name: str, text: str) -> None:
        if not self._room_for(len(text)):
            return
        last = self.kept[-1] if self.kept else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["text"] += text
        else:
            self.kept.append({"output_type": "stream", "name": name, "text": text})

    def add(self, output_type: str, **fields: Any) -> None:
        output = {"output_type": output_type, **fields}
        if self._room_for(len(str(output))):
            self.kept.append(output)

    def error(self, name: str, message: str, traceback: list[str]) -> None:
        self.add("error", ename=name, evalue=message, traceback=traceback)

    def clear(self, wait: bool) -> None:
        if wait:
            self._clear_first = True
        else:
            self.kept.clear()

    def _room_for(self, size: int) -> bool:
        if self._clear_first:
            self._clear_first = False
            self.kept.clear()
        if self._left <= 0:
            return False
        self._left -= size
        if self._left > 0:
            return True
        self.kept.append({"output_type": "stream", "name": "stdout", "text": CUT})
        return False


class _Stream(io.TextIOBase):
    def __init__(self, name: str, outputs: Outputs):
        self.name = name
        self._outputs = outputs

    def write(self, text: str) -> int:
        self._outputs.stream(self.name, str(text))
        return len(text)

    def writable(self) -> bool:
        return True

    encoding = "utf-8"


class _Publisher(DisplayPublisher):  # type: ignore[misc]
    shell: RunnerShell

    def publish(self, data: Any, metadata: Any = None, *_: Any, **__: Any) -> None:
        self.shell.outputs.add("display_data", data=dict(data), metadata=dict(metadata or {}))

    def clear_output(self, wait: bool = False) -> None:
        self.shell.outputs.clear(wait)


class _Hook(DisplayHook):  # type: ignore[misc]
    shell: RunnerShell

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: Mapping[str, Any], md_dict: Any = None) -> None:
        data, metadata = dict(format_dict), dict(md_dict or {})
        count = self.prompt_count
        self.shell.outputs.add(
            "execute_result", execution_count=count, data=data, metadata=metadata
        )

    def finish_displayhook(self) -> None:
        self._is_active = False


class RunnerShell(InteractiveShell):  # type: ignore[misc]
    """An InteractiveShell whose displays, results and errors go to `outputs`."""

    displayhook_class = Type(_Hook)
    display_pub_class = Type(_Publisher)
    outputs: Outputs

    def _showtraceback(self, kind: Any, value: Any, lines: list[str]) -> None:
        self.outputs.error(getattr(kind, "__name__", str(kind)), str(value), list(lines))

    def enable_matplotlib(self, gui: Any = None) -> tuple[Any, Any]:
        """`%matplotlib` without the package changes nothing: an answer below it counts."""
        try:
            return super().enable_matplotlib(gui)  # type: ignore[no-any-return]
        except ModuleNotFoundError:
            return gui, "agg"

    @contextlib.contextmanager
    def _tee(self, channel: str) -> Iterator[None]:
        """Nothing is written twice: IPython's history would keep all that a cell prints, however much."""
        yield

    def ask_exit(self) -> None:
        """`exit()` in a cell ends nothing here: the cells below count as well."""

    def run(self, source: str) -> tuple[BaseException | None, list[Output]]:
        """Run one cell: the exception that ended it, if one did, and its outputs."""
        self.outputs = outputs = Outputs()
        streams = _Stream("stdout", outputs), _Stream("stderr", outputs)
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            try:
                result = self.run_cell(source, store_history=True)
                error = result.error_before_exec or result.error_in_exec
            except BaseException as raised:  # struck outside of the cell's own code
                error = raised
                name = type(raised).__name__
                outputs.error(name, str(raised), [f"{name}: {raised}"])
        return error, outputs.kept


def make_shell() -> RunnerShell:
    """The shell of this process; leaves no history file."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.banner1 = ""
    shell = RunnerShell.instance(config=config)
    shell.outputs = Outputs()
    return shell  # type: ignore[no-any-return]
