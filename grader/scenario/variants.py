"""The same events in other circumstances: different batches, different settings, or a crash."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from grader.scenario.events import Scenario
from grader.scenario.exercise import Exercise


@dataclass(frozen=True)
class Variant:
    """One way to play a scenario: its name, the events, and the step after which it crashes.

    `conf` are settings that the session has in place of the exercise's.
    """

    name: str
    scenario: Scenario
    crash_after: int | None = None
    conf: dict[str, str] = field(default_factory=dict)


def merged(scenario: Scenario) -> Scenario:
    """All events in two steps: everything but the last step at once, then the last.

    The last step is kept apart, because it moves time past every window.
    """
    last = scenario.steps
    return Scenario([replace(e, step=1 if e.step < last else 2) for e in scenario.events], 2)


def shifted(scenario: Scenario) -> Scenario:
    """The second half of every step comes with the next one, so that batches end elsewhere."""
    events = []
    for step in range(1, scenario.steps + 1):
        of_step = scenario.of_step(step)
        half = (len(of_step) + 1) // 2
        for index, event in enumerate(of_step):
            events.append(replace(event, step=step if index < half else step + 1))
    return Scenario(events, scenario.steps + 1)


def variants_of(exercise: Exercise, scenario: Scenario) -> list[Variant]:
    """The ways in which an exercise's criteria need a scenario played, the plain one first."""
    found = [Variant("as_is", scenario)]
    if "batching" in exercise.criteria:
        found += [Variant("merged", merged(scenario)), Variant("shifted", shifted(scenario))]
    if "settings" in exercise.criteria:
        found.append(Variant("settings", scenario, conf=exercise.other_conf))
    if {"restart", "exactly_once"} & set(exercise.criteria):
        first = (exercise.upgrades_after or 0) + 1  # of the answer's own steps
        after = exercise.crash_after or max(first, scenario.steps // 2)
        found.append(Variant("crash", scenario, crash_after=after))
    return found
