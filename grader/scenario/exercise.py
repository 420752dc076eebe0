"""An exercise as data: what the learner's function takes, what it returns, how it is judged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, field, fields
from typing import Any

CALLED = ("results", "tests")  # by what it returns: an answer that is called without a stream
RETURNS = ("stream", "writer", "table", "events", *CALLED)
WITHOUT_SCENARIO = ("events", "tests")  # the answer brings its own, or needs none
CRITERIA = (
    "rows",
    "step",
    "watermark",
    "late_rows",
    "state",
    "batching",
    "settings",
    "restart",
    "exactly_once",
)
FACT_SOURCES = ("files", "metric", "conf", "plan", "batch", "run", "tests")
RUN_FIGURES = ("rows", "dropped", "state", "events", "watermark")
TAKES = ("max", "min", "last", "sum", "first", "count")


class ExerciseError(ValueError):
    """A description of an exercise that cannot be used; the message names the mend."""


@dataclass(frozen=True)
class Input:
    """One input topic: the columns in its JSON values (DDL), its event-time column, partitions."""

    schema: str = ""
    event_time: str | None = None
    partitions: int = 1


@dataclass(frozen=True)
class Fact:
    """One statement about a recording beyond its rows, such as a metric or a checkpoint file.

    Exactly one of `files` (glob in the checkpoint), `metric` (of the state operators),
    `conf` (as pinned in the offset log, else what holds in the session), `plan` (regular
    expression in the physical plans), `batch` (`rows_in`, a data batch's input rows), `run` (by
    step one of RUN_FIGURES: rows out, rows dropped, rows kept, events fed, or the watermark as
    HH:MM:SS) and `tests` (the name of the code that a test suite was run on: pass or fail) names
    the figure; `take` folds it to one, or `step` picks that of one step; `equals`, `at_least` and
    `at_most` judge it. `where` counts only rows out with these values, by column.
    `counts` says in words what the figure counts, `because` where the limit comes from;
    `other_equals` is what it has to equal with the exercise's `other_conf`.
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
        return next(name for name in FACT_SOURCES if getattr(self, name) is not None)


