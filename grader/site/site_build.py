"""Builds the site: the course to read by Sphinx, the exercises to play, and the landing page as its index."""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from grader.errors import SetupError
from grader.judging.check_pack import find_packs, read_pack
from grader.page.offered_exercises import offered_lessons
from grader.runtime.paths import APP
from grader.site.first_minute import first_minute
from grader.site.landing_page import Doors, landing_page
from grader.site.link_check import link_faults
from grader.site.page_sources import INDEX, write_sources
from grader.site.play_assets import PLAY_BYTES, gzipped_bytes, write_play
from grader.site.site_versions import LIST, write_list

LANDING_BYTES = 60_000
_THEME = Path(__file__).with_name("sphinx_theme")
# what Sphinx and its theme leave next to the pages for other programs
_LEFT = (".buildinfo", "objects.inv", "_sources", "_static/webpack-macros.html")
_MARK = ".nojekyll"  # in every site: without it, GitHub Pages leaves out folders such as _static
_COLOR = re.compile(r"\x1b\[[\d;]*m")


def build_site(project: Path, out: Path, version: str | None = None) -> list[str]:
    """Build all pages into the folder `out`, which is emptied first; returns Sphinx's warnings.

    `version` is what readers choose in a list; without it, it is the version of the project.

    Raises SetupError if the development packages or those of npm are missing, or if `out` holds anything but a site.
    """
    _empty(out)
    version = version or metadata.version(APP)
    with tempfile.TemporaryDirectory(prefix="site-") as folder:
        sources = Path(folder, "sources")
        sources.mkdir()
        write_sources(project, sources)
        warnings = _sphinx(sources, out, Path(folder, "doctrees"), version)
    for name in _LEFT:
        path = out / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    page = landing_page(first_minute(project / "course"), doors(project))
    (out / f"{INDEX}.html").write_text(page, encoding="utf-8")
    write_play(project / "course", out / "play")
    write_list(out, version)
    return warnings


def doors(project: Path) -> Doors:
    """Where the landing page leads."""
    packs = [read_pack(path) for path in find_packs(project / "course").values()]
    return Doors(
        read="lessons.html",
        play="play/index.html",
        placement="play/drill.html#placement",
        install="install.html",
        watermarks="course/03_watermarks/03_watermarks.html",
        model="docs/model.html",
        lessons=len(packs),
        exercises=sum(len(pack.graded()) for pack in packs),
        in_page=sum(len(lesson.exercises) for lesson in offered_lessons(project / "course")),
    )


def faults(project: Path, site: Path) -> Iterator[str]:
    """What is wrong with a built site, a line for each fault."""
    yield from link_faults(site)
    size = (site / f"{INDEX}.html").stat().st_size
    if size > LANDING_BYTES:
        yield f"{INDEX}.html has {size:,} bytes, {LANDING_BYTES:,} are allowed"
    loaded = gzipped_bytes(site / "play")
    if loaded > PLAY_BYTES:
        yield f"play/ has {loaded:,} bytes when gzipped, {PLAY_BYTES:,} are allowed"
    for path in sorted(site.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        for machine in {str(project.resolve()), str(Path.home())} - {"/"}:
            if f"{machine}/" in text:
                yield f"{path.relative_to(site)}: has {machine}, a path of this machine"


def _sphinx(sources: Path, out: Path, doctrees: Path, version: str) -> list[str]:
    """Run Sphinx; returns its warnings with paths in the project."""
    try:
        from sphinx.application import Sphinx
        from sphinx.util.docutils import docutils_namespace, patch_docutils
    except ImportError as error:
        raise SetupError(
            "The site needs the development packages, on Python 3.11 or newer. Fix: make setup-dev"
        ) from error
    said = io.StringIO()
    with patch_docutils(str(_THEME)), docutils_namespace():
        switcher = {"html_theme_options.switcher": {"json_url": LIST, "version_match": version}}
        app = Sphinx(
            sources, _THEME, out, doctrees, "html", switcher, status=None, warning=said
        )  # fmt: skip
        app.build(force_all=True)
    text = _COLOR.sub("", said.getvalue()).replace(f"{sources}/", "")
    return [line for line in text.splitlines() if line]


def _empty(out: Path) -> None:
    """An empty folder in the place of an older site; anything else is left alone."""
    if out.is_dir() and any(out.iterdir()):
        if not (out / _MARK).exists():
            raise SetupError(
                f"{out} holds other files than a site. Fix: name an empty folder with --out."
            )
        shutil.rmtree(out)
    out.mkdir(parents=True, exist_ok=True)
    (out / _MARK).touch()
