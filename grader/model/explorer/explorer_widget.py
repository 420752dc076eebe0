"""The board as ipywidgets: knobs above, the lens's picture, events to move, and what each change did."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

from grader.feedback.lens.page_pictures import page_pictures
from grader.feedback.lens.player import both_watermarks
from grader.model.explorer.board import Board
from grader.model.explorer.board_view import FIRST, SECONDS, changed, event_names, shift_name
from grader.model.explorer.knobs import Knob

WIDE = {"width": "min(100%, 34em)"}


def explorer(board: Board, ask_spark: Callable[[Board], list[str]]) -> Any:
    """An ipywidgets box. `ask_spark` plays the board on the broker and says in lines what it showed.

    Every control is a native one with a name: it can be reached and used by keyboard, and read out.
    """
    return _Explorer(board, ask_spark).box


class _Explorer:
    def __init__(self, board: Board, ask_spark: Callable[[Board], list[str]]):
        import ipywidgets as widgets

        self.w, self.board, self.ask_spark = widgets, board, ask_spark
        self.filling = False  # whether controls change because the board did
        self.picture = widgets.HTML()
        self.both = both_watermarks()
        self.said = widgets.HTML()
        self.said.add_class("ss-said")
        self.knobs: dict[str, Any] = {}
        self.knob_box = widgets.VBox()
        self.events = widgets.Dropdown(description="event", layout=WIDE)
        self.step = widgets.IntSlider(description="in step", min=1, max=board.steps)
        self.spark = widgets.Button(description="Ask Spark", icon="bolt")
        self.spark.tooltip = "Play the same on Kafka and Spark, and compare"
        self.events.observe(lambda _: self.show_step(), names="value")
        self.step.observe(self.move, names="value")
        self.both.observe(lambda _: self.show_picture(), names="value")
        self.spark.on_click(lambda _: self.ask())
        self.box = widgets.VBox(
            [self.knob_box, self.said, self.picture, self.both, self._event_box(), self.spark]
        )
        self.box.add_class("ss-explore")
        self.show()
        self.notify([FIRST])

    def _event_box(self) -> Any:
        shifts = [
            self._button(shift_name(seconds), partial(self.shift, seconds)) for seconds in SECONDS
        ]
        others = [
            self._button("add one like it", lambda _: self.add()),
            self._button("take it away", lambda _: self.remove()),
        ]
        rows = [self.w.HBox([self.events, self.step]), self.w.HBox([*shifts, *others])]
        for row in rows:
            row.layout.flex_flow = "row wrap"
        return self.w.VBox(rows)

    def _button(self, name: str, act: Callable[[Any], None]) -> Any:
        button = self.w.Button(description=name, layout={"width": "auto"})
        button.on_click(act)
        return button

    def show(self) -> None:
        """Draw the board as it is now."""
        self.filling = True
        try:
            self.show_picture()
            self._show_knobs()
            chosen = self.events.value
            self.events.options = event_names(self.board)
            numbers = [number for _, number in self.events.options]
            self.events.value = chosen if chosen in numbers else numbers[0]
        finally:
            self.filling = False
        self.show_step()

    def show_picture(self) -> None:
        scene = self.board.scene()
        self.both.layout.display = "" if scene.lines else "none"
        self.picture.value = page_pictures(scene, both=self.both.value)

    def _show_knobs(self) -> None:
        found = self.board.knobs
        if set(self.knobs) != {knob.name for knob in found}:
            self.knobs = {knob.name: self._knob(knob) for knob in found}
            self.knob_box.children = list(self.knobs.values())
        for knob in found:
            control = self.knobs[knob.name]
            if tuple(control.options) != knob.choices:
                control.options = knob.choices
            control.value = knob.value

    def _knob(self, knob: Knob) -> Any:
        few = len(knob.choices) <= 3
        make = self.w.ToggleButtons if few else self.w.SelectionSlider
        control = make(
            options=knob.choices,
            value=knob.value,
            description=knob.label,
            style={"description_width": "11em"},
            layout=WIDE if not few else {},
        )
        control.observe(lambda change: self.turn(knob.name, change["new"]), names="value")
        return control

    def show_step(self) -> None:
        if self.events.value is None:
            return
        self.filling, was = True, self.filling
        self.step.value = self.board.events[self.events.value].step
        self.filling = was

    def turn(self, knob: str, value: str) -> None:
        self.change(lambda: self.board.turn(knob, value))

    def move(self, change: Any) -> None:
        self.change(lambda: self.board.move(self.events.value, change["new"]))

    def shift(self, seconds: int, _button: Any = None) -> None:
        self.change(lambda: self.board.shift(self.events.value, seconds))

    def add(self) -> None:
        def add() -> None:
            number = self.board.add(self.events.value)
            self.filling = True
            self.events.options = [*self.events.options, ("", number)]
            self.events.value = number
            self.filling = False

        self.change(add)

    def remove(self) -> None:
        self.change(lambda: self.board.remove(self.events.value))

    def change(self, act: Callable[[], Any]) -> None:
        """Do what a control asks, unless the control only follows the board.

        The picture changes before the words, because the words describe the picture.
        """
        if self.filling:
            return
        said = changed(self.board, act)
        self.show()
        self.notify(said)

    def ask(self) -> None:
        self.spark.disabled = True
        self.notify(["Spark plays it …"])
        try:
            self.notify(self.ask_spark(self.board))
        except Exception as error:
            self.notify([f"Spark could not be asked: {error}"])
        finally:
            self.spark.disabled = False

    def notify(self, lines: list[str]) -> None:
        text = "".join(f"<li>{escape(line)}</li>" for line in lines)
        self.said.value = f'<ul role="status" aria-live="polite" style="margin:0">{text}</ul>'
