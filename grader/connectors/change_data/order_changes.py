"""Record what Debezium writes about a table of orders: datasets/order_changes.jsonl.

    python -m grader.connectors.change_data.order_changes FILE

Runs a PostgreSQL server, the lab's broker and Debezium for a minute.
The notes and steps of the file in datasets/ were added by hand; its messages were not changed.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import NewPartitions, NewTopic

from grader.connectors.change_data.connect_worker import connect_worker
from grader.connectors.change_data.postgres_server import Postgres, postgres_server
from grader.runtime.broker import lease_broker

TOPIC = "shop.public.orders"
WAIT_SECONDS = 120

BEFORE_THE_CONNECTOR = """
CREATE TABLE orders (order_id INT PRIMARY KEY, customer TEXT, status TEXT NOT NULL, cents INT);
ALTER TABLE orders REPLICA IDENTITY FULL;
INSERT INTO orders VALUES
  (1, 'ana', 'placed', 1200), (2, 'ben', 'placed', 450), (3, NULL, 'paid', 3000), (4, 'dora', 'placed', 99)
"""
# Each string is a transaction.
WHILE_IT_RUNS = (
    "UPDATE orders SET status = 'paid' WHERE order_id = 1",
    "INSERT INTO orders VALUES (5, 'eli', 'placed', 700)",
    "DELETE FROM orders WHERE order_id = 4",
)
UNTIL_IT_IS_KILLED = (
    "UPDATE orders SET status = 'paid' WHERE order_id = 2",
    "UPDATE orders SET status = 'shipped' WHERE order_id = 1",
    "INSERT INTO orders VALUES (6, 'finn', 'placed', 250)",
    "DELETE FROM orders WHERE order_id = 6",
    "UPDATE orders SET order_id = 50 WHERE order_id = 5",
    "UPDATE orders SET cents = 2800 WHERE order_id = 3;"
    "UPDATE orders SET status = 'shipped' WHERE order_id = 3",
)
WHILE_IT_IS_DOWN = (
    "UPDATE orders SET status = 'shipped', cents = NULL WHERE order_id = 2",
    "INSERT INTO orders VALUES (4, 'dora', 'placed', 199)",
    "DELETE FROM orders WHERE order_id = 3",
)


def record() -> list[dict[str, Any]]:
    """All messages in the topic, in the order of their partitions and offsets."""
    with tempfile.TemporaryDirectory() as name, lease_broker() as broker, postgres_server() as shop:
        folder, servers = Path(name), broker.bootstrap_servers
        admin = KafkaAdminClient(bootstrap_servers=servers)
        admin.create_topics([NewTopic(TOPIC, 1, 1)])
        shop.sql(BEFORE_THE_CONNECTOR)
        with connect_worker(folder, servers, shop):
            _wait_for(servers, records=4)
            _change(shop, WHILE_IT_RUNS)
            _wait_for(servers, records=8)
        with connect_worker(folder, servers, shop, flush_seconds=3600) as worker:
            _change(shop, UNTIL_IT_IS_KILLED)
            _wait_for(servers, records=18)
            worker.kill()
        admin.create_partitions({TOPIC: NewPartitions(3)})
        _change(shop, WHILE_IT_IS_DOWN)
        with connect_worker(folder, servers, shop):
            return _wait_for(servers, records=32)


def _change(shop: Postgres, transactions: tuple[str, ...]) -> None:
    for transaction in transactions:
        shop.sql(transaction)


def _wait_for(servers: str, records: int) -> list[dict[str, Any]]:
    """The messages in the topic, when there are so many. Raises TimeoutError."""
    consumer = KafkaConsumer(
        bootstrap_servers=servers,
        auto_offset_reset="earliest",
        consumer_timeout_ms=1000 * WAIT_SECONDS,
    )
    partitions = sorted(consumer.partitions_for_topic(TOPIC) or ())
    consumer.assign([TopicPartition(TOPIC, number) for number in partitions])
    found = []
    for message in consumer:
        found.append(message)
        print(f"{message.partition}/{message.offset} {message.key!r} {message.value!r}"[:150])
        if len(found) == records:
            consumer.close()
            return [_line(message) for message in sorted(found, key=lambda m: m[1:3])]
    raise TimeoutError(f"The topic has {len(found)} messages; expected {records}.")


def _line(message: Any) -> dict[str, Any]:
    return {
        "step": 1,
        "input": "changes",
        "partition": message.partition,
        "key": message.key.decode(),
        "value": message.value and json.loads(message.value),
    }


def main() -> None:
    lines = [json.dumps(line, ensure_ascii=False) for line in record()]
    Path(sys.argv[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
