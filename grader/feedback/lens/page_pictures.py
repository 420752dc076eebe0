"""The lens on a page: the picture that fits the column, wide or narrow, and the run as text below it."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from grader.feedback.lens.page_geometry import LEVELS, NARROW, WIDE, Page
from grader.feedback.lens.run_words import groups_text, words_html
from grader.feedback.lens.scene import Scene
from grader.feedback.lens.svg import draw

# A page's column decides which picture is shown. Neither has a letter below 11 pixels: the wide one scrolls rather
# than shrinks, and the narrow one only grows.
FROM = 720  # pixels of a column that gets the wide picture
_STYLE = f"""<style>
.ss-pictures{{container-type:inline-size;overflow-x:auto}}
.ss-pictures .ss-lens .label,.ss-pictures .ss-lens .mono{{font-size:11px}}
.ss-pictures .ss-lens .ground{{fill:var(--ss-ground,var(--jp-layout-color0,#fff))}}
.ss-wide{{display:none}}.ss-wide .ss-lens{{display:block;min-width:{WIDE.width}px}}
.ss-narrow .ss-lens{{display:block;min-width:{NARROW.width}px;max-width:{1.5 * NARROW.width:g}px!important}}
.ss-narrow .ss-lens .span.fading{{fill:url(#ss-fade-below)}}
@container (min-width:{FROM}px){{.ss-wide{{display:block}}.ss-narrow{{display:none}}}}
.ss-note{{font-size:13px;line-height:1.45;margin:.4em 0;max-width:46em}}
.ss-words{{font-size:13px;line-height:1.45;margin:.4em 0}}.ss-words summary{{cursor:pointer}}
.ss-words p{{margin:.15em 0}}.ss-words ul,.ss-words ol{{margin:.2em 0 .6em;padding-left:1.8em;list-style:revert}}
.ss-words li{{margin:.15em 0;padding:0;text-indent:0;overflow-wrap:anywhere}}
</style>"""


def page_pictures(scene: Scene, upto: int | None = None, *, both: bool = False) -> str:
    """The run up to and with step `upto`, drawn wide and narrow; style sheets show one of the two."""
    wide = draw(replace(scene, page=WIDE), upto, both=both)
    narrow = draw(replace(scene, page=_narrow(scene)), upto, both=both)
    return (
        f'{_STYLE}<div class="ss-pictures" tabindex="0" role="group" aria-label="Picture of the run">'
        f'<div class="ss-wide">{wide}</div><div class="ss-narrow">{narrow}</div></div>'
    )


def run_on_page(scene: Scene) -> str:
    """The whole run: its pictures, and the same as text."""
    groups = groups_text(scene)
    note = f'<p class="ss-note">{escape(groups)}</p>' if groups else ""
    return f"{page_pictures(scene)}{note}{words_html(scene)}"


def _narrow(scene: Scene) -> Page:
    named = any(span.level for span in scene.spans)
    return replace(NARROW, left=LEVELS) if named else NARROW
