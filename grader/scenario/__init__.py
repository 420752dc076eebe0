"""What a query gets and what the learner must do: data, no Spark and no Kafka."""

from grader.scenario.events import Event, Scenario, read_scenario, scenario_from_lines
from grader.scenario.exercise import Exercise, ExerciseError, Fact, Input, place_of
from grader.scenario.variants import Variant, variants_of

__all__ = [
    "Event",
    "Exercise",
    "ExerciseError",
    "Fact",
    "Input",
    "Scenario",
    "Variant",
    "place_of",
    "read_scenario",
    "scenario_from_lines",
    "variants_of",
]
