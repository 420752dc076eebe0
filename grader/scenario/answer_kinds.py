"""The kinds of answer that an exercise may have, by its `returns`, and what is true of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

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
# fields that only some kinds allow
_LIMITED = ("takes", "outputs", "writes_to", "upgrades_after", "harness")
_NEEDED = {
    "inputs": "at least one [inputs.NAME] table is needed.",
    "outputs": "a {kind} needs `outputs`, the topics to read back.",
    "writes_to": "a {kind} needs `writes_to`, the table to read back.",
    "facts": "{kind} need `facts`, or nothing is asked.",
}


@dataclass(frozen=True)
class AnswerKind:
    """What is true of all exercises whose function returns the same kind of thing.

    - `called`: the check calls only the function; otherwise a query runs over events in Kafka
    - `has_scenario`: the author wrote events, public and hidden
    - `returns_query`: the function returns the streaming DataFrame that the check runs
    - `needs_subject`: the author gives something in subject.py
    - `criteria`: the criteria that may be judged
    - `needs` and `allows`: fields of exercise.toml
    """

    name: str
    called: bool = False
    has_scenario: bool = True
    returns_query: bool = False
    needs_subject: bool = False
    criteria: tuple[str, ...] = CRITERIA
    needs: tuple[str, ...] = ("inputs",)
    allows: tuple[str, ...] = ("takes",)

    @property
    def returns_events(self) -> bool:
        """Whether the function makes the events, and the query that they go to is given."""
        return not (self.called or self.has_scenario)

    @property
    def is_suite(self) -> bool:
        """Whether the function tests code that is given."""
        return self.called and not self.has_scenario

    def faults(self, fields: Mapping[str, Any]) -> Iterator[str]:
        """What the fields of an exercise of this kind have and must not have, or lack: a sentence each."""
        if not set(fields["criteria"]) <= set(self.criteria):
            by = "rows" if self.criteria else "`facts`"
            yield f"{self.name} are judged by {by}: no `criteria`."
        if self.criteria and "rows" not in fields["criteria"]:
            yield "`criteria` must hold rows."
        for field in self.needs:
            if not fields[field]:
                yield _NEEDED[field].format(kind=self.name)
        for field in _LIMITED:
            if field not in self.allows and fields[field] not in (None, []):
                kinds = [kind.name for kind in ANSWER_KINDS.values() if field in kind.allows]
                yield f"`{field}` goes with {' or '.join(kinds)}, not with {self.name}: leave it empty or out."


ANSWER_KINDS = {
    kind.name: kind
    for kind in (
        AnswerKind("stream", returns_query=True, allows=("takes", "upgrades_after")),
        AnswerKind(
            "writer",
            needs=("inputs", "outputs"),
            allows=("takes", "outputs", "upgrades_after"),
        ),
        AnswerKind("table", needs_subject=True),
        AnswerKind(
            "table_writer",
            criteria=("rows", "batching", "restart", "exactly_once", "settings"),
            needs=("inputs", "writes_to"),
            allows=("takes", "writes_to"),
        ),
        AnswerKind(
            "events",
            has_scenario=False,
            needs_subject=True,
            criteria=(),
            needs=("inputs", "facts"),
            allows=(),
        ),
        AnswerKind("results", called=True, criteria=("rows",), allows=("harness",)),
        AnswerKind(
            "tests",
            called=True,
            has_scenario=False,
            needs_subject=True,
            criteria=(),
            needs=("facts",),
            allows=(),
        ),
    )
}
