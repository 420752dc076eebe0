"""The local Kinesis: what its clients see, its two ways of reading, and what is left of it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from grader.connectors.consumer_race import latencies
from grader.connectors.kinesis import (
    CALLS_A_SECOND,
    Kinesis,
    kinesis_server,
    make_stream,
    register_consumer,
    wait_until_active,
)

SHARD = "shardId-000000000000"


@pytest.fixture(scope="module")
def server() -> Iterator[Kinesis]:
    with kinesis_server() as running:
        yield running


def put(client: Any, stream: str, *values: str) -> list[str]:
    return [
        client.put_record(StreamName=stream, PartitionKey="k", Data=value.encode())[
            "SequenceNumber"
        ]
        for value in values
    ]


def iterator_at(client: Any, stream: str, kind: str = "TRIM_HORIZON", **where: str) -> str:
    asked = {"StreamName": stream, "ShardId": SHARD, "ShardIteratorType": kind, **where}
    return str(client.get_shard_iterator(**asked)["ShardIterator"])


def values(records: list[dict[str, Any]]) -> list[str]:
    return [record["Data"].decode() for record in records]


def test_records_come_in_their_order_from_any_number_on(server: Kinesis) -> None:
    client = server.client()
    make_stream(client, "order")
    numbers = put(client, "order", "a", "b", "c", "d")
    assert numbers == sorted(numbers, key=int)
    after = iterator_at(client, "order", "AFTER_SEQUENCE_NUMBER", StartingSequenceNumber=numbers[1])
    at = iterator_at(client, "order", "AT_SEQUENCE_NUMBER", StartingSequenceNumber=numbers[1])
    assert values(client.get_records(ShardIterator=after)["Records"]) == ["c", "d"]
    assert values(client.get_records(ShardIterator=at)["Records"]) == ["b", "c", "d"]


def test_all_clients_together_read_a_shard_five_times_a_second(
    server: Kinesis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.connectors.kinesis.monotonic", lambda: 1000.0)
    clients = [server.client(), server.client()]
    make_stream(clients[0], "limited")
    make_stream(clients[0], "other")
    iterators = [iterator_at(client, "limited") for client in clients]
    before = server.refused
    for n in range(CALLS_A_SECOND):
        clients[n % 2].get_records(ShardIterator=iterators[n % 2])
    refused = clients[0].exceptions.ProvisionedThroughputExceededException
    with pytest.raises(refused, match="more than 5 reads a second"):
        clients[0].get_records(ShardIterator=iterators[0])
    assert server.refused == before + 1
    clients[0].get_records(ShardIterator=iterator_at(clients[0], "other"))
    server.client(limited=False).get_records(ShardIterator=iterators[0])


def test_a_refused_call_is_answered_a_second_later(
    server: Kinesis, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    client = server.client()
    make_stream(client, "later")
    iterator = iterator_at(client, "later")
    monkeypatch.setattr("grader.connectors.kinesis.monotonic", lambda: clock[0])
    for _ in range(CALLS_A_SECOND):
        clock[0] += 0.1
        iterator = client.get_records(ShardIterator=iterator)["NextShardIterator"]
    with pytest.raises(client.exceptions.ProvisionedThroughputExceededException):
        client.get_records(ShardIterator=iterator)
    clock[0] = 1001.1  # the first of the five is a second old
    client.get_records(ShardIterator=iterator)
    with pytest.raises(client.exceptions.ProvisionedThroughputExceededException):
        client.get_records(ShardIterator=iterator)


def test_a_fan_out_consumer_is_sent_what_comes(server: Kinesis) -> None:
    client = server.client()
    arn = make_stream(client, "pushed")
    numbers = put(client, "pushed", "a", "b")
    consumer = register_consumer(client, arn, "accounts")
    where = {"Type": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": numbers[0]}
    events = client.subscribe_to_shard(ConsumerARN=consumer, ShardId=SHARD, StartingPosition=where)[
        "EventStream"
    ]
    came: list[str] = []
    for event in events:
        came += values(event["SubscribeToShardEvent"]["Records"])
        if came == ["b"]:
            put(client, "pushed", "c")
        if came == ["b", "c"]:
            break
    events.close()


def test_a_split_shard_ends_and_names_its_children(server: Kinesis) -> None:
    client = server.client()
    make_stream(client, "split")
    put(client, "split", "a", "b")
    client.split_shard(StreamName="split", ShardToSplit=SHARD, NewStartingHashKey=str(2**127))
    wait_until_active(client, "split")
    answer = client.get_records(ShardIterator=iterator_at(client, "split"))
    assert values(answer["Records"]) == ["a", "b"]
    assert "NextShardIterator" not in answer
    assert [child["ParentShards"] for child in answer["ChildShards"]] == [[SHARD], [SHARD]]


def test_latencies_are_of_each_record_and_consumer() -> None:
    queue: list[bytes] = []

    def consumer() -> Iterator[list[dict[str, Any]]]:
        seen = 0
        while True:
            new, seen = queue[seen:], len(queue)
            yield [{"Data": data} for data in new]

    took = latencies(queue.append, [consumer(), consumer()], seconds=0.3)
    assert len(took) == 2 * len(queue) > 0
    assert all(0 <= ms < 10_000 for ms in took)


def test_it_listens_on_the_loopback_alone(server: Kinesis) -> None:
    port = int(server.endpoint.rpartition(":")[2])
    (node,) = [p for p in _servers() if port in {address.port for address in _listens(p)}]
    assert {address.ip for address in _listens(node)} == {"127.0.0.1"}


def test_it_ends_with_a_process_that_is_killed() -> None:
    code = (
        "from grader.connectors.kinesis import kinesis_server\n"
        "with kinesis_server(say=lambda line: None) as running:\n"
        "    print(running.endpoint, flush=True)\n"
        "    input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().strip().rpartition(":")[2])
        (node,) = [p for p in _servers() if port in {address.port for address in _listens(p)}]
        os.kill(process.pid, signal.SIGKILL)
    node.wait(30)


def _servers() -> list[psutil.Process]:
    every = psutil.process_iter(["cmdline"])
    return [p for p in every if "kinesis-local" in " ".join(p.info["cmdline"] or [])]


def _listens(process: psutil.Process) -> list[Any]:
    try:
        found = process.net_connections()
    except psutil.Error:
        return []
    return [one.laddr for one in found if one.status == psutil.CONN_LISTEN]
