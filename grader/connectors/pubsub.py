"""A bus on loopback that speaks Google Pub/Sub's own protocol: messages with deadlines, no offsets.

Google's clients talk to it as they do to Google's own emulator: by PUBSUB_EMULATOR_HOST, or by a
channel to `address`. Names, defaults and limits are those of google/pubsub/v1/pubsub.proto; what is
not here (StreamingPull, Seek, filters, schemas, ordering keys) is answered UNIMPLEMENTED.

One thing is simpler than at Google: a Pull with nothing to give answers at once, and never omits
a message that waits. Google may do either, so a client asks again.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.empty_pb2 import Empty
from google.protobuf.timestamp_pb2 import Timestamp
from google.pubsub_v1 import types

LEAST_DEADLINE, MOST_DEADLINE = 10, 600  # seconds, as pubsub.proto says
MOST_MESSAGES = 1000  # in one Pull


class ManualClock:
    """A clock that moves only when the program moves it; calling it gives seconds."""

    def __init__(self, seconds: float = 0.0):
        self.seconds = seconds

    def __call__(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds


class Refused(Exception):
    """A call that the bus answers with an error."""

    def __init__(self, code: grpc.StatusCode, message: str):
        super().__init__(message)
        self.code = code


@dataclass
class _Subscription:
    """What one reader of a topic has still to get, and what it has and did not acknowledge."""

    settings: types.Subscription
    waiting: list[types.PubsubMessage] = field(default_factory=list)
    handed_out: dict[str, tuple[types.PubsubMessage, float]] = field(default_factory=dict)
    done: list[types.PubsubMessage] = field(default_factory=list)

    def take_back(self, now: float) -> None:
        """Messages whose deadline has passed wait again."""
        for ack_id, (message, deadline) in list(self.handed_out.items()):
            if deadline <= now:
                del self.handed_out[ack_id]
                self.waiting.append(message)


class PubSub:
    """The bus: `with PubSub() as bus`, or start and stop; Google's clients find it at `bus.address`.

    A message that was delivered and not acknowledged within its subscription's deadline waits
    again, with the same id. The `clock` gives the time. With a `seed` each Pull gives messages in a
    different order: the same seed and calls give the same order. The ids have no order, with or without.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, seed: int | None = None):
        self._clock = clock
        self._order = random.Random(seed) if seed is not None else None
        self._ids = random.Random(f"ids {seed}")
        self._topics: dict[str, types.Topic] = {}
        self._subscriptions: dict[str, _Subscription] = {}
        self._lost: list[tuple[str, bool]] = []
        self._lock = threading.Lock()
        self._server: grpc.Server | None = None
        self.address = ""

    def __enter__(self) -> PubSub:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Serve on a free port of this machine, which is in `address` then."""
        self._server = grpc.server(ThreadPoolExecutor(4), options=[("grpc.so_reuseport", 0)])
        for service, methods in _SERVICES.items():
            handlers = {name: self._handler(name, *given) for name, given in methods.items()}
            self._server.add_generic_rpc_handlers(
                [grpc.method_handlers_generic_handler(f"google.pubsub.v1.{service}", handlers)]
            )
        port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()
        self.address = f"127.0.0.1:{port}"

    def stop(self) -> None:
        """Serve no more. What was on the bus stays in this object."""
        if self._server is not None:
            # with a grace period: clients that are cut off print an error, which costs a cell its points
            self._server.stop(grace=1).wait()

    # what a test or a lesson requests from the bus itself

    def lose(self, method: str, *, answer: bool = False) -> None:
        """Let the next call of a method, such as "Acknowledge", come to nothing.

        The call does not reach the bus; with `answer` it does, and what is lost is the answer.
        The client gets ABORTED either way, which it does not try again.
        """
        self._lost.append((method, answer))

    def lose_no_more(self) -> None:
        """Let no further call be lost."""
        self._lost.clear()

    def deliver_again(self, data: bytes) -> None:
        """Deliver messages with this content again, acknowledged or not, as Google's service may."""
        with self._lock:
            for subscription in self._subscriptions.values():
                out = [message for message, _ in subscription.handed_out.values()]
                known = [*subscription.waiting, *out, *subscription.done]
                subscription.waiting += [m for m in known if m.data == data]

    def left(self) -> list[bytes]:
        """The content of messages that some subscription has not acknowledged yet, sorted."""
        with self._lock:
            found = [m for s in self._subscriptions.values() for m in s.waiting]
            found += [m for s in self._subscriptions.values() for m, _ in s.handed_out.values()]
        return sorted(message.data for message in found)

    # the protocol

    def _handler(
        self, name: str, answer: Callable[..., Any], request: Any, reply: Any
    ) -> grpc.RpcMethodHandler:
        def handle(asked: Any, context: grpc.ServicerContext) -> Any:
            with self._lock:
                lost = next((one for one in self._lost if one[0] == name), None)
                if lost:
                    self._lost.remove(lost)
                try:
                    response = None if lost and not lost[1] else answer(self, asked)
                except Refused as error:
                    context.abort(error.code, str(error))
            if lost:
                context.abort(grpc.StatusCode.ABORTED, f"the connection was lost in {name}")
            return response

        write = reply.SerializeToString if reply is Empty else reply.serialize
        return grpc.unary_unary_rpc_method_handler(handle, request.deserialize, write)

    def _create_topic(self, topic: types.Topic) -> types.Topic:
        _demand_new(topic.name, self._topics)
        self._topics[topic.name] = topic
        return topic

    def _delete_topic(self, asked: types.DeleteTopicRequest) -> Empty:
        _find(asked.topic, self._topics)
        del self._topics[asked.topic]
        return Empty()

    def _publish(self, asked: types.PublishRequest) -> types.PublishResponse:
        _find(asked.topic, self._topics)
        if not asked.messages:
            raise Refused(grpc.StatusCode.INVALID_ARGUMENT, "no message to publish")
        published = Timestamp()
        published.FromMilliseconds(int(self._clock() * 1000))
        for message in asked.messages:
            message.message_id = str(self._ids.randrange(10**15, 10**16))
            message.publish_time = published
        for subscription in self._subscriptions.values():
            if subscription.settings.topic == asked.topic:
                subscription.waiting += asked.messages
        return types.PublishResponse(message_ids=[m.message_id for m in asked.messages])

    def _create_subscription(self, asked: types.Subscription) -> types.Subscription:
        _demand_new(asked.name, self._subscriptions)
        _find(asked.topic, self._topics)
        asked.ack_deadline_seconds = asked.ack_deadline_seconds or LEAST_DEADLINE
        _demand_between(LEAST_DEADLINE, asked.ack_deadline_seconds)
        self._subscriptions[asked.name] = _Subscription(asked)
        return asked

    def _get_subscription(self, asked: types.GetSubscriptionRequest) -> types.Subscription:
        return _find(asked.subscription, self._subscriptions).settings

    def _delete_subscription(self, asked: types.DeleteSubscriptionRequest) -> Empty:
        _find(asked.subscription, self._subscriptions)
        del self._subscriptions[asked.subscription]
        return Empty()

    def _pull(self, asked: types.PullRequest) -> types.PullResponse:
        subscription = _find(asked.subscription, self._subscriptions)
        if asked.max_messages <= 0:
            raise Refused(grpc.StatusCode.INVALID_ARGUMENT, "max_messages must be above 0")
        now = self._clock()
        subscription.take_back(now)
        if self._order:
            self._order.shuffle(subscription.waiting)
        most = min(asked.max_messages, MOST_MESSAGES)
        taken, subscription.waiting = subscription.waiting[:most], subscription.waiting[most:]
        received = []
        for message in taken:
            ack_id = f"{message.message_id}-{self._ids.getrandbits(64):016x}"
            deadline = now + subscription.settings.ack_deadline_seconds
            subscription.handed_out[ack_id] = (message, deadline)
            received.append(types.ReceivedMessage(ack_id=ack_id, message=message))
        return types.PullResponse(received_messages=received)

    def _acknowledge(self, asked: types.AcknowledgeRequest) -> Empty:
        """An acknowledgment after the deadline does nothing: its message waits again."""
        subscription = _find(asked.subscription, self._subscriptions)
        if not asked.ack_ids:
            raise Refused(grpc.StatusCode.INVALID_ARGUMENT, "no ack_ids to acknowledge")
        subscription.take_back(self._clock())
        for ack_id in asked.ack_ids:
            if ack_id in subscription.handed_out:
                subscription.done.append(subscription.handed_out.pop(ack_id)[0])
        return Empty()

    def _modify_ack_deadline(self, asked: types.ModifyAckDeadlineRequest) -> Empty:
        """A deadline of 0 gives messages back at once."""
        subscription = _find(asked.subscription, self._subscriptions)
        _demand_between(0, asked.ack_deadline_seconds)
        now = self._clock()
        subscription.take_back(now)
        for ack_id in asked.ack_ids:
            if ack_id in subscription.handed_out:
                message, _ = subscription.handed_out[ack_id]
                subscription.handed_out[ack_id] = (message, now + asked.ack_deadline_seconds)
        subscription.take_back(now)
        return Empty()


