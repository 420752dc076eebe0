"""A local Amazon Kinesis: kinesis-local's server for as long as a block, and clients of it.

The server (github.com/etspaceman/kinesis-mock) answers the API of Kinesis Data Streams. In two points it
is easier than Amazon's, and the clients made here compensate for them:

- Amazon lets all consumers of a shard together call GetRecords 5 times per second. The server does not
  count, so the clients of one `Kinesis` do, and raise ProvisionedThroughputExceededException.
- An event stream begins with an `initial-response`, which botocore insists on. The server leaves it out,
  so it is put there.

What stays different: the server looks for new records of a subscription once per second, and it does not
count bytes (Amazon: 1 MB per second into a shard and 2 MB per second out of it).
"""

from __future__ import annotations

import os
import socket
import struct
import time
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from time import monotonic
from typing import Any

import botocore.session
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.client import BaseClient
from botocore.config import Config
from botocore.httpsession import URLLib3Session

from grader.connectors.node_packages import LOCK, node_program, package_file
from grader.connectors.server_process import Guarded, guarded
from grader.errors import SetupError
from grader.runtime.log_tail import log_tail
from grader.runtime.ports import own_ports
from grader.runtime.scratch_folders import make_scratch

REGION = "us-east-1"
START_SECONDS = 60
# https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html
CALLS_A_SECOND = 5

# How long a requested change takes. A lesson need not wait.
DURATIONS = {
    f"{action}_DURATION": "20ms"
    for action in (
        "CREATE_STREAM",
        "DELETE_STREAM",
        "REGISTER_STREAM_CONSUMER",
        "DEREGISTER_STREAM_CONSUMER",
        "SPLIT_SHARD",
        "MERGE_SHARDS",
        "UPDATE_SHARD_COUNT",
    )
}


_one_at_a_time = Lock()


@cache
def _session() -> Any:
    """One for all clients: it reads megabytes of descriptions of services."""
    return botocore.session.get_session()


@dataclass
class Kinesis:
    """Where the server is. `calls` counts by operation what all clients sent to it."""

    endpoint: str
    calls: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    _reads: _Reads = field(default_factory=lambda: _Reads(), repr=False)

    def client(self, *, limited: bool = True) -> BaseClient:
        """A client of botocore, as `boto3.client("kinesis")` gives one.

        It tries each call once, so that you see what was refused. With limited=False its calls of
        GetRecords are not counted.
        """
        with _one_at_a_time:  # a session is not made for threads
            client = _session().create_client(
                "kinesis",
                region_name=REGION,
                endpoint_url=self.endpoint,
                aws_access_key_id="local",
                aws_secret_access_key="local",
                config=Config(retries={"total_max_attempts": 1}, max_pool_connections=50),
            )
        events = client.meta.events
        events.register("before-call.kinesis", self._count)
        events.register("before-send.kinesis.SubscribeToShard", _begin_properly)
        if limited:
            self._reads.watch(client)
        return client

    @property
    def refused(self) -> int:
        """How many calls of GetRecords were one too many."""
        return self._reads.refused

    def _count(self, model: Any, **_: Any) -> None:
        self.calls[model.name] += 1


@contextmanager
def kinesis_server(*, say: Callable[[str], None] = print) -> Iterator[Kinesis]:
    """Start a server on a free port of the loopback; it answers when the block begins (a second).

    It ends with the block, or with this process, and its streams with it. Its first start downloads it.
    Raises SetupError with the fix.
    """
    program = package_file("kinesis-local/main.js", say=say)
    data = make_scratch("kinesis", owned=False)
    port, tls_port = own_ports(2)
    environment = {
        **os.environ,
        **DURATIONS,
        "KINESIS_MOCK_PLAIN_PORT": str(port),
        "KINESIS_MOCK_TLS_PORT": str(tls_port),
        "KINESIS_MOCK_CERT_PATH": str(program.with_name("server.json")),
        "AWS_REGION": REGION,
        "LOG_LEVEL": "ERROR",
    }
    command = [str(node_program()), "--require", str(LOCK / "loopback.js"), str(program)]
    with guarded(command, environment, data) as server:
        _wait_until_ready(port, server)
        yield Kinesis(f"http://127.0.0.1:{port}")


def make_stream(client: Any, name: str, shards: int = 1) -> str:
    """Make a stream and wait until it is there; its ARN."""
    client.create_stream(StreamName=name, ShardCount=shards)
    wait_until_active(client, name)
    return str(
        client.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]["StreamARN"]
    )


def wait_until_active(client: Any, name: str) -> None:
    """Wait until a stream that is being made or resharded has come to rest."""
    client.get_waiter("stream_exists").wait(
        StreamName=name, WaiterConfig={"Delay": 0.02, "MaxAttempts": 500}
    )


