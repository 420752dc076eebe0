"""The broker that speaks TLS only: who gets in, who does not, and what is left of it."""

import os
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.errors import KafkaError

from grader.connectors import tls_broker as tls_broker_module
from grader.connectors.certificates import LOOPBACK, make_authority
from grader.connectors.tls_broker import TlsBroker, tls_broker

ATTEMPT_MS = 5000


@pytest.fixture(scope="module")
def secured() -> Iterator[TlsBroker]:
    with tls_broker() as running:
        yield running


def client_settings(secured: TlsBroker, *, own: bool = False) -> dict[str, str]:
    settings = {"security_protocol": "SSL", "ssl_cafile": str(secured.authority)}
    if own:
        settings |= {"ssl_certfile": str(secured.client), "ssl_keyfile": str(secured.client)}
    return settings


def cluster_at(servers: str, **settings: str) -> str:
    admin = KafkaAdminClient(bootstrap_servers=servers, bootstrap_timeout_ms=ATTEMPT_MS, **settings)
    try:
        return str(admin.describe_cluster()["cluster_id"])
    finally:
        admin.close()


def shake_hands(servers: str, context: ssl.SSLContext, name: str) -> None:
    host, port = servers.rsplit(":", 1)
    with (
        socket.create_connection((host, int(port)), timeout=10) as plain,
        context.wrap_socket(plain, server_hostname=name),
    ):
        pass


def processes_about(folder: Path) -> list[psutil.Process]:
    every = psutil.process_iter(["cmdline"])
    return [p for p in every if str(folder) in " ".join(p.info["cmdline"] or [])]


@pytest.mark.slow
def test_a_client_that_trusts_writes_and_reads(secured: TlsBroker) -> None:
    trusting = client_settings(secured)
    producer = KafkaProducer(bootstrap_servers=secured.bootstrap_servers, **trusting)
    producer.send("parcels", b"42").get(30)
    producer.close()
    consumer = KafkaConsumer(
        "parcels",
        bootstrap_servers=secured.bootstrap_servers,
        auto_offset_reset="earliest",
        **trusting,
    )
    assert next(consumer).value == b"42"
    consumer.close()


@pytest.mark.slow
def test_a_client_without_tls_does_not_get_in(secured: TlsBroker) -> None:
    for servers in (secured.bootstrap_servers, secured.mutual_servers):
        with pytest.raises(KafkaError):
            cluster_at(servers)


@pytest.mark.slow
def test_a_client_that_trusts_others_does_not_go_in(secured: TlsBroker, tmp_path: Path) -> None:
    others = make_authority(tmp_path / "others.pem").certificate
    with pytest.raises(KafkaError):
        cluster_at(
            secured.bootstrap_servers, **client_settings(secured) | {"ssl_cafile": str(others)}
        )


@pytest.mark.slow
def test_the_certificate_is_good_for_the_loopback_alone(secured: TlsBroker) -> None:
    context = ssl.create_default_context(cafile=secured.authority)
    for name in LOOPBACK:
        shake_hands(secured.bootstrap_servers, context, name)
    with pytest.raises(ssl.SSLCertVerificationError, match=r"valid for 'kafka\.example'"):
        shake_hands(secured.bootstrap_servers, context, "kafka.example")


@pytest.mark.slow
def test_the_mutual_listener_wants_a_certificate_of_the_same_authority(
    secured: TlsBroker, tmp_path: Path
) -> None:
    assert cluster_at(secured.mutual_servers, **client_settings(secured, own=True))
    with pytest.raises(KafkaError):
        cluster_at(secured.mutual_servers, **client_settings(secured))
    stranger = str(make_authority(tmp_path / "others.pem").sign(tmp_path / "own.pem", "stranger"))
    own = {"ssl_certfile": stranger, "ssl_keyfile": stranger}
    with pytest.raises(KafkaError):
        cluster_at(secured.mutual_servers, **client_settings(secured), **own)


def test_private_keys_are_their_owners_alone(tmp_path: Path) -> None:
    keys = make_authority(tmp_path / "ca.pem").sign(tmp_path / "server.pem", "server", LOOPBACK)
    assert keys.stat().st_mode & 0o077 == 0
    assert "PRIVATE" not in (tmp_path / "ca.pem").read_text()


@pytest.mark.slow
def test_nothing_is_left_after_the_block() -> None:
    with tls_broker() as running:
        folder = running.authority.parent
    assert not folder.exists()
    assert not processes_about(folder)


@pytest.mark.slow
def test_it_ends_with_a_process_that_is_killed() -> None:
    code = (
        "from grader.connectors.tls_broker import tls_broker\n"
        "with tls_broker() as running:\n"
        "    print(running.authority, flush=True)\n"
        "    input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip()).parent
        assert folder.exists()
        (java,) = processes_about(folder)
        os.kill(process.pid, signal.SIGKILL)
    java.wait(30)


@pytest.mark.slow
def test_a_port_that_a_mute_stranger_has_taken_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where another program begins to listen between the choice of a port and the broker's start."""
    ports, taken = tls_broker_module.own_ports, []
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        theirs = stranger.getsockname()[1]

        def own_ports(count: int) -> list[int]:
            if taken:
                return ports(count)
            taken.append(theirs)
            return [theirs, *ports(count - 1)]

        monkeypatch.setattr(tls_broker_module, "own_ports", own_ports)
        with tls_broker() as running:
            assert running.bootstrap_servers != f"127.0.0.1:{theirs}"
            settings = client_settings(running)
            assert cluster_at(running.bootstrap_servers, **settings)
    assert taken
