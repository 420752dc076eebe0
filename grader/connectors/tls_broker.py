"""A real Kafka broker that speaks TLS and nothing else, with certificates made on the spot."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.connectors.certificates import LOOPBACK, make_authority
from grader.connectors.server_process import guarded
from grader.errors import SetupError
from grader.runtime.broker import TRIES
from grader.runtime.broker_process import (
    BrokerEndedError,
    broker_command,
    broker_environment,
    wait_until_ready,
)
from grader.runtime.broker_settings import Listener, write_settings
from grader.runtime.ports import own_ports
from grader.runtime.scratch_folders import make_scratch

ELSEWHERE = "kafka.example"


@dataclass(frozen=True)
class TlsBroker:
    """Where the broker is, and the PEM files that its clients need; all are gone when its block ends.

    - `bootstrap_servers` requires TLS
    - `mutual_servers` requires TLS and a certificate of the client
    - `authority`: the certificate that clients must trust
    - `client`: a client's private key and certificate in one file; only `mutual_servers` requires it
    - `elsewhere`: key and certificate, by the same authority, of a server on a different host
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
        for tries_left in reversed(range(TRIES)):
            try:
                running = stack.enter_context(_broker())
                break
            except BrokerEndedError as ended:  # most likely another program took a port
                if not tries_left:
                    raise SetupError(
                        f"The broker with TLS did not start: {ended}\nRun grader doctor: it names the fix."
                    ) from None
        yield running


@contextmanager
def _broker() -> Iterator[TlsBroker]:
    """One try at it; BrokerEndedError if its process ends before it answers."""
    data = make_scratch("tls", owned=False)
    authority = make_authority(data / "ca.pem")
    port, mutual_port, controller_port = own_ports(3)
    settings, cluster_id = write_settings(
        data,
        [Listener("TLS", port, "SSL"), Listener("MUTUAL", mutual_port, "SSL")],
        Listener("CONTROLLER", controller_port, "SSL"),
        {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(authority.sign(data / "broker.pem", "broker", LOOPBACK)),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(authority.certificate),
            "listener.name.mutual.ssl.client.auth": "required",
            "listener.name.controller.ssl.client.auth": "required",
        },
    )
    running = TlsBroker(
        f"127.0.0.1:{port}",
        f"127.0.0.1:{mutual_port}",
        authority.certificate,
        client=authority.sign(data / "client.pem", "client"),
        elsewhere=authority.sign(data / "elsewhere.pem", "broker", (ELSEWHERE,)),
    )
    with guarded(broker_command(settings), broker_environment(), data) as server:
        wait_until_ready(
            running.bootstrap_servers,
            cluster_id,
            server.ended,
            log=server.log,
            authority=running.authority,
        )
        yield running