@dataclass(frozen=True)
class Exercise:
    """The task of one exercise; see docs/write-an-exercise.md for every field.

    `weights` says what each criterion is worth beside the others, by its name; names joined by
    a plus are worth something only together. `conf` are the session's settings in a check; the
    criterion `settings` wants one more play with those of `other_conf` in their place.
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
        """Read an exercise from plain data; raises ExerciseError naming the field and the mend."""
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
        if data.get("returns") in WITHOUT_SCENARIO:
            data = {"criteria": [], **data}
        try:
            inputs = {name: Input(**given) for name, given in data.get("inputs", {}).items()}
            facts = [Fact(**given) for given in data.get("facts", [])]
        except TypeError as error:
            raise ExerciseError(f"{here}: {error}.") from error
        exercise = cls(**{**data, "inputs": inputs, "facts": facts})
        exercise._check(here)
        return exercise

    def _check(self, here: str) -> None:
        def demand(holds: bool, message: str) -> None:
            if not holds:
                raise ExerciseError(f"{here}: {message}")

        demand(self.kind in ("exercise", "example"), "`kind` is exercise or example.")
        demand(isinstance(self.further, bool), "`further` is true or false.")
        demand(self.returns in RETURNS, f"`returns` is one of {RETURNS}.")
        demand(set(self.criteria) <= set(CRITERIA), f"`criteria` are among {CRITERIA}.")
        if not self.has_scenario:
            demand(not self.criteria, f"{self.returns} are judged by `facts`: no `criteria`.")
            demand(not self.takes, f"a function that returns {self.returns}: `takes = []`.")
            demand(bool(self.facts), f"{self.returns} need `facts`, or nothing is asked.")
        else:
            demand("rows" in self.criteria, "`criteria` must hold rows.")
        if self.returns == "results":
            demand(self.criteria == ["rows"], "results are judged by rows: no `criteria`.")
            demand(not self.takes, "a function that is called for results: `takes = []`.")
        demand(
            bool(self.inputs) or self.returns == "tests",
            "at least one [inputs.NAME] table is needed.",
        )
        demand(
            self.returns != "writer" or bool(self.outputs),
            "a writer needs `outputs`, the topics to read back.",
        )
        other = {name for name, value in self.other_conf.items() if self.conf.get(name) != value}
        demand(
            ("settings" in self.criteria) == bool(self.other_conf)
            and other == set(self.other_conf),
            "the criterion `settings` wants `other_conf`: settings of `conf` with other values.",
        )
        demand(other <= set(self.conf), "`other_conf` names settings that `conf` names.")
        names = {"spark", "kafka", "checkpoint"} | set(self.inputs)
        for name in self.takes:
            demand(
                name.removesuffix(".raw") in names,
                f"`takes` names {name!r}; known are {sorted(names)} and NAME.raw.",
            )
        demand(
            self.harness is None or self.returns == "results",
            '`harness` calls a function for results: `returns = "results"`.',
        )
        if self.upgrades_after is not None:
            demand(self.upgrades_after >= 1, "`upgrades_after` is 1 or more steps.")
            demand(
                self.returns in ("stream", "writer"),
                "`upgrades_after` goes with a stream or a writer.",
            )
            demand(
                "batching" not in self.criteria,
                "`upgrades_after` counts steps: no `batching`, which moves them.",
            )
        weighed = [name for names in self.weights for name in names.split("+")]
        demand(
            not weighed or sorted(weighed) == sorted(self.judged()),
            f"`weights` holds each criterion and fact once: {self.judged()}.",
        )
        demand(all(w > 0 for w in self.weights.values()), "every one of `weights` is above 0.")
        for fact in self.facts:
            sources = [name for name in FACT_SOURCES if getattr(fact, name) is not None]
            demand(len(sources) == 1, f"fact {fact.name!r} needs exactly one of {FACT_SOURCES}.")
            demand(fact.take in TAKES, f"fact {fact.name!r}: `take` is one of {TAKES}.")
            demand(
                fact.run is None or fact.run in RUN_FIGURES,
                f"fact {fact.name!r}: `run` is one of {RUN_FIGURES}.",
            )
            demand(
                fact.run == "rows" or not fact.where,
                f'fact {fact.name!r}: `where` goes with `run = "rows"`.',
            )
            demand(
                fact.tests is None or fact.equals in ("pass", "fail"),
                f'fact {fact.name!r}: what tests do is `equals = "pass"` or `equals = "fail"`.',
            )
            demand(
                fact.other_equals is None or "settings" in self.criteria,
                f"fact {fact.name!r}: `other_equals` goes with the criterion `settings`.",
            )
            judged = (fact.equals, fact.at_least, fact.at_most)
            demand(
                any(limit is not None for limit in judged),
                f"fact {fact.name!r} needs equals, at_least or at_most, or it cannot fail.",
            )

    @property
    def has_scenario(self) -> bool:
        """Whether there are events that the author wrote: a public scenario and a hidden one."""
        return self.returns not in WITHOUT_SCENARIO

    def judged(self) -> list[str]:
        """The names of all criteria that a verdict may hold; `exactly_once` includes `restart`."""
        names = [*self.criteria, *[fact.name for fact in self.facts]]
        return [n for n in names if n != "restart" or "exactly_once" not in names]

    def earned(self, done: Collection[str]) -> float:
        """The points for criteria that are met: weights of several names want all of them.

        Without `weights` the rows are worth half, the others share the rest.
        """
        others = len(self.judged()) - 1
        weights = self.weights or {n: others or 1 if n == "rows" else 1 for n in self.judged()}
        met = sum(w for names, w in weights.items() if set(names.split("+")) <= set(done))
        return round(self.points * met / sum(weights.values()), 2)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
