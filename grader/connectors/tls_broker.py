"""A real Kafka broker that speaks TLS and nothing else, with certificates made on the spot."""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.connectors.certificates import LOOPBACK, make_authority
from grader.connectors.server_process import Guarded, guarded
from grader.errors import SetupError
from grader.runtime import broker
from grader.runtime.jars import jar_paths
from grader.runtime.java import find_java
from grader.runtime.ports import own_ports
from grader.runtime.scratch_folders import make_scratch
from grader.runtime.startup_cache import cache_path, flags_to_use

ELSEWHERE = "kafka.example"
HANDSHAKE_SECONDS = 2

# Later lines win over the embedded broker's. The controller and the broker itself speak TLS, too.
LISTENERS = """\
listeners=TLS://127.0.0.1:{port},MUTUAL://127.0.0.1:{mutual_port},\
CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=TLS://127.0.0.1:{port},MUTUAL://127.0.0.1:{mutual_port}
listener.security.protocol.map=TLS:SSL,MUTUAL:SSL,CONTROLLER:SSL
inter.broker.listener.name=TLS
ssl.keystore.type=PEM
ssl.keystore.location={keystore}
ssl.truststore.type=PEM
ssl.truststore.location={authority}
listener.name.mutual.ssl.client.auth=required
listener.name.controller.ssl.client.auth=required
"""


@dataclass(frozen=True)
class TlsBroker:
    """Where the broker is, and the PEM files that its clients need; all gone with its block.

    `bootstrap_servers` wants TLS, `mutual_servers` also a certificate of the client. `authority` is
    the certificate that clients have to trust. `client` holds a client's private key and its
    certificate, in one file; only `mutual_servers` asks for it. `elsewhere` holds key and certificate,
    by the same authority, of a server on another host.
    """

    bootstrap_servers: str
    mutual_servers: str
    authority: Path
    client: Path
    elsewhere: Path


@contextmanager
def tls_broker() -> Iterator[TlsBroker]:
    """Start a broker on free ports of the loopback; it answers when the block begins (some 3 s).

    Its certificate is good for localhost and 127.0.0.1. It ends with the block, or with this process.
    Raises SetupError, with the end of its log, if it does not start.
    """
    with ExitStack() as stack:
        for tries_left in reversed(range(broker.TRIES)):
            try:
                running = stack.enter_context(_broker())
                break
            except broker.BrokerEndedError as ended:  # most likely another program took a port
                if not tries_left:
                    raise SetupError(
                        f"The broker with TLS did not start: {ended}\nRun grader doctor for the mend."
                    ) from None
        yield running


@contextmanager
def _broker() -> Iterator[TlsBroker]:
    """One try at it; BrokerEndedError where its process ends before it answers."""
    java, class_path = find_java(), jar_paths("broker")
    data = make_scratch("tls", owned=False)
    authority = make_authority(data / "ca.pem")
    keystore = authority.sign(data / "broker.pem", "broker", LOOPBACK)
    client = authority.sign(data / "client.pem", "client")
    settings, _, cluster_id = broker.write_settings(data)
    port, mutual_port, controller_port = own_ports(3)
    settings.write_text(
        broker.SETTINGS.format(port=port, controller_port=controller_port, data=data)
        + LISTENERS.format(
            port=port,
            mutual_port=mutual_port,
            controller_port=controller_port,
            keystore=keystore,
            authority=authority.certificate,
        )
    )
    command = broker.broker_command(
        java.program, settings, flags_to_use(cache_path("broker", java, class_path))
    )
    running = TlsBroker(
        f"127.0.0.1:{port}",
        f"127.0.0.1:{mutual_port}",
        authority.certificate,
        client,
        elsewhere=authority.sign(data / "elsewhere.pem", "broker", (ELSEWHERE,)),
    )
    with guarded(command, broker.broker_environment(class_path), data) as server:
        _wait_until_ready(running, cluster_id, server)
        yield running


def _wait_until_ready(running: TlsBroker, cluster_id: str, server: Guarded) -> None:
    """As for the lab's own broker, over TLS."""
    from kafka import KafkaAdminClient
    from kafka.errors import KafkaError

    host, port = running.bootstrap_servers.rsplit(":", 1)
    trusting = ssl.create_default_context(cafile=running.authority)
    deadline = time.monotonic() + broker.START_SECONDS
    while time.monotonic() < deadline:
        if server.ended():
            raise broker.BrokerEndedError(server.log_tail())
        try:
            # Kafka's client has no limit of time for a handshake: where a mute stranger has taken the
            # port, it waits for ever and nobody looks whether the broker has ended
            with (
                socket.create_connection((host, int(port)), timeout=HANDSHAKE_SECONDS) as plain,
                trusting.wrap_socket(plain, server_hostname=host),
            ):
                pass
            admin = KafkaAdminClient(
                bootstrap_servers=running.bootstrap_servers,
                security_protocol="SSL",
                ssl_cafile=str(running.authority),
                request_timeout_ms=5000,
                bootstrap_timeout_ms=2000,
            )
            try:
                if admin.describe_cluster().get("cluster_id") == cluster_id:
                    return
                raise broker.BrokerEndedError(f"another program's Kafka answers on port {port}")
            finally:
                admin.close()
        except (OSError, KafkaError):
            time.sleep(0.05)
    raise SetupError(
        f"The broker with TLS did not answer within {broker.START_SECONDS} s. Is the machine very "
        f"busy? The end of its log:\n{server.log_tail()}"
    )
