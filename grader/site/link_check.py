"""The links of a built site: pages and anchors that are not there, and anything loaded from another server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a page loads by itself, by tag; a link that a reader follows may lead anywhere.
_LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
_LOADING_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload"}


@dataclass
class Page(HTMLParser):
    """One page: its anchors, the addresses that it links to, and those that it loads."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := found.get(name))}
        if tag == "a" and (link := found.get("href")):
            self.links.append(link)
        relations = set((found.get("rel") or "").split())
        if tag == "link" and not relations & _LOADING_RELATIONS:
            return
        if address := found.get(_LOADED.get(tag, "")):
            self.loaded.append(address)


def link_faults(site: Path) -> Iterator[str]:
    """One line for each dead link, dead anchor, and address of another server; none is opened."""
    pages = {path.resolve(): _read(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        where = path.relative_to(site.resolve())
        for address in page.loaded:
            parts = urlsplit(address)
            if parts.netloc:
                yield f"{where}: loads {address} from another server"
            elif parts.scheme != "data" and not _target(path, parts.path).is_file():
                yield f"{where}: {address} is not there"
        for link in page.links:
            if fault := _fault(path, link, pages):
                yield f"{where}: {link}: {fault}"


def _fault(path: Path, link: str, pages: dict[Path, Page]) -> str:
    """What is wrong with a link of a page; empty if nothing is."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    target = _target(path, parts.path) if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "there is no such page"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "there is no such anchor"
    return ""


def _target(path: Path, link: str) -> Path:
    return (path.parent / unquote(link)).resolve()


def _read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page
