"""An exercise as data: what the learner's function takes, what it returns, how it is judged."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from grader.scenario.answer_kinds import ANSWER_KINDS, CRITERIA, AnswerKind

FACT_SOURCES = ("files", "metric", "conf", "plan", "batch", "run", "tests", "versions")
RUN_FIGURES = ("rows", "dropped", "state", "events", "watermark")
TAKES = ("max", "min", "last", "sum", "first", "count")


def place_of(id: str) -> tuple[int, ...]:
    """Where an exercise stands in the course: 17.2 before 17.10."""
    return tuple(int(number) for number in id.split("."))


class ExerciseError(ValueError):
    """A description of an exercise that cannot be used; the message names the fix."""


@dataclass(frozen=True)
class Input:
    """One input, a topic or a Delta table: its columns (DDL) and its event-time column.

    A topic has the columns in its JSON values, and `partitions`. With `table` it is a table with these
    `properties`, and its events are committed to it: all of a step at once. They are new rows. With a `key`
    an event replaces the row that has its value in this column, and an event without a value deletes it.
    """

    schema: str = ""
    event_time: str | None = None
    partitions: int = 1
    table: bool = False
    key: str | None = None
    properties: dict[str, str] = field(default_factory=dict)

    def faults(self) -> Iterator[str]:
        """What is wrong with this description, a sentence each."""
        if not self.table and (self.key is not None or self.properties):
            yield "`key` and `properties` go with `table = true`."
        if self.table and self.partitions != 1:
            yield "`partitions` are of a topic, not of a table."


@dataclass(frozen=True)
class Fact:
    """One statement about a recording beyond its rows, such as a metric or a checkpoint file.

    Exactly one of these fields names the figure:

    - `files`: a glob in the checkpoint
    - `metric`: a metric of the state operators
    - `conf`: a setting as pinned in the offset log, otherwise its value in the session
    - `plan`: a regular expression in the physical plans
    - `batch`: `rows_in`, a data batch's input rows
    - `run`: by step one of RUN_FIGURES: rows out, rows dropped, rows kept, events fed, or the watermark
      as HH:MM:SS
    - `tests`: the name of the code that a test suite was run on: pass or fail
    - `versions`: a table: how many of its versions have new rows, or with `where` the operation that it names

    The other fields say how the figure is judged:

    - `take` reduces the figures to one, or `step` selects the figure of one step
    - `equals`, `at_least` and `at_most` judge the figure
    - `where` counts only output rows with these values, by column; of versions those with this operation
    - `counts` says in words what the figure counts
    - `because` says where the limit comes from
    - `other_equals` is what the figure must equal with the exercise's `other_conf`
    """

    name: str
    title: str
    fix: str
    files: str | None = None
    metric: str | None = None
    conf: str | None = None
    plan: str | None = None
    batch: str | None = None
    run: str | None = None
    tests: str | None = None
    versions: str | None = None
    step: int | None = None
    where: dict[str, Any] = field(default_factory=dict)
    take: str = "last"
    equals: Any = None
    other_equals: Any = None
    at_least: float | None = None
    at_most: float | None = None
    counts: str = ""
    because: str = ""

    def source(self) -> str:
        return self._sources()[0]

    def _sources(self) -> list[str]:
        return [name for name in FACT_SOURCES if getattr(self, name) is not None]

    def faults(self) -> Iterator[str]:
        """What is wrong with this description, a sentence each."""
        if len(self._sources()) != 1:
            yield f"fact {self.name!r} needs exactly one of {FACT_SOURCES}."
        if self.take not in TAKES:
            yield f"fact {self.name!r}: `take` is one of {TAKES}."
        if self.run is not None and self.run not in RUN_FIGURES:
            yield f"fact {self.name!r}: `run` is one of {RUN_FIGURES}."
        if self.where and self.run != "rows" and set(self.where) != {"operation"}:
            yield f'fact {self.name!r}: `where` goes with `run = "rows"`, or names the operation of `versions`.'
        if self.tests is not None and self.equals not in ("pass", "fail"):
            yield f'fact {self.name!r}: what tests do is `equals = "pass"` or `equals = "fail"`.'
        if self.equals is None and self.at_least is None and self.at_most is None:
            yield f"fact {self.name!r} needs equals, at_least or at_most, or it cannot fail."


@dataclass(frozen=True)
class Exercise:
    """The task of one exercise; see docs/write-an-exercise.md for every field.

    - `weights`: how much each criterion is worth relative to the others, by its name; names joined by a plus
      are worth something only together
    - `conf`: the session's settings in a check; the criterion `settings` needs one more play, with the
      settings of `other_conf` in their place
    """

    id: str
    title: str
    answer: str
    takes: list[str]
    inputs: dict[str, Input] = field(default_factory=dict)
    kind: str = "exercise"
    points: float = 0
    further: bool = False  # goes beyond the lesson's core: counted apart, needed by nothing later
    returns: str = "stream"
    output_mode: str = "append"
    outputs: list[str] = field(default_factory=list)
    writes_to: str | None = None  # the table that the answer's writer writes to
    crash_after: int | None = None  # the step in which a restart is tested; by default half of them
    upgrades_after: int | None = None  # steps that the version before runs, on the same checkpoint
    harness: str | None = None  # what calls the answer in a notebook, as `subject` does in a check
    criteria: list[str] = field(default_factory=lambda: ["rows"])
    facts: list[Fact] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)
    conf: dict[str, str] = field(default_factory=dict)
    other_conf: dict[str, str] = field(default_factory=dict)
    timeout: float = 60

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Exercise:
        """Read an exercise from plain data; raises ExerciseError naming the field and the fix."""
        known = {f.name for f in fields(cls)}
        here = f"exercise {data.get('id', '?')}"
        for name in ("id", "title", "answer", "takes"):
            if name not in data:
                raise ExerciseError(f"{here}: `{name}` is missing from exercise.toml.")
        unknown = set(data) - known
        if unknown:
            raise ExerciseError(
                f"{here}: unknown field {sorted(unknown)[0]!r}; known: {sorted(known)}."
            )
        kind = ANSWER_KINDS.get(data.get("returns", cls.returns))
        if kind is None:
            raise ExerciseError(f"{here}: `returns` is one of {tuple(ANSWER_KINDS)}.")
        if not kind.criteria:
            data = {"criteria": [], **data}
        try:
            inputs = {name: Input(**given) for name, given in data.get("inputs", {}).items()}
            facts = [Fact(**given) for given in data.get("facts", [])]
        except TypeError as error:
            raise ExerciseError(f"{here}: {error}.") from error
        exercise = cls(**{**data, "inputs": inputs, "facts": facts})
        fault = next(exercise._faults(), None)
        if fault is not None:
            raise ExerciseError(f"{here}: {fault}")
        return exercise

    def _faults(self) -> Iterator[str]:
        """What is wrong with this description, a sentence each."""
        if self.kind not in ("exercise", "example"):
            yield "`kind` is exercise or example."
        if not isinstance(self.further, bool):
            yield "`further` is true or false."
        if not set(self.criteria) <= set(CRITERIA) or len(set(self.criteria)) < len(self.criteria):
            yield f"`criteria` are among {CRITERIA}, each once."
        yield from self.answer_kind.faults(vars(self))
        differ = [name for name, v in self.other_conf.items() if self.conf.get(name, v) != v]
        if ("settings" in self.criteria) != bool(differ) or len(differ) < len(self.other_conf):
            yield (
                "the criterion `settings` and `other_conf` go together: give both or neither, and in "
                "`other_conf` only settings that `conf` names, each with another value."
            )
        names = {"spark", "kafka", "checkpoint"} | set(self.inputs)
        for name in self.takes:
            if name.removesuffix(".raw") not in names:
                yield f"`takes` names {name!r}; known are {sorted(names)} and NAME.raw."
        if self.upgrades_after is not None and self.upgrades_after < 1:
            yield "`upgrades_after` is 1 or more steps."
        if self.upgrades_after is not None and "batching" in self.criteria:
            yield "`upgrades_after` counts steps: no `batching`, which moves them."
        weighed = [name for names in self.weights for name in names.split("+")]
        if weighed and sorted(weighed) != sorted(self.judged()):
            yield f"`weights` holds each criterion and fact once: {self.judged()}."
        if any(weight <= 0 for weight in self.weights.values()):
            yield "every one of `weights` is above 0."
        for name, given in self.inputs.items():
            yield from (f"input {name!r}: {fault}" for fault in given.faults())
        for table in [self.writes_to, *(fact.versions for fact in self.facts)]:
            if table is not None and not (table in self.inputs and self.inputs[table].table):
                yield f"{table!r} is no table: give it an [inputs.{table}] with `table = true`."
        if self.crash_after is not None and self.crash_after < 1:
            yield "`crash_after` is 1 or more steps."
        for fact in self.facts:
            yield from fact.faults()
            if fact.other_equals is not None and "settings" not in self.criteria:
                yield f"fact {fact.name!r}: `other_equals` goes with the criterion `settings`."

    @property
    def answer_kind(self) -> AnswerKind:
        """What is true of this exercise by what its function returns."""
        return ANSWER_KINDS[self.returns]

    @property
    def has_scenario(self) -> bool:
        """Whether there are events that the author wrote: a public scenario and a hidden one."""
        return self.answer_kind.has_scenario

    @property
    def fed(self) -> list[str]:
        """The inputs that the scenario's events go to."""
        return [name for name in self.inputs if name != self.writes_to]

    def judged(self) -> list[str]:
        """The names of all criteria that a verdict may hold; `exactly_once` includes `restart`."""
        names = [*self.criteria, *[fact.name for fact in self.facts]]
        return [n for n in names if n != "restart" or "exactly_once" not in names]

    def earned(self, done: Collection[str]) -> float:
        """The points for criteria that are met: a weight with several names needs all of them.

        Without `weights` the rows are worth half, the others share the rest.
        """
        others = len(self.judged()) - 1
        weights = self.weights or {n: others or 1 if n == "rows" else 1 for n in self.judged()}
        met = sum(w for names, w in weights.items() if set(names.split("+")) <= set(done))
        return round(self.points * met / sum(weights.values()), 2)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