def _find(name: str, among: dict[str, Any]) -> Any:
    if name not in among:
        raise Refused(grpc.StatusCode.NOT_FOUND, f"there is no {name!r}")
    return among[name]


def _demand_new(name: str, among: dict[str, Any]) -> None:
    if name in among:
        raise Refused(grpc.StatusCode.ALREADY_EXISTS, f"{name!r} exists already")


def _demand_between(least: int, seconds: int) -> None:
    if not least <= seconds <= MOST_DEADLINE:
        raise Refused(
            grpc.StatusCode.INVALID_ARGUMENT,
            f"a deadline is between {least} and {MOST_DEADLINE} seconds, not {seconds}",
        )


# for each method its handler, its request and its answer
_SERVICES: dict[str, dict[str, tuple[Callable[..., Any], Any, Any]]] = {
    "Publisher": {
        "CreateTopic": (PubSub._create_topic, types.Topic, types.Topic),
        "DeleteTopic": (PubSub._delete_topic, types.DeleteTopicRequest, Empty),
        "Publish": (PubSub._publish, types.PublishRequest, types.PublishResponse),
    },
    "Subscriber": {
        "CreateSubscription": (PubSub._create_subscription, types.Subscription, types.Subscription),
        "GetSubscription": (
            PubSub._get_subscription,
            types.GetSubscriptionRequest,
            types.Subscription,
        ),
        "DeleteSubscription": (PubSub._delete_subscription, types.DeleteSubscriptionRequest, Empty),
        "Pull": (PubSub._pull, types.PullRequest, types.PullResponse),
        "Acknowledge": (PubSub._acknowledge, types.AcknowledgeRequest, Empty),
        "ModifyAckDeadline": (PubSub._modify_ack_deadline, types.ModifyAckDeadlineRequest, Empty),
    },
}
