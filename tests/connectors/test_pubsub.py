"""The bus, asked by Google's own clients: what is not acknowledged comes again, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.api_core.exceptions import Aborted, AlreadyExists, InvalidArgument, NotFound
from google.cloud.pubsub_v1 import PublisherClient, SubscriberClient

from grader.connectors.pubsub import ManualClock, PubSub

TOPIC, ORDERS = "projects/shop/topics/orders", "projects/shop/subscriptions/orders"


class Shop:
    """A bus with one topic and one subscription, and Google's clients of it."""

    def __init__(self, bus: PubSub, clock: ManualClock):
        self.bus, self.clock = bus, clock
        self.publisher, self.subscriber = PublisherClient(), SubscriberClient()
        self.publisher.create_topic(name=TOPIC)
        self.subscriber.create_subscription(name=ORDERS, topic=TOPIC)

    def publish(self, *orders: str) -> list[str]:
        """The ids that the bus gave them."""
        return [self.publisher.publish(TOPIC, order.encode()).result() for order in orders]

    def pull(self, most: int = 100) -> dict[str, str]:
        """The orders that come, each with what it is acknowledged by."""
        pulled = self.subscriber.pull(subscription=ORDERS, max_messages=most)
        return {one.message.data.decode(): one.ack_id for one in pulled.received_messages}

    def acknowledge(self, *ack_ids: str) -> None:
        self.subscriber.acknowledge(subscription=ORDERS, ack_ids=list(ack_ids))


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    clock = ManualClock()
    with PubSub(clock) as bus:
        monkeypatch.setenv("PUBSUB_EMULATOR_HOST", bus.address)
        yield Shop(bus, clock)


def test_what_was_handed_out_is_kept_back_until_its_deadline_has_passed(shop: Shop) -> None:
    shop.publish("tea", "jam")
    assert set(shop.pull()) == {"tea", "jam"}
    shop.clock.advance(9.9)
    assert shop.pull() == {}
    shop.clock.advance(0.1)
    assert set(shop.pull()) == {"tea", "jam"}


def test_what_was_acknowledged_does_not_come_again(shop: Shop) -> None:
    shop.publish("tea", "jam")
    shop.acknowledge(shop.pull()["tea"])
    shop.clock.advance(600)
    assert set(shop.pull()) == {"jam"} and shop.bus.left() == [b"jam"]


def test_an_acknowledgement_that_comes_too_late_does_nothing(shop: Shop) -> None:
    shop.publish("tea")
    late = shop.pull()["tea"]
    shop.clock.advance(10)
    shop.acknowledge(late)
    assert set(shop.pull()) == {"tea"}


def test_a_deadline_can_be_moved_and_a_message_given_back(shop: Shop) -> None:
    def move(ack_id: str, seconds: int) -> None:
        shop.subscriber.modify_ack_deadline(
            subscription=ORDERS, ack_ids=[ack_id], ack_deadline_seconds=seconds
        )

    shop.publish("tea", "jam")
    pulled = shop.pull()
    move(pulled["tea"], 60)
    move(pulled["jam"], 0)
    assert set(shop.pull()) == {"jam"}
    shop.clock.advance(59)
    assert set(shop.pull()) == {"jam"}
    with pytest.raises(InvalidArgument):
        move(pulled["tea"], 601)


def test_a_message_keeps_its_id_when_it_comes_again_and_gets_another_ack_id(shop: Shop) -> None:
    (published,) = shop.publish("tea")

    def pulled() -> tuple[str, str]:
        (one,) = shop.subscriber.pull(subscription=ORDERS, max_messages=1).received_messages
        return one.message.message_id, one.ack_id

    first = pulled()
    shop.acknowledge(first[1])
    shop.bus.deliver_again(b"tea")
    again = pulled()
    assert first[0] == again[0] == published and first[1] != again[1]


def test_a_pull_takes_as_many_as_it_asks_for(shop: Shop) -> None:
    shop.publish("tea", "jam", "rice")
    assert [len(shop.pull(2)), len(shop.pull(2)), len(shop.pull(2))] == [2, 1, 0]


def test_a_seed_gives_an_order_that_is_the_same_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def order(seed: int | None) -> list[str]:
        with PubSub(ManualClock(), seed) as bus:
            monkeypatch.setenv("PUBSUB_EMULATOR_HOST", bus.address)
            shop = Shop(bus, ManualClock())
            shop.publish(*"abcdefgh")
            return list(shop.pull())

    assert order(None) == list("abcdefgh")
    assert order(1) == order(1) != list("abcdefgh")
    assert order(2) != order(1)


def test_ids_say_nothing_of_the_order_in_which_messages_came(shop: Shop) -> None:
    ids = shop.publish(*"abcdefgh")
    assert len(set(ids)) == 8 and sorted(ids) != ids


def test_each_subscription_gets_every_message_that_comes_after_it_was_made(shop: Shop) -> None:
    shop.publish("tea")
    other = "projects/shop/subscriptions/stock"
    shop.subscriber.create_subscription(name=other, topic=TOPIC, ack_deadline_seconds=30)
    shop.publish("jam")
    pulled = shop.subscriber.pull(subscription=other, max_messages=9).received_messages
    assert [one.message.data for one in pulled] == [b"jam"] and set(shop.pull()) == {"tea", "jam"}
    assert shop.subscriber.get_subscription(subscription=other).ack_deadline_seconds == 30


def test_a_lost_acknowledgement_has_not_been_and_a_lost_answer_has(shop: Shop) -> None:
    shop.publish("tea")
    shop.bus.lose("Acknowledge")
    with pytest.raises(Aborted):
        shop.acknowledge(shop.pull()["tea"])
    assert shop.bus.left() == [b"tea"]

    shop.clock.advance(10)
    shop.bus.lose("Acknowledge", answer=True)
    with pytest.raises(Aborted):
        shop.acknowledge(shop.pull()["tea"])
    assert shop.bus.left() == []

    shop.bus.lose("Pull")
    shop.bus.lose_no_more()
    assert shop.pull() == {}


def test_what_cannot_be_is_refused_in_googles_words(shop: Shop) -> None:
    with pytest.raises(AlreadyExists):
        shop.publisher.create_topic(name=TOPIC)
    with pytest.raises(NotFound):
        shop.subscriber.pull(subscription=f"{ORDERS}-of-yesterday", max_messages=1)
    with pytest.raises(InvalidArgument):
        shop.subscriber.create_subscription(name=f"{ORDERS}2", topic=TOPIC, ack_deadline_seconds=5)
    with pytest.raises(InvalidArgument):
        shop.subscriber.pull(subscription=ORDERS, max_messages=0)


def test_topics_and_subscriptions_can_be_deleted(shop: Shop) -> None:
    shop.subscriber.delete_subscription(subscription=ORDERS)
    with pytest.raises(NotFound):
        shop.pull()
    shop.publisher.delete_topic(topic=TOPIC)
    with pytest.raises(NotFound):
        shop.publish("tea")
