"""A Kafka that wants TLS and a password, or a client's certificate: a graded stream on a real one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import kafka_server
import pytest
from kafka import KafkaAdminClient
from kafka.admin import UserScramCredentialUpsertion

from grader.runtime.broker_process import broker_command, broker_environment, wait_until_ready
from grader.runtime.broker_settings import Listener, write_settings
from grader.runtime.ports import own_ports

pytestmark = pytest.mark.slow

MODULE = "org.apache.kafka.common.security.{}LoginModule required"
SCRAM, PLAIN = MODULE.format("scram.Scram"), MODULE.format("plain.Plain")
SELF_CHECK = "from grader.learner.self_check import self_check; print(self_check())"
DOCTOR = "from grader.lab import doctor; print(doctor.examine())"


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A broker with a listener for each way in; their addresses, and where the certificates lie."""
    data = tmp_path_factory.mktemp("secured")
    authority = data / "ca.pem"
    keystore = kafka_server.make_certificates(data / "private", authority)
    port, controller_port, password, certificate = own_ports(4)
    settings, cluster_id = write_settings(
        data,
        [  # in the open (for the test), with a password, with a certificate
            Listener("PLAINTEXT", port),
            Listener("PASSWORD", password, "SASL_SSL"),
            Listener("CERTIFICATE", certificate, "SSL"),
        ],
        Listener("CONTROLLER", controller_port),
        {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(keystore),
            "listener.name.certificate.ssl.client.auth": "required",
            "listener.name.certificate.ssl.truststore.type": "PEM",
            "listener.name.certificate.ssl.truststore.location": str(authority),
            "sasl.enabled.mechanisms": "SCRAM-SHA-512,PLAIN",
            "listener.name.password.scram-sha-512.sasl.jaas.config": f"{SCRAM};",
            "listener.name.password.plain.sasl.jaas.config": f'{PLAIN} user_ada="lace";',
        },
    )
    process = subprocess.Popen(
        broker_command(settings), env=broker_environment(), stdout=subprocess.DEVNULL
    )
    try:
        address = f"127.0.0.1:{port}"
        wait_until_ready(address, cluster_id, lambda: process.poll() is not None)
        admin = KafkaAdminClient(bootstrap_servers=address)
        admin.alter_user_scram_credentials(
            [UserScramCredentialUpsertion("ada", "SCRAM-SHA-512", "lace")]
        )
        admin.close()
        yield {
            "password": f"127.0.0.1:{password}",
            "certificate": f"127.0.0.1:{certificate}",
            "authority": str(authority),
            "keystore": str(keystore),
        }
    finally:
        process.kill()
        process.wait()


def in_process(
    code: str, address: str, conf: Path, lines: list[str]
) -> "subprocess.CompletedProcess[str]":
    """Python code in a process of its own, as a notebook has it."""
    conf.write_text("\n".join(lines))
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "GRADER_KAFKA": address, "GRADER_KAFKA_CONF": str(conf)},
        capture_output=True,
        text=True,
        timeout=300,
    )


def trusting(secured: dict[str, str], protocol: str) -> list[str]:
    return [
        f"security.protocol={protocol}",
        "ssl.truststore.type=PEM",
        f"ssl.truststore.location={secured['authority']}",
    ]


@pytest.mark.parametrize(("mechanism", "module"), [("SCRAM-SHA-512", SCRAM), ("PLAIN", PLAIN)])
def test_a_stream_is_graded_with_a_password(
    secured: dict[str, str], tmp_path: Path, mechanism: str, module: str
) -> None:
    login = [
        f"sasl.mechanism={mechanism}",
        f'sasl.jaas.config={module} username="ada" password="lace";',
    ]
    lines = [*trusting(secured, "SASL_SSL"), *login]
    done = in_process(SELF_CHECK, secured["password"], tmp_path / "client.properties", lines)
    assert "passed" in done.stdout, done.stderr


def test_a_stream_is_graded_with_a_clients_certificate(
    secured: dict[str, str], tmp_path: Path
) -> None:
    own = ["ssl.keystore.type=PEM", f"ssl.keystore.location={secured['keystore']}"]
    lines = [*trusting(secured, "SSL"), *own]
    done = in_process(SELF_CHECK, secured["certificate"], tmp_path / "client.properties", lines)
    assert "passed" in done.stdout, done.stderr


def test_a_wrong_password_is_named(secured: dict[str, str], tmp_path: Path) -> None:
    conf = tmp_path / "client.properties"
    login = ["sasl.mechanism=PLAIN", f'sasl.jaas.config={PLAIN} username="ada" password="no";']
    lines = [*trusting(secured, "SASL_SSL"), *login]
    code = "from grader.replay.kafka import Kafka; Kafka(__import__('os').environ['GRADER_KAFKA']).create_topic('mine')"
    done = in_process(code, secured["password"], conf, lines)
    assert f"password and certificates in GRADER_KAFKA_CONF={conf}" in done.stderr, done.stderr
    found = in_process(DOCTOR, secured["password"], conf, lines).stdout
    assert "but not as a Kafka that lets us in" in found and f"GRADER_KAFKA_CONF={conf}" in found
    in_the_open = in_process(DOCTOR, secured["password"], conf, []).stdout
    assert "but not as a Kafka that lets us in" in in_the_open
