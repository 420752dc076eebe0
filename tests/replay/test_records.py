"""Records as a lesson sends them: the field that becomes the key, and what that does to the order."""

import pytest

from grader.authoring.proof import Bench

pytestmark = pytest.mark.slow

USERS = ["ada", "ben", "cem", "dua", "eli"]


def test_records_with_the_same_key_lie_in_the_same_partition_in_order(bench: Bench) -> None:
    topic = bench.kafka.unique_topic("keyed", partitions=2)
    clicks = [{"user": user, "number": number} for number in range(6) for user in USERS]
    bench.kafka.send(topic, [*clicks, {"user": None}, "no JSON"], key="user")
    records = bench.kafka.records(topic)
    partitions = {(r.key.decode(), r.partition) for r in records if r.key is not None}
    assert sorted(user for user, _ in partitions) == USERS
    assert {partition for _, partition in partitions} == {0, 1}
    assert sum(r.key is None for r in records) == 2
    of_ada = [r.value for r in records if r.key == b"ada"]
    assert of_ada == [b'{"user": "ada", "number": %d}' % number for number in range(6)]
    bench.kafka.delete_topics([topic])
