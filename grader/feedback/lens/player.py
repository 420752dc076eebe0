"""The lens as a widget: play, step, slide; hover over an event to read what became of it."""

from __future__ import annotations

from html import escape
from typing import Any

from grader.feedback.lens.operator_watermarks import operators_text
from grader.feedback.lens.page_pictures import page_pictures
from grader.feedback.lens.scene import Scene

MILLISECONDS_A_STEP = 1200


def player(scene: Scene) -> Any:
    """An ipywidgets box that draws the scene up to a chosen step; it opens on the whole run.

    Where both watermarks are known, a box to tick shows them.
    """
    import ipywidgets as widgets

    last = len(scene.steps)
    picture = widgets.HTML(page_pictures(scene, last))
    details = widgets.HTML(step_html(scene, last))
    slider = widgets.IntSlider(
        value=last, min=0, max=last, description="step", continuous_update=True, readout_format="d"
    )
    play = widgets.Play(
        value=last, min=0, max=last, interval=MILLISECONDS_A_STEP, description="play"
    )
    both = both_watermarks()
    back = widgets.Button(description="◀ step", tooltip="one step back", layout={"width": "80px"})
    forth = widgets.Button(description="step ▶", tooltip="one step on", layout={"width": "80px"})

    def show(_change: Any) -> None:
        picture.value = page_pictures(scene, slider.value, both=both.value)
        details.value = step_html(scene, slider.value, both=both.value)

    def move(by: int) -> None:
        slider.value = min(last, max(0, slider.value + by))

    for control in (slider, both):
        control.observe(show, names="value")
    widgets.jslink((play, "value"), (slider, "value"))
    back.on_click(lambda _button: move(-1))
    forth.on_click(lambda _button: move(+1))
    controls = widgets.HBox([play, back, slider, forth, *[both] * bool(scene.lines)])
    box = widgets.VBox([controls, picture, details])
    box.add_class("ss-player")
    return box


def both_watermarks() -> Any:
    """The box to tick that shows the watermark that drops and the one that evicts."""
    import ipywidgets as widgets

    return widgets.Checkbox(
        value=False,
        description="both watermarks",
        tooltip="The one that drops rows, and the one that evicts state",
        indent=False,
        layout={"width": "auto"},
    )


def step_html(scene: Scene, number: int, *, both: bool = False) -> str:
    """One step in words: its events and what became of them, its rows, the state store beside it."""
    if number < 1:
        return "<p>Before the first step: nothing has come yet.</p>"
    step = scene.steps[number - 1]
    events = [mark.description for mark in scene.marks if mark.step == number]
    columns = [("events", events), (scene.rows_are, [out.text for out in step.out])]
    columns += step.stored
    heads = "".join(
        f'<th scope="col" style="text-align:left;white-space:nowrap;padding-right:1.5em">{escape(name)}</th>'
        for name, _ in columns
    )
    cells = "".join(
        f'<td style="vertical-align:top;padding-right:1.5em">{_list(texts)}</td>'
        for _, texts in columns
    )
    watermarks = f": {operators_text(scene.lines, number)}" if both and scene.lines else ""
    return (
        f'<div style="font-size:12px;line-height:1.4"><b>Step {number}</b>{escape(watermarks)}'
        f"<table><tr>{heads}</tr><tr>{cells}</tr></table></div>"
    )


def _list(texts: list[str], most: int = 12) -> str:
    shown = [escape(text) for text in texts[:most]]
    if len(texts) > most:
        shown.append(f"… and {len(texts) - most} more")
    return "<br>".join(shown) or "–"
