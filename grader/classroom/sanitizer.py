"""What a teacher opens holds nothing that runs: a page in Formgrader has the teacher's rights.

HTML that a cell showed is reduced to tags that only display (bleach, by nbconvert). Text in which there is
more than that is shown as it was typed.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import nbformat
from nbconvert.filters import markdown2html
from nbconvert.preprocessors.sanitize import SanitizeHTML
from nbformat import NotebookNode

# tables of data frames, in addition to what bleach allows
TAGS = (
    *("table", "thead", "tbody", "tr", "th", "td", "div", "p", "span", "br", "pre"),
    *("h1", "h2", "h3", "h4"),
)
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
# what Markdown makes of an honest answer
_PAGE_TAGS = {
    *(*TAGS, "a", "b", "blockquote", "code", "del", "em", "h5", "h6", "hr", "i", "img"),
    *("li", "ol", "strong", "sub", "sup", "ul"),
}
_PAGE_ATTRIBUTES = {"align", "alt", "class", "href", "id", "src", "start", "style", "title"}
_ADDRESS = re.compile(r"(https?:|mailto:|[^:]*$|[^:]*[/?#])", re.I)
_IMAGES = ("image/png", "image/jpeg")
LEFT_OUT = "(an output that could run in your browser was left out)"


def disarm(notebook: NotebookNode, given: NotebookNode) -> None:
    """Make a submission's text and metadata harmless; what is as it was handed out stays."""
    notebook.metadata = nbformat.from_dict(given.metadata)
    texts = {cell.source for cell in given.cells}
    known = {_pair(item) for cell in given.cells for item in cell.metadata.items()}
    for cell in notebook.cells:
        own = {"nbgrader"} & set(cell.metadata)
        cell.metadata = nbformat.from_dict(
            {k: v for k, v in cell.metadata.items() if k in own or _pair((k, v)) in known}
        )
        if cell.cell_type != "code":
            cell.pop("attachments", None)
            if cell.source not in texts:
                safe = _safe_markdown if cell.cell_type == "markdown" else _shown_only
                cell.source = safe(cell.source)


def harmless_outputs(outputs: list[Any]) -> list[NotebookNode]:
    """The outputs that a notebook file may hold and that only show; a runner may have written anything."""
    kept = []
    for output in outputs:
        try:
            node = nbformat.from_dict(output)
            nbformat.validate(node, ref="output", version=4)
        except Exception:
            continue
        if node.output_type in ("display_data", "execute_result"):
            node.data = nbformat.from_dict(_harmless(node.data))
            node.metadata = nbformat.from_dict({})
        kept.append(node)
    return kept


def _harmless(data: dict[str, Any]) -> dict[str, Any]:
    kept = {}
    for kind, value in data.items():
        text = "".join(value) if isinstance(value, list) else value
        if not isinstance(text, str):
            continue
        if kind == "text/plain" or (kind in _IMAGES and _BASE64.fullmatch(text)):
            kept[kind] = text
        elif kind == "text/html":
            kept[kind] = _shown_only(text)
    return kept or {"text/plain": LEFT_OUT}


def _shown_only(text: str) -> str:
    sanitizer = SanitizeHTML()
    sanitizer.tags = [*sanitizer.tags, *TAGS]
    return str(sanitizer.sanitize_html_tags(text))


def _safe_markdown(text: str) -> str:
    """The text itself if its page only shows, else the text as a block of code, for a person to read."""
    page = _Page()
    try:
        page.feed(str(markdown2html(text)))
    except Exception:  # what no page can be made of
        page.runs = True
    if not page.runs:
        return text
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=2))
    return f"{fence}\n{text}\n{fence}"


class _Page(HTMLParser):
    """Whether a page of HTML does more than show."""

    def __init__(self) -> None:
        super().__init__()
        self.runs = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attributes}
        links = [value or "" for name, value in attributes if name in ("href", "src")]
        self.runs |= tag not in _PAGE_TAGS or not names <= _PAGE_ATTRIBUTES
        # browsers pass over control characters and spaces in an address
        self.runs |= any(not _ADDRESS.match(re.sub(r"[\x00-\x20]", "", link)) for link in links)

    def handle_decl(self, decl: str) -> None:
        self.runs = True


def _pair(item: tuple[str, Any]) -> str:
    return json.dumps(item, sort_keys=True, default=str)
