"""A live table of orders whose changes Debezium writes to Kafka, for as long as a block."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from secrets import token_hex

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import NewTopic

from grader.connectors.change_data.connect_worker import fetch_debezium, worker_command
from grader.connectors.change_data.postgres_server import Postgres, postgres_server
from grader.connectors.change_data.server_folder import server_folder
from grader.connectors.server_process import Guarded, guarded
from grader.errors import SetupError
from grader.runtime.log_tail import log_tail

WAIT_SECONDS = 120
TABLE = """
CREATE TABLE orders (order_id INT PRIMARY KEY, customer TEXT, status TEXT NOT NULL, cents INT);
ALTER TABLE orders REPLICA IDENTITY FULL;
INSERT INTO orders VALUES (1, 'ana', 'placed', 1200), (2, 'ben', 'placed', 450)
"""


@dataclass(frozen=True)
class CapturedOrders:
    """The table `orders` with two orders, and the topic of its changes, which has one partition."""

    topic: str
    _database: Postgres = field(repr=False)
    _servers: str = field(repr=False)
    _worker: Guarded = field(repr=False)

    def sql(self, statements: str) -> str:
        """Run SQL in the database; what psql prints. Raises ValueError with PostgreSQL's message."""
        return self._database.sql(statements)

    def wait_for(self, records: int) -> None:
        """Wait until the topic has this many records. Raises SetupError if they do not come."""
        partition = TopicPartition(self.topic, 0)
        consumer = KafkaConsumer(bootstrap_servers=self._servers)
        try:
            deadline = time.monotonic() + WAIT_SECONDS
            while (found := consumer.end_offsets([partition])[partition]) < records:
                if self._worker.ended() or time.monotonic() > deadline:
                    raise SetupError(
                        f"The topic has {found} records, expected {records}. Debezium's log:\n"
                        f"{log_tail(self._worker.log)}"
                    )
                time.sleep(0.05)
        finally:
            consumer.close()


@contextmanager
def captured_orders(
    servers: str, *, say: Callable[[str], None] = print
) -> Iterator[CapturedOrders]:
    """Start PostgreSQL with a table of two orders, and Debezium, which writes its changes to the Kafka at `servers`.

    The snapshot is in the topic when the block begins: after 11 seconds on two cores, once downloaded. Both
    end with the block, or with this process. Their first start downloads them (42 MB). Raises SetupError with
    the fix.
    """
    jars = fetch_debezium(say)
    prefix = f"shop-{token_hex(4)}"
    topic = f"{prefix}.public.orders"
    admin = KafkaAdminClient(bootstrap_servers=servers)
    admin.create_topics([NewTopic(topic, 1, 1)])
    admin.close()
    with postgres_server(say=say) as database, server_folder("debezium") as data:
        database.sql(TABLE)
        command, environment = worker_command(data, jars, servers, database, prefix=prefix)
        with guarded(command, environment, data) as worker:
            orders = CapturedOrders(topic, database, servers, worker)
            orders.wait_for(records=2)
            yield orders
