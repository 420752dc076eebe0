"""Reasons in the plan: a join that Spark has narrowed, timers without a watermark, columns with wrong names."""

from __future__ import annotations

from grader.live_query import phrases
from grader.live_query.observation import Observation, Reason


def narrowed_join(seen: Observation) -> Reason | None:
    """An outer join that a condition downstream makes a narrower one."""
    join = seen.narrowed
    if join is None:
        return None
    what = f"The query has a {join.written} join, and Spark runs it as {_article(join.run)} join."
    condition = phrases.short(join.condition) if join.condition else "downstream of the join"
    return Reason(
        "narrowed_join",
        f"{phrases.so_far(seen)} {what}",
        f"The condition {condition} is true for no row without a partner: the columns of the missing side are null "
        "there. So Spark leaves such rows out from the start.",
        "To keep rows without a partner, put the condition into the join's own condition, or filter that input "
        "before the join. Or allow null: (condition) | F.col(…).isNull().",
        evidence="the plan that Spark made of the query",
    )


def timer_without_watermark(seen: Observation) -> Reason | None:
    """Timers by event time in a query that has no watermark."""
    timed = next((step for step in seen.of("own_state") if step.timed), None)
    if timed is None or seen.streams:
        return None
    return Reason(
        "timer_without_watermark",
        f"{phrases.so_far(seen)} {timed.text} sets timers by event time, and the query has no watermark.",
        "A timer by event time expires when the watermark passes it. Without withWatermark there is no watermark, "
        "so no such timer ever expires.",
        "Set withWatermark on the event-time column before groupBy, and start with a fresh checkpoint; or use timers "
        "by processing time.",
        evidence="the plan of the query",
    )


def misnamed_column(seen: Observation) -> Reason | None:
    """A column of a Python operator's schema that its function calls otherwise."""
    if not seen.misnamed:
        return None
    first = seen.misnamed[0]
    return Reason(
        "misnamed_column",
        f"The schema of {first.operator} has the column `{first.wanted}`, and your function names a column "
        f"`{first.named}`.",
        "Spark takes the columns of your pandas DataFrame by name. A column of the schema that the DataFrame does "
        "not have is null in every row, without an error.",
        f"Give both the same name: `{first.wanted}` in the DataFrame, or `{first.named}` in the schema.",
        tuple(f"  schema `{one.wanted}`, function `{one.named}`" for one in seen.misnamed[1:]),
        evidence="the plan and the code of your function",
    )


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