def register_consumer(client: Any, arn: str, name: str) -> str:
    """Register a fan-out consumer of a stream and wait until it is there; its ARN."""
    consumer = client.register_stream_consumer(StreamARN=arn, ConsumerName=name)["Consumer"]
    while consumer.get("ConsumerStatus") != "ACTIVE":
        time.sleep(0.02)
        found = client.describe_stream_consumer(ConsumerARN=consumer["ConsumerARN"])
        consumer = found["ConsumerDescription"]
    return str(consumer["ConsumerARN"])


def refuse(client: Any, code: str, message: str) -> tuple[AWSResponse, dict[str, Any]]:
    """The service's refusal, as a handler of botocore's event before-call gives it in place of a call."""
    parsed = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": 400},
    }
    return AWSResponse(client.meta.endpoint_url, 400, {}, None), parsed


class _Reads:
    """Counts the calls of GetRecords by shard. An iterator does not name its shard, so we remember it."""

    def __init__(self) -> None:
        self._shard_of: dict[str, str] = {}
        self._admitted: dict[str, deque[float]] = defaultdict(deque)
        self._lock = Lock()
        self.refused = 0

    def watch(self, client: Any) -> None:
        """Have the calls of this client counted with those of the others."""
        events = client.meta.events

        def remember_what_is_asked(
            params: dict[str, Any], context: dict[str, Any], **_: Any
        ) -> None:
            stream = params.get("StreamName") or params.get("StreamARN")
            context["shard"] = f"{stream}/{params['ShardId']}"

        def remember_first(parsed: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
            if "ShardIterator" in parsed:
                self._shard_of[parsed["ShardIterator"]] = context["shard"]

        def admit(params: dict[str, Any], context: dict[str, Any], **_: Any) -> Any:
            context["shard"] = shard = self._shard_of.get(context["iterator"], "?")
            if self._is_one_too_many(shard):
                self.refused += 1
                return refuse(
                    client,
                    "ProvisionedThroughputExceededException",
                    f"Rate exceeded for shard {shard}: more than {CALLS_A_SECOND} reads a second.",
                )
            return None

        def note_iterator(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
            context["iterator"] = params.get("ShardIterator")

        def remember_next(parsed: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
            if parsed.get("NextShardIterator"):
                self._shard_of[parsed["NextShardIterator"]] = context["shard"]

        events.register("before-parameter-build.kinesis.GetShardIterator", remember_what_is_asked)
        events.register("after-call.kinesis.GetShardIterator", remember_first)
        events.register("before-parameter-build.kinesis.GetRecords", note_iterator)
        events.register("before-call.kinesis.GetRecords", admit)
        events.register("after-call.kinesis.GetRecords", remember_next)

    def _is_one_too_many(self, shard: str) -> bool:
        now = monotonic()
        with self._lock:
            admitted = self._admitted[shard]
            while admitted and now - admitted[0] >= 1:
                admitted.popleft()
            if len(admitted) >= CALLS_A_SECOND:
                return True
            admitted.append(now)
            return False


def _begin_properly(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
    """Send the request of a subscription ourselves, to add the missing first message before the answer."""
    answer = URLLib3Session().send(request)
    if answer.status_code == 200:
        answer.raw = _Subscription(answer.raw)
    return answer


class _Subscription:
    """The bytes of a subscription; botocore's EventStream asks for no more than this."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def stream(self, *given: Any, **named: Any) -> Iterator[bytes]:
        yield _INITIAL_RESPONSE
        yield from self._raw.stream(*given, **named)

    def close(self) -> None:
        self._raw.close()


def _message(headers: dict[str, str], payload: bytes) -> bytes:
    """A message in the encoding of AWS's event streams: lengths, checksum, headers, payload, checksum."""
    encoded = b"".join(
        struct.pack("!B", len(name))
        + name.encode()
        + struct.pack("!BH", 7, len(value))
        + value.encode()
        for name, value in headers.items()
    )
    lengths = struct.pack("!II", 16 + len(encoded) + len(payload), len(encoded))
    body = lengths + struct.pack("!I", zlib.crc32(lengths)) + encoded + payload
    return body + struct.pack("!I", zlib.crc32(body))


_INITIAL_RESPONSE = _message(
    {
        ":message-type": "event",
        ":event-type": "initial-response",
        ":content-type": "application/json",
    },
    b"{}",
)


def _wait_until_ready(port: int, server: Guarded) -> None:
    deadline = monotonic() + START_SECONDS
    while monotonic() < deadline:
        if server.ended():
            raise SetupError(
                f"The local Kinesis did not start. Its log:\n{log_tail(server.log)}\nTry again."
            )
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise SetupError(
        f"The local Kinesis did not answer within {START_SECONDS} s. Is the machine very busy? Its "
        f"log:\n{log_tail(server.log)}"
    )
