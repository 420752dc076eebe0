"""Putting feedback in front of a person: a notebook's output, or a terminal."""

from __future__ import annotations

import sys
from typing import Any


class Display:
    """One place in the output that is written over as there is more to say."""

    def __init__(self) -> None:
        self._handle: Any = None

    def text(self, text: str) -> None:
        self.rich(text, None)

    def rich(self, text: str, html: str | None) -> None:
        """Show HTML where it can be shown, and the same as text where it cannot."""
        if not _in_notebook():
            if text.endswith("…"):
                return
            print(text, file=sys.stdout)
            return
        from IPython.display import display

        bundle = {"text/plain": text}
        if html is not None:
            bundle["text/html"] = html
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)

    def widget(self, widget: Any) -> None:
        """Show a live widget below; outside a notebook there is nothing to see."""
        if _in_notebook():
            from IPython.display import display

            display(widget)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ != "TerminalInteractiveShell"
