"""Streams of any size made from a seed: the same seed gives the same events, traps included."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

from grader.scenario.events import Event, Scenario, ScenarioError

START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
PAGES = ("/", "/fruit/apple", "/fruit/mango", "/fruit/orange", "/cart", "/checkout", "/help")
USERS = ("ada", "ben", "cem", "dua", "eli")
PRICES = {"apple": 0.40, "orange": 0.55, "mango": 1.80}

# what a trap's note begins with, so that a reader (and a test) can count them
LATE, OUT_OF_ORDER, DUPLICATE, MALFORMED = "late", "out of order", "duplicate", "malformed"


@dataclass(frozen=True)
class Traps:
    """Which share of the events (0 to 1) is a trap of each kind, and what counts as late.

    A late event is more than `delay` seconds behind the newest event of the steps before. If its window has
    closed, too, a watermark with that delay drops it. The first step has no late events. An event out of
    order is behind the newest so far by less than `delay`. Duplicates (to the byte) and malformed records
    are added to the required number of events.
    """

    late: float = 0.0
    out_of_order: float = 0.0
    duplicates: float = 0.0
    malformed: float = 0.0
    delay: int = 60
    latest: int = 600

    def __post_init__(self) -> None:
        shares = (self.late, self.out_of_order, self.duplicates, self.malformed)
        if min(shares) < 0 or max(shares) > 1 or self.late + self.out_of_order > 1:
            raise ScenarioError(
                "A share of traps is a number from 0 to 1, late and out_of_order together, too."
            )
        if self.latest <= self.delay or self.delay < 2:
            raise ScenarioError("`delay` is at least 2 seconds, and `latest` is greater than it.")


def page_clicks(
    random: Random,
    *,
    steps: int = 4,
    per_step: int = 10,
    seconds_per_step: int = 300,
    pages: Sequence[str] = PAGES,
    weights: Sequence[float] | None = None,
    users: Sequence[str | None] = (*USERS, None),
    partitions: int = 1,
    traps: Traps = Traps(),
    closing: bool = False,
) -> Scenario:
    """Page clicks as in datasets/README.md, input `clicks`, `steps` × `per_step` of them.

    From 2026-03-01 12:00:00 UTC, event time advances evenly by `seconds_per_step` per step. The `weights`
    make some pages more frequent. With `closing`, there is one more step with one click a day later.
    """

    def click(number: int, time: str) -> dict[str, Any]:
        return {
            "event_id": f"g{number}",
            "user_id": random.choice(users),
            "page": random.choices(pages, weights)[0],
            "ms_on_page": random.randrange(100, 60_000, 100),
            "event_time": time,
        }

    maker = _Maker(random, "clicks", "event_time", "user_id", seconds_per_step, partitions, traps)
    return maker.scenario(click, steps, per_step, closing)


def orders(
    random: Random,
    *,
    steps: int = 4,
    per_step: int = 10,
    seconds_per_step: int = 1800,
    partitions: int = 1,
    traps: Traps = Traps(delay=300, latest=7200),
    closing: bool = False,
) -> Scenario:
    """Orders as in datasets/README.md, input `orders`; the arguments are those of `page_clicks`."""

    def order(number: int, time: str) -> dict[str, Any]:
        product = random.choice(tuple(PRICES))
        return {
            "order_id": f"g{number}",
            "customer_id": random.choice((*USERS, None)),
            "product": product,
            "quantity": random.randint(1, 9),
            "unit_price": PRICES[product],
            "order_time": time,
        }

    maker = _Maker(random, "orders", "order_time", "order_id", seconds_per_step, partitions, traps)
    return maker.scenario(order, steps, per_step, closing)


@dataclass
class _Maker:
    """Lays events out over steps and turns the asked shares of them into traps."""

    random: Random
    input: str
    time_field: str
    key_field: str
    seconds_per_step: int
    partitions: int
    traps: Traps
    newest: int = 0

    def scenario(self, value_of: Any, steps: int, per_step: int, closing: bool) -> Scenario:
        kinds = self._kinds(steps, per_step)
        events: list[Event] = []
        for step in range(1, steps + 1):
            newest_before = self.newest
            for place in range(per_step):
                number = (step - 1) * per_step + place
                natural = self.seconds_per_step * number // per_step
                offset, note = self._time(kinds.get(number, ""), natural, newest_before)
                events.append(self._event(step, value_of(number + 1, _iso(offset)), note))
        events = self._with_malformed(self._with_duplicates(events, steps))
        if closing:
            offset = steps * self.seconds_per_step + 86_400
            value = value_of(steps * per_step + 1, _iso(offset))
            events.append(self._event(steps + 1, value, "closing"))
        return Scenario(events)

    def _kinds(self, steps: int, per_step: int) -> dict[int, str]:
        """Which events are late or out of order, by number; the first of a step never is."""
        total = steps * per_step
        late, disorder = round(self.traps.late * total), round(self.traps.out_of_order * total)
        room = [number for number in range(total) if number % per_step]
        later = [number for number in room if number >= per_step]
        if late > len(later) or late + disorder > len(room):
            raise ScenarioError(
                f"{late} late and {disorder} out-of-order events do not fit into {total}: a step's "
                "first event is neither, and none is late in the first step. "
                "Ask for more events or fewer traps."
            )
        chosen = dict.fromkeys(self.random.sample(later, late), LATE)
        left = [number for number in room if number not in chosen]
        return chosen | dict.fromkeys(self.random.sample(left, disorder), OUT_OF_ORDER)

    def _time(self, kind: str, natural: int, newest_before: int) -> tuple[int, str]:
        """Seconds since START, and the note."""
        if kind == LATE:
            seconds_late = self.random.randint(self.traps.delay + 1, self.traps.latest)
            note = f"{LATE}: {seconds_late} s behind the newest of the steps before"
            return newest_before - seconds_late, note
        if kind == OUT_OF_ORDER:
            seconds_late = self.random.randint(1, self.traps.delay - 1)
            return (
                self.newest - seconds_late,
                f"{OUT_OF_ORDER}: {seconds_late} s behind the newest so far",
            )
        self.newest = max(self.newest, natural)
        return natural, ""

    def _event(self, step: int, value: dict[str, Any], note: str) -> Event:
        partition = self.random.randrange(self.partitions)
        return Event(step, self.input, value, partition, value[self.key_field], note)

    def _with_duplicates(self, events: list[Event], steps: int) -> list[Event]:
        """Send some events again, at the end of their own step or of the next."""
        again: list[Event] = []
        for event in self.random.sample(events, round(self.traps.duplicates * len(events))):
            step = min(steps, event.step + self.random.randint(0, 1))
            note = f"{DUPLICATE}: first sent in step {event.step}"
            again.append(Event(step, event.input, event.value, event.partition, event.key, note))
        return sorted([*events, *again], key=lambda event: event.step)

    def _with_malformed(self, events: list[Event]) -> list[Event]:
        """Put broken records after some of the events."""
        sound = [event for event in events if not event.note.startswith(DUPLICATE)]
        for near in self.random.sample(sound, round(self.traps.malformed * len(sound))):
            value, what = self._broken(near.value)
            note = f"{MALFORMED}: {what}"
            # a record has a key or a value, or both: the client sends no other
            key = near.key or "nobody" if value is None else None
            broken = Event(near.step, self.input, value, near.partition, key, note)
            events.insert(events.index(near) + 1, broken)
        return events

    def _broken(self, value: dict[str, Any]) -> tuple[Any, str]:
        kind = self.random.randrange(4)
        if kind == 0:
            text = json.dumps(value)
            return text[: self.random.randint(1, len(text) - 2)], "cut off in the middle"
        if kind == 1:
            return "<html>502 Bad Gateway</html>", "not JSON at all"
        if kind == 2:
            return {**value, self.time_field: "yesterday"}, f"{self.time_field} is no time"
        return None, "no value at all (a Kafka tombstone)"


def _iso(seconds: int) -> str:
    return (START + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
