"""What a query did, batch by batch, as plain data that goes to JSON and back."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

VERSION = 1


@dataclass
class Operator:
    """One stateful operator in one batch: row counts as Spark's progress reports them."""

    name: str
    rows_total: int = 0
    rows_updated: int = 0
    rows_removed: int = 0
    dropped: int = 0
    metrics: dict[str, float] = field(default_factory=dict)


@dataclass
class Batch:
    """One micro-batch. `watermark` is the one this batch evicts with (ISO 8601, UTC).

    The `state` is the rows in the state store after it, if the replay had to look.
    """

    id: int
    step: int
    rows_in: int = 0
    watermark: str | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
    state: list[dict[str, Any]] = field(default_factory=list)
    rerun: bool = False
    seconds: float = 0.0

    @property
    def dropped(self) -> int:
        return sum(operator.dropped for operator in self.operators)

    @property
    def state_rows(self) -> int:
        return sum(operator.rows_total for operator in self.operators)


@dataclass
class Failure:
    """Why a run ended early.

    - `kind`: not_attempted, no_query, already_started, signature, plan, udf, query, schema,
      processing_time, events, results, call, timeout or syntax
    - `message`: the original words of Python, Spark or Kafka; empty if the grader itself found the failure
    - `fields`: what the grader found; the words for each kind are in judging/wording/failure_text.py
    - `condition`: Spark's own error class if there is one
    - `line`: the learner's own line that raised the error
    - `call`: the method of Spark that this line called, such as `count()`
    - `own_writer`: whether the writer was the learner's (None: not known)
    """

    kind: str
    message: str = ""
    condition: str | None = None
    step: int | None = None
    detail: str = ""
    line: str = ""
    call: str = ""
    own_writer: bool | None = None
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass
class Plan:
    """What Spark made of the query, as far as it distinguishes mistakes.

    - `print`: a hash of the analyzed plan without ids, addresses and topic names
    - `opaque`: Python code or the learner's own sink does part of the work, which no plan shows
    - `watermarks`: the columns with a watermark
    - `too_late`: the columns whose watermark is set after the operator that needs it
    - `joins`: the number of joins of two streams
    - `bounded_joins`: the number of those whose condition limits the time
    - `followed`: for each stateful operator, in the order of a batch's `operators`, the columns whose
      watermark drops its late rows and evicts its state
    """

    print: str = ""
    opaque: bool = False
    watermarks: list[str] = field(default_factory=list)
    followed: list[list[str]] = field(default_factory=list)
    too_late: list[str] = field(default_factory=list)
    joins: int = 0
    bounded_joins: int = 0
    output_mode: str = ""


@dataclass
class Recording:
    """One replay of one scenario: batches in order, and how it ended.

    - `given`: the events as lines of a scenario, if they are the learner's own
    - `tests`: the result of the learner's suite, by the name of what was tested. It has whether the suite
      passed (`outcome`). If it failed, it has what the suite `said` in which `line`, and whether it failed
      only in its second `run`.
    - `versions`: the versions of each table, oldest first: `step` (0: before the first), `version`, `operation`,
      new `rows`
    """

    exercise: str
    variant: str = "as_is"
    steps: int = 0
    schema: list[dict[str, Any]] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)
    failure: Failure | None = None
    checkpoint: dict[str, int] = field(default_factory=dict)
    conf: dict[str, str] = field(default_factory=dict)
    given: list[dict[str, Any]] | None = None
    tests: dict[str, dict[str, str]] | None = None
    versions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    plans: list[str] = field(default_factory=list)
    plan: Plan = field(default_factory=Plan)
    seconds: float = 0.0
    version: int = VERSION

    def of_step(self, step: int) -> list[Batch]:
        return [batch for batch in self.batches if batch.step == step]

    def watermark_after(self, step: int) -> str | None:
        """The watermark when `step` was over: that of the last batch run by then."""
        known = [b.watermark for b in self.batches if b.step <= step and b.watermark]
        return known[-1] if known else None

    def state_after(self, step: int) -> int:
        """Rows in all state stores when `step` was over."""
        run = [b for b in self.batches if b.step <= step]
        return run[-1].state_rows if run else 0

    def dropped_in(self, step: int) -> int:
        """Rows that the watermark dropped in `step`, over all operators."""
        return sum(batch.dropped for batch in self.of_step(step))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Recording:
        """Rebuild from `to_dict`; raises ValueError for a different version of the format."""
        if data.get("version") != VERSION:
            raise ValueError(
                f"recording of format {data.get('version')}, this package reads {VERSION}: record it again."
            )
        batches = [
            Batch(**{**b, "operators": [Operator(**o) for o in b["operators"]]})
            for b in data["batches"]
        ]
        failure = Failure(**data["failure"]) if data.get("failure") else None
        plan = Plan(**data.get("plan", {}))
        return cls(**{**data, "batches": batches, "failure": failure, "plan": plan})

    def lasting(self) -> Recording:
        """Only what is the same in every run: what a check pack keeps."""
        batches = [
            Batch(
                id=b.id,
                step=b.step,
                rows_in=b.rows_in,
                watermark=b.watermark,
                rows=b.rows,
                operators=[
                    Operator(o.name, o.rows_total, o.rows_updated, o.rows_removed, o.dropped)
                    for o in b.operators
                ],
                rerun=b.rerun,
            )
            for b in self.batches
        ]
        return Recording(
            self.exercise,
            self.variant,
            self.steps,
            self.schema,
            batches,
            self.failure,
            plan=self.plan,
            given=self.given,
            tests=self.tests,
            versions=self.versions,
        )
