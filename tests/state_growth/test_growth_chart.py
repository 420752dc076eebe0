"""The chart of what a batch costs as the keys in state grow, and its words."""

import xml.etree.ElementTree as ET

from grader.state_growth.growth_chart import Cost, Growth, draw, growth_text

HEAP = Growth(
    "heap",
    [Cost(100, 1.0, 0.1, 0.1), Cost(200, 2.0, 0.5, 0.4), Cost(300, 6.0, 4.0, 2.0)],
    "out of memory",
)
ROCKSDB = Growth("RocksDB", [Cost(100 * n, 1.0, 0.01, 0.01) for n in range(1, 6)])


def test_both_are_compared_where_both_have_come() -> None:
    assert growth_text(HEAP, ROCKSDB).splitlines() == [
        "heap: 300 keys, then out of memory",
        "RocksDB: 500 keys",
        "The median of the last 3 batches up to 300 keys is 2.00 s on the heap and 1.00 s in RocksDB: 2.0 times as long.",
        "The longest pause was 2.00 s with the heap and 0.01 s with RocksDB: 200.0 times as long.",
    ]


def test_a_store_of_which_nothing_was_measured_is_named_with_its_reason() -> None:
    assert growth_text(Growth("heap", [], "no memory at all"), ROCKSDB) == (
        "heap: no batch was measured (no memory at all)."
    )


def test_the_picture_has_a_mark_for_every_batch_in_both_panels() -> None:
    root = ET.fromstring(draw(HEAP, ROCKSDB, alone=True))
    marks = [part.get("class") for part in root.iter() if "mark" in str(part.get("class"))]
    # two panels, and one mark in the legend
    assert marks.count("mark a") == 2 * len(HEAP.costs) + 1
    assert marks.count("mark b") == 2 * len(ROCKSDB.costs) + 1


def test_the_picture_says_in_words_what_it_shows_and_where_the_heap_ended() -> None:
    root = ET.fromstring(draw(HEAP, ROCKSDB))
    assert "200.0 times as long" in str(root.get("aria-label"))
    assert "heap: out of memory" in [part.text for part in root.iter()]


def test_the_lines_stay_within_the_picture() -> None:
    root = ET.fromstring(draw(HEAP, ROCKSDB))
    _, _, width, height = map(float, str(root.get("viewBox")).split())
    for line in (part.get("points") for part in root.iter() if part.get("points")):
        for point in str(line).split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= width and 0 <= y <= height
