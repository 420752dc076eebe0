"""Kafka in a container: the lab's broker with listeners for containers and for the host.

Each comes in plain text and with TLS. The data and the certificates lie in volumes: topics survive
the container.
"""

import os
import subprocess
from pathlib import Path

from grader.runtime import broker
from grader.runtime.jars import jar_paths
from grader.runtime.java import find_java
from grader.runtime.startup_cache import cache_path, flags_to_use

DATA = Path("/kafka")
TLS = Path("/tls")

# Later lines win over the embedded broker's. The host's ports are those that Compose publishes.
LISTENERS = """\
listeners=INSIDE://0.0.0.0:9092,INSIDE_TLS://0.0.0.0:9093,HOST://0.0.0.0:29092,\
HOST_TLS://0.0.0.0:29093,CONTROLLER://127.0.0.1:9094
advertised.listeners=INSIDE://kafka:9092,INSIDE_TLS://kafka:9093,HOST://127.0.0.1:{port},\
HOST_TLS://127.0.0.1:{tls_port}
listener.security.protocol.map=INSIDE:PLAINTEXT,INSIDE_TLS:SSL,HOST:PLAINTEXT,HOST_TLS:SSL,\
CONTROLLER:PLAINTEXT
inter.broker.listener.name=INSIDE
ssl.keystore.type=PEM
ssl.keystore.location={private}/keystore.pem
"""


def main() -> None:
    """Prepare the folders where that was not done yet, then become the broker."""
    make_certificates(DATA / "private", TLS / "ca.pem")
    settings = DATA / "server.properties"
    log = DATA / "log"
    if not (log / "meta.properties").exists():
        prepared, _, _ = broker.write_settings(DATA)
        prepared.unlink()
    lines = broker.SETTINGS.format(port=9092, controller_port=9094, data=DATA)
    lines += LISTENERS.format(
        port=os.environ["KAFKA_HOST_PORT"],
        tls_port=os.environ["KAFKA_HOST_TLS_PORT"],
        private=DATA / "private",
    )
    settings.write_text(lines)
    java, jars = find_java(), jar_paths("broker")
    command = broker.broker_command(
        java.program, settings, flags_to_use(cache_path("broker", java, jars))
    )
    os.execve(command[0], command, broker.broker_environment(jars))


def make_certificates(private: Path, authority: Path) -> None:
    """An authority of this lab's own, and the broker's certificate by it; once.

    The authority's certificate goes to `authority`, for clients; the keys stay in `private`.
    """
    if (private / "keystore.pem").exists() and authority.exists():
        return
    private.mkdir(mode=0o700, exist_ok=True)

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=private, check=True, capture_output=True)

    key = ["-newkey", "rsa:2048", "-nodes"]
    openssl(
        "req", "-x509", *key, "-days", "3650", "-subj", "/CN=Stateful Streams lab",
        "-keyout", "ca.key", "-out", "ca.pem",
    )  # fmt: skip
    openssl("req", *key, "-subj", "/CN=kafka", "-keyout", "broker.key", "-out", "broker.csr")
    names = private / "names"
    names.write_text("subjectAltName=DNS:kafka,DNS:localhost,IP:127.0.0.1\n")
    openssl(
        "x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
        "-CAcreateserial", "-days", "3650", "-extfile", "names", "-out", "broker.pem",
    )  # fmt: skip
    parts = ("broker.key", "broker.pem", "ca.pem")
    store = private / "keystore.pem"
    store.write_text("".join((private / part).read_text() for part in parts))
    authority.write_text((private / "ca.pem").read_text())


if __name__ == "__main__":
    main()
