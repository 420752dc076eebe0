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

    def markdown(self, text: str) -> None:
        """Show Markdown, which reads well as plain text, too."""
        self._show(text, {"text/markdown": text})

    def rich(self, text: str, html: str | None) -> None:
        """Show HTML if it can be shown, otherwise the same as text."""
        self._show(text, {} if html is None else {"text/html": html})

    def _show(self, text: str, richer: dict[str, str]) -> None:
        if not in_notebook():
            if not text.endswith("…"):
                print(text, file=sys.stdout)
            return
        from IPython.display import display

        bundle = {"text/plain": text, **richer}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)

    def widget(self, widget: Any, *, still: str = "") -> None:
        """Show a live widget below; outside a notebook there is nothing to see.

        `still` is HTML for where a notebook is only read, such as GitHub.
        """
        if in_notebook():
            from IPython.display import display

            bundle = widget._repr_mimebundle_()
            display(bundle | {"text/html": still} if still else bundle, raw=True)


def ipython_shell() -> Any:
    """The IPython shell that this code runs in, a notebook's or a terminal's; None in plain Python."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def in_notebook() -> bool:
    """Whether what is shown goes to a notebook's page: there it can be HTML or a widget."""
    shell = ipython_shell()
    return shell is not None and type(shell).__name__ != "TerminalInteractiveShell"
