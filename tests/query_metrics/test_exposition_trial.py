"""What Prometheus's parser reads of a text, and the faults that it lets pass."""

import pytest

from grader.query_metrics.exposition_trial import as_scraped

ROWS, LAG = "shop_query_input_rows_total", "shop_query_lag_records"
GOOD = f"""# HELP {ROWS} Rows that were read.
# TYPE {ROWS} counter
{ROWS}{{query="clicks"}} 120
# TYPE {LAG} gauge
{LAG}{{query="clicks",topic="t",partition="0"}} 3
{LAG}{{partition="1",topic="t",query="clicks"}} 4.0
"""


def scraped(text: object) -> dict:
    return as_scraped(lambda reports: text, [])


def test_samples_come_by_metric_in_one_spelling() -> None:
    found = scraped(GOOD)
    assert found["text"] == "valid"
    assert found["types"] == ["lag gauge", "rows counter"]
    assert found["rows"] == ["clicks: 120"]
    assert found["lag"] == [
        "clicks t 0: 3",
        "clicks t 1: 4",
    ]


@pytest.mark.parametrize(
    "same",
    [
        GOOD.replace("{", " { ").replace("=", " = ").replace(" 120", "   1.2e2"),
        GOOD.replace('"}', '",}').replace("\n#", "\n\n\n# a comment\n#"),
        "\n".join([*GOOD.splitlines()[3:], *GOOD.splitlines()[:3]]) + "\n# EOF\n",
    ],
)
def test_every_spelling_of_the_same_samples_is_the_same(same: str) -> None:
    assert scraped(same) == scraped(GOOD)


def test_labels_are_read_as_prometheus_reads_them() -> None:
    text = f'# TYPE {ROWS} counter\n{ROWS}{{query="a\\\\n \\"b\\" \\n ä"}} 1\n'
    assert scraped(text)["rows"] == ['a\\n "b" ⏎ ä: 1']


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"", "not a string: bytes"),
        (GOOD.rstrip("\n"), "no newline at the end"),
        (GOOD.replace("clicks", 'cli"cks'), "line refused by the parser"),
        (GOOD.replace("clicks", "cli\ncks"), "line refused by the parser"),
        (GOOD.replace("counter", "COUNTER"), "line refused by the parser: # TYPE"),
        (GOOD + f"# TYPE {LAG} gauge\n", f"two TYPE lines for {LAG}"),
        (GOOD + f'{ROWS}{{query="b"}} 1\n', f"samples of {ROWS} are not together"),
        (GOOD + GOOD.splitlines()[-1] + "\n", "a sample twice: clicks t 1: 4"),
        (GOOD.replace(" 120", " 120 1772366400000"), "a timestamp: clicks: 120"),
    ],
)
def test_the_first_fault_is_named(text: object, fault: str) -> None:
    assert scraped(text)["text"].startswith(fault)


def test_a_type_after_its_samples_or_of_a_different_name_declares_nothing() -> None:
    line = f'{ROWS}{{query="a"}} 1\n'
    assert scraped(f"{line}# TYPE {ROWS} counter\n")["types"] == ["rows unknown"]
    short = ROWS.removesuffix("_total")
    assert scraped(f"# TYPE {short} counter\n{line}")["types"] == ["rows unknown"]


def test_a_counter_without_total_keeps_the_name_that_it_has() -> None:
    """The parser itself appends _total."""
    found = scraped('# TYPE shop_query_input_rows counter\nshop_query_input_rows{query="a"} 1\n')
    assert found["rows"] == []
    assert found["other"] == ["shop_query_input_rows a: 1"]


def test_no_text_is_a_valid_one() -> None:
    assert scraped("") == scraped(f"# TYPE {ROWS} counter\n")
    assert scraped("")["text"] == "valid"


def test_labels_that_the_task_does_not_have_are_named() -> None:
    found = scraped(f'# TYPE {ROWS} counter\n{ROWS}{{query="a",run="7"}} 1\n{ROWS} 2\n')
    assert found["rows"] == [": 2", "a run=7: 1"]
