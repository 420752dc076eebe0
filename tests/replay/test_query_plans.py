"""What a recording keeps of a query's plan: where its watermarks are set, and which operator follows which."""

import pytest
from pyspark.sql import DataFrame
from testkit.clicks import CLICKS, task

from grader.authoring.proof import Bench
from grader.replay.plan_tree import followed_columns, late_columns, plan_tree
from grader.replay.replay import replay
from grader.scenario import Variant
from grader.scenario.exercise import Fact

READ = "~StreamingRelationV2 kafka, [value#1]"


def tree(*lines: str):
    return plan_tree("\n".join(lines))


def followed(*lines: str) -> list[list[str]]:
    return [followed_columns(node) for node in tree(*lines).walk() if node.stateful]


def marked(column: str, number: int) -> str:
    return f"~EventTimeWatermark 832a6ad2-d49f-4ec5-8c95-a13a3b17869f, {column}#{number}: timestamp, 5 minutes"


COUNTED = (
    "~Aggregate [window#14-T300000ms, page#4], [window#14-T300000ms, page#4, count(1) AS count#8L]",
    "+- ~Project [event_time#5-T300000ms AS window#14-T300000ms, page#4]",
    f"   +- {marked('event_time', 5)}",
    f"      +- {READ}",
)


def test_an_aggregation_by_window_follows_the_column_of_its_watermark() -> None:
    assert followed(*COUNTED) == [["event_time"]]


def test_one_without_a_time_in_its_keys_follows_none() -> None:
    by_page = "~Aggregate [page#4], [page#4, max(event_time#5-T300000ms) AS last#8]"
    assert followed(by_page, f"+- {marked('event_time', 5)}", f"   +- {READ}") == [[]]


def test_a_second_watermark_on_the_same_rows_takes_the_place_of_the_first() -> None:
    found = followed(
        "~Deduplicate [user#7]",
        f"+- {marked('sent_at', 6)}",
        f"   +- {marked('event_time', 5)}",
        f"      +- {READ}",
    )
    assert found == [["sent_at"]]


JOIN = (
    "~Join LeftOuter, (user#66 = u2#75)",
    ":- ~SubqueryAlias a",
    f":  +- {marked('event_time', 64)}",
    f":     +- {READ}",
    "+- ~SubqueryAlias b",
    f"   +- {marked('clicked', 76)}",
    f"      +- {READ}",
)


def test_a_join_of_two_streams_follows_the_column_of_each() -> None:
    assert followed(*JOIN) == [["clicked", "event_time"]]


def test_a_join_with_a_table_keeps_no_state() -> None:
    found = tree(
        marked("event_time", 5),
        "+- ~Join Inner, (user#66 = u2#75)",
        f"   :- {READ}",
        "   +- LocalRelation [u2#75]",
    )
    assert [node for node in found.walk() if node.stateful] == []
    assert late_columns(found) == []


def test_operators_of_a_chain_are_listed_as_spark_lists_them() -> None:
    again = ("~Aggregate [window#50-T60000ms], [count(1)]", f"+- {marked('t', 43)}")
    found = [*again, *(f"   {'+- ' if n == 0 else '   '}{line}" for n, line in enumerate(COUNTED))]
    assert followed(*found) == [["t"], ["event_time"]]


def test_a_watermark_after_the_state_is_late_and_one_in_a_common_table_expression_is_not() -> None:
    late = tree(
        marked("t", 43), *(f"   {line}" if n else f"+- {line}" for n, line in enumerate(COUNTED))
    )
    assert late_columns(late) == ["t"]
    cte = (
        "~WithCTE",
        ":- ~CTERelationDef 7, false",
        f":  +- {marked('event_time', 5)}",
        f":     +- {READ}",
        "+- ~Aggregate [window#129-T300000ms], [count(1) AS count(1)#128L]",
        "   +- ~CTERelationRef 7, true, [page#4, event_time#5-T300000ms], true, false",
    )
    assert late_columns(tree(*cte)) == []
    assert followed(*cte) == [["event_time"]]


def test_a_string_with_a_line_end_breaks_no_tree() -> None:
    odd = (
        "~Filter (page#4 = first",
        "Aggregate second)",
        f"+- {marked('event_time', 5)}",
        f"   +- {READ}",
    )
    assert [node.name for node in tree(*odd).walk()] == [
        "Filter",
        "EventTimeWatermark",
        "StreamingRelationV2",
    ]


def test_a_column_that_was_renamed_is_followed_by_its_first_name() -> None:
    found = followed(
        "~Deduplicate [user#7]",
        f"+- {marked('t', 94)}",
        "   +- ~Project [page#90, timestamp_millis((ms#91L + 1)) AS t#94, user#93]",
        "      +- ~Project [parsed#89.page AS page#90, parsed#89.ms AS ms#91L, parsed#89.user AS user#93]",
        f"         +- {READ}",
    )
    assert found == [["ms"]]


def test_one_made_of_two_or_of_a_record_keeps_its_name() -> None:
    for expression in (
        "coalesce(sent#91, event_time#92)",
        "to_timestamp(get_json_object(value#1, $.t))",
    ):
        found = followed(
            "~Deduplicate [user#7]",
            f"+- {marked('t', 94)}",
            f"   +- ~Project [page#90, {expression} AS t#94, user#93]",
            f"      +- {READ}",
        )
        assert found == [["t"]]


def in_sql(clicks: DataFrame) -> DataFrame:
    clicks.withWatermark("event_time", "10 seconds").createOrReplaceTempView("clicks")
    return clicks.sparkSession.sql(
        "WITH hits AS (SELECT page AS hit, event_time AS t FROM clicks WHERE page <> 'none'), "
        "named AS (SELECT 'home' AS name) "
        "SELECT window(t, '1 minute').end AS at, hit, count(*) AS n FROM hits JOIN named ON hit >= name "
        "GROUP BY window(t, '1 minute'), hit"
    )


@pytest.mark.slow
def test_the_plans_of_a_query_are_the_same_in_every_run(bench: Bench) -> None:
    """Spark numbers columns, common table expressions and stages on and on."""
    asked = task(facts=[Fact("plan", "It aggregates", "Do.", plan="HashAggregate", at_least=1)])
    first, second = (
        replay(bench.spark, bench.kafka, asked, in_sql, Variant("as_is", CLICKS)) for _ in range(2)
    )
    assert first.failure is None
    assert first.plan == second.plan
    assert first.plan.followed == [["event_time"]] and first.plan.too_late == []
    assert first.plans == second.plans
    assert "HashAggregate" in first.plans[0]
