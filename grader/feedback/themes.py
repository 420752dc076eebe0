"""How pictures begin, and style sheets with which they look well on light and on dark pages."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def themed(name: str, light: str, dark: Iterable[tuple[str, str]]) -> str:
    """The style sheet of the class `name`; `dark` says by selector within it what changes.

    On a page it follows JupyterLab's theme, in a file (the class `auto`) the reader's.
    """
    looks = list(dark)
    in_file = "".join(f".{name}.auto{within}{{{look}}}\n" for within, look in looks)
    on_page = "".join(
        f'[data-jp-theme-light="false"] .{name}{within}{{{look}}}\n' for within, look in looks
    )
    return f"{light}@media (prefers-color-scheme:dark){{\n{in_file}}}\n{on_page}"


def opened(name: str, width: int, height: int, said: str, sheet: str, *, alone: bool) -> str:
    """The beginning of an SVG of the class `name`; `said` is the picture in words.

    One in a file (`alone`) says how large it is; on a page it takes the width that there is.
    """
    size = f'width="{width}" height="{height}"' if alone else 'width="100%"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}{" auto" if alone else ""}" role="img" '
        f'viewBox="0 0 {width} {height}" {size} style="max-width:{width}px" '
        f'aria-label="{escape(said, quote=True)}">\n<style>{sheet}</style>'
    )
