"""The shop's Kafka, which speaks TLS: a broker that is started here, or the one of a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kafka.errors import KafkaError

from grader.connectors.tls_broker import tls_broker
from grader.errors import SetupError
from grader.replay.kafka import BrokerUnreachable, Kafka
from grader.runtime.cluster import spark_master


class SecuredKafka(Kafka):
    """A broker whose clients speak TLS and trust one authority."""

    def __init__(self, bootstrap_servers: str, authority: Path):
        super().__init__(bootstrap_servers)
        self._authority = authority

    def connect(self, client: Any, **settings: Any) -> Any:
        """A kafka-python client of this broker; raises BrokerUnreachable."""
        trust = {"security_protocol": "SSL", "ssl_cafile": str(self._authority)}
        try:
            return client(bootstrap_servers=self.bootstrap_servers, **settings, **trust)
        except KafkaError as error:
            raise BrokerUnreachable(
                f"No broker answers over TLS at {self.bootstrap_servers} ({type(error).__name__}), or "
                f"its certificate is not signed by {self._authority}. Open the shop again."
            ) from error


@dataclass(frozen=True)
class Shop:
    """Where the broker is, and the certificate (PEM) that its clients have to trust."""

    servers: str
    authority: Path

    @property
    def kafka(self) -> SecuredKafka:
        return SecuredKafka(self.servers, self.authority)

    @property
    def client_settings(self) -> dict[str, str]:
        """The settings besides the address that a Java client needs, and so Spark's reader and writer."""
        return {
            "security.protocol": "SSL",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.authority),
        }


@contextmanager
def open_shop() -> Iterator[Shop]:
    """A shop for as long as the block: its broker is started here, or is the one of the cluster.

    If Spark runs on a cluster, GRADER_KAFKA_TLS names the address that its executors reach, and
    GRADER_KAFKA_AUTHORITY the certificate, under the same path everywhere. Raises SetupError.
    """
    if spark_master().startswith("local"):
        with tls_broker() as broker:
            yield Shop(broker.bootstrap_servers, broker.authority)
        return
    servers, authority = (
        os.environ.get(name) for name in ("GRADER_KAFKA_TLS", "GRADER_KAFKA_AUTHORITY")
    )
    if not servers or not authority:
        raise SetupError(
            "Spark runs on a cluster, which cannot reach a broker of this process. Name one with TLS: "
            "its address in GRADER_KAFKA_TLS, its authority's certificate in GRADER_KAFKA_AUTHORITY."
        )
    yield Shop(servers, Path(authority))
