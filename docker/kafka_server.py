"""Kafka in a container: the lab's broker with listeners for containers and for the host.

Each comes in plain text and with TLS. The data and the certificates lie in volumes: topics survive
the container.
"""

import os
from pathlib import Path

from grader.connectors.certificates import make_authority
from grader.runtime.broker_process import broker_command, broker_environment
from grader.runtime.broker_settings import Listener, write_settings

DATA = Path("/kafka")
TLS = Path("/tls")
HOSTS = ("kafka", "localhost", "127.0.0.1")


def main() -> None:
    """Prepare the folders where that was not done yet, then become the broker."""
    keystore = make_certificates(DATA / "private", TLS / "ca.pem")
    settings, _ = write_settings(
        DATA,
        [
            Listener("INSIDE", 9092, host="0.0.0.0", advertised="kafka:9092"),
            Listener("INSIDE_TLS", 9093, "SSL", "0.0.0.0", "kafka:9093"),
            Listener("HOST", 29092, "PLAINTEXT", "0.0.0.0", _on_host("KAFKA_HOST_PORT")),
            Listener("HOST_TLS", 29093, "SSL", "0.0.0.0", _on_host("KAFKA_HOST_TLS_PORT")),
        ],
        Listener("CONTROLLER", 9094),
        {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(keystore)},
    )
    command = broker_command(settings)
    os.execve(command[0], command, broker_environment())


def _on_host(variable: str) -> str:
    """An address that Compose publishes."""
    return f"127.0.0.1:{os.environ[variable]}"


def make_certificates(private: Path, authority: Path) -> Path:
    """An authority of this lab's own, and the broker's key and certificate by it; once.

    The authority's certificate goes to `authority`, for clients; the broker's stay in `private`.
    """
    keystore = private / "keystore.pem"
    if not (keystore.exists() and authority.exists()):
        private.mkdir(mode=0o700, exist_ok=True)
        make_authority(authority).sign(keystore, "kafka", HOSTS)
    return keystore


if __name__ == "__main__":
    main()
