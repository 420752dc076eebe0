"""A broker's settings: the one place where a server.properties is composed, and its data folder formatted."""

import base64
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import javaproperties

from grader.errors import SetupError
from grader.runtime.ports import own_ports

# Why some differ from Kafka's defaults:
# - retention and timestamps: scenarios carry timestamps of any year, and nothing may expire;
# - dedupe buffer and index sizes: the defaults (128 MB, 10 MB a segment) are for servers;
# - a rebalance delay of 0: a new consumer need not wait for others that never come.
SMALL = {
    "num.partitions": "1",
    "default.replication.factor": "1",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
    "log.retention.ms": "-1",
    "log.message.timestamp.before.max.ms": "9223372036854775807",
    "log.message.timestamp.after.max.ms": "9223372036854775807",
    "log.cleaner.dedupe.buffer.size": "2097152",
    "log.index.size.max.bytes": "1048576",
    "log.segment.delete.delay.ms": "1000",
    "num.network.threads": "2",
    "num.io.threads": "2",
    "num.recovery.threads.per.data.dir": "1",
}


@dataclass(frozen=True)
class Listener:
    """A port that a broker listens on, and the protocol spoken there.

    The address that clients get for it is `advertised`, if it is a different one (host:port).
    """

    name: str
    port: int
    protocol: str = "PLAINTEXT"
    host: str = "127.0.0.1"
    advertised: str = ""

    @property
    def endpoint(self) -> str:
        return f"{self.name}://{self.host}:{self.port}"

    @property
    def advertised_endpoint(self) -> str:
        return f"{self.name}://{self.advertised}" if self.advertised else self.endpoint


def write_settings(
    data: Path,
    listeners: Sequence[Listener],
    controller: Listener,
    more: Mapping[str, str] | None = None,
) -> tuple[Path, str]:
    """Write the settings of a broker into its data folder: their file, and the cluster's id.

    Brokers, of which there is one, reach each other by the first listener. `more` wins over what
    all brokers of this package have in common. An empty folder is formatted, as Kafka's own `format`
    tool does it, without the second that its Java takes. Raises SetupError for a folder with a comma.
    """
    if "," in str(data):
        raise SetupError(
            f"Kafka takes {data} for several folders, as it has a comma. Set TMPDIR to one without."
        )
    settings = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{controller.host}:{controller.port}",
        "listeners": ",".join(each.endpoint for each in (*listeners, controller)),
        "advertised.listeners": ",".join(each.advertised_endpoint for each in listeners),
        "controller.listener.names": controller.name,
        "inter.broker.listener.name": listeners[0].name,
        "listener.security.protocol.map": ",".join(
            f"{each.name}:{each.protocol}" for each in (*listeners, controller)
        ),
        "log.dirs": str(data / "log"),
        **SMALL,
        **(more or {}),
    }
    path = data / "server.properties"
    path.write_text(javaproperties.dumps(settings, timestamp=False))
    return path, _format(data / "log")


def write_loopback_settings(data: Path) -> tuple[Path, str, str]:
    """The settings of a broker in plain text on the loopback: their file, its address, the cluster's id."""
    port, controller_port = own_ports(2)
    listener, controller = Listener("PLAINTEXT", port), Listener("CONTROLLER", controller_port)
    settings, cluster_id = write_settings(data, [listener], controller)
    return settings, f"{listener.host}:{port}", cluster_id


def _format(log: Path) -> str:
    """Make a folder one that a broker starts on, if it is none yet: the id of its cluster."""
    about = log / "meta.properties"
    if not about.exists():
        log.mkdir(exist_ok=True)
        ids = {"cluster.id": _kafka_uuid(), "directory.id": _kafka_uuid()}
        about.write_text(
            javaproperties.dumps({"version": "1", "node.id": "1", **ids}, timestamp=False)
        )
    return javaproperties.loads(about.read_text())["cluster.id"]


def _kafka_uuid() -> str:
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
