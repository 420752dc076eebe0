"""What the image and the containers are to the outside: ports, users, listeners, memory, restarts."""

import os
import socket
import subprocess
import sys
import threading
import urllib.error
from pathlib import Path

import psutil
import pytest
from docker_lab import GRADER, IMAGE, PORTS, ROOT, DockerLab, docker, own_ports, wait_until
from kafka import KafkaConsumer, KafkaProducer

from grader.lab.docker_lab import Compose

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1800)]

SELF_CHECK = "from grader.learner.self_check import self_check; print(self_check())"
FIND_KINESIS = """
from grader.connectors.node_packages import package_file
print(package_file("kinesis-local/main.js", say=lambda _: None).is_file())
"""
# as the button in JupyterLab sets up its nbgrader
VALIDATES_SECONDS = """
import os
from nbgrader.apps import NbGrader
os.chdir("/work")
app = NbGrader()
app.load_config_file()
print(app.config.Execute.timeout)
"""
OVER_TLS = f"""
{SELF_CHECK}
from grader.capstone.shop_broker import open_shop
with open_shop() as shop:
    print("over TLS:", shop.kafka.create_topic("driver"))
"""
LAPTOP_BYTES = 8 * 2**30


def test_ports_answer_on_the_loopback_and_nowhere_else(docker_lab: DockerLab) -> None:
    others = [
        address.address
        for addresses in psutil.net_if_addrs().values()
        for address in addresses
        if address.family == socket.AF_INET and not address.address.startswith("127.")
    ]
    assert others, "this machine has no other address to try"
    for name in PORTS:
        assert answers("127.0.0.1", docker_lab.port(name)), name
        assert not [other for other in others if answers(other, docker_lab.port(name))], name


def test_jupyter_wants_its_token(docker_lab: DockerLab) -> None:
    page = f"http://127.0.0.1:{docker_lab.port('LAB_PORT')}/api/contents"
    with pytest.raises(urllib.error.HTTPError, match="403"):
        docker_lab.get(page)
    assert docker_lab.get(f"{page}?token={docker_lab.environment['JUPYTER_TOKEN']}")


def test_no_part_runs_as_root(docker_lab: DockerLab) -> None:
    for name in docker_lab.compose.containers():
        assert docker("exec", name, "id", "-u") != "0"


def test_the_parts_fit_a_laptop(docker_lab: DockerLab) -> None:
    limits = [
        int(docker("inspect", "--format", "{{.HostConfig.Memory}}", name))
        for name in docker_lab.compose.containers()
    ]
    assert all(limits) and sum(limits) < LAPTOP_BYTES * 0.85


def test_sparks_page_shows_two_workers(docker_lab: DockerLab) -> None:
    assert len(docker_lab.workers()) == 2
    page = docker_lab.get(f"http://127.0.0.1:{docker_lab.port('SPARK_PAGE_PORT')}/")
    assert page.count("ALIVE") >= 2


def test_the_doctor_explains_the_cluster(docker_lab: DockerLab) -> None:
    told = docker_lab.run("grader", "doctor")
    assert "GRADER_KAFKA=kafka:9092 answers" in told
    assert "GRADER_SPARK_MASTER=spark-master:7077 answers" in told
    assert "in /checkpoints" in told


def test_the_host_reaches_kafka_with_tls_and_trusts_only_this_labs_authority(
    docker_lab: DockerLab, tmp_path: Path
) -> None:
    authority = tmp_path / "ca.pem"
    authority.write_text(docker_lab.run("cat", "/tls/ca.pem", service="kafka"))
    server = f"127.0.0.1:{docker_lab.port('KAFKA_TLS_PORT')}"
    tls = {
        "bootstrap_servers": server,
        "security_protocol": "SSL",
        "ssl_cafile": str(authority),
    }
    producer = KafkaProducer(**tls)
    producer.send("over-tls", b"hello").get(timeout=30)
    consumer = KafkaConsumer(
        "over-tls", auto_offset_reset="earliest", consumer_timeout_ms=20_000, **tls
    )
    assert next(iter(consumer)).value == b"hello"
    with pytest.raises(Exception, match=r"(?i)certificate|NoBrokers|bootstrap|timed? ?out"):
        KafkaProducer(
            bootstrap_servers=server, security_protocol="SSL", api_version_auto_timeout_ms=5000
        ).send("over-tls", b"x").get(timeout=10)


def test_driver_and_workers_reach_kafka_with_tls(docker_lab: DockerLab) -> None:
    lines = "security.protocol=SSL\\nssl.truststore.type=PEM\\nssl.truststore.location=/tls/ca.pem"
    docker_lab.run("sh", "-c", f"printf '{lines}\\n' >/tmp/tls.properties")
    tls = ["GRADER_KAFKA=kafka:9093", "GRADER_KAFKA_CONF=/tmp/tls.properties"]
    assert "passed" in docker_lab.run("env", *tls, "python", "-c", SELF_CHECK)


def test_the_image_runs_a_graded_stream_without_a_network() -> None:
    assert "passed" in docker("run", "--rm", "--network", "none", IMAGE, "python", "-c", SELF_CHECK)


def test_lesson_15_finds_its_kinesis_without_a_network() -> None:
    told = docker("run", "--rm", "--network", "none", IMAGE, "python", "-c", FIND_KINESIS)
    assert told == "True"


def test_validate_has_the_seconds_that_a_cluster_needs(docker_lab: DockerLab) -> None:
    assert docker_lab.run("python", "-c", VALIDATES_SECONDS).split()[-1] == "300"


def test_a_driver_on_the_host_uses_the_containers(docker_lab: DockerLab, tmp_path: Path) -> None:
    if sys.version_info[:2] != (3, 11):
        pytest.skip("the driver's Python must be that of the workers, 3.11")
    try:
        done = subprocess.run(
            [ROOT / "docker" / "host-driver.sh", sys.executable, "-c", OVER_TLS],
            cwd=ROOT,
            env={**docker_lab.environment, "GRADER_STATE": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert "passed" in done.stdout, done.stdout + done.stderr
        assert "over TLS: driver" in done.stdout, done.stdout + done.stderr
    finally:
        docker_lab.up()  # the workers with their own volumes again


def test_one_command_brings_the_lab_up_and_ctrl_c_takes_it_down(docker_lab: DockerLab) -> None:
    name = "stateful-streams-test-command"
    environment = {
        **os.environ, **own_ports(), "COMPOSE_PROJECT_NAME": name, "PYTHONUNBUFFERED": "1",
    }  # fmt: skip
    lab = subprocess.Popen(
        [GRADER, "lab", "--docker", "--no-browser"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    watchdog = threading.Timer(900, lab.kill)
    watchdog.start()
    try:
        assert lab.stdout is not None
        url = next(line.split()[1] for line in lab.stdout if line.startswith("JupyterLab"))
        assert docker_lab.get(url)
        lab.terminate()
        assert "notebooks and your progress are kept" in lab.stdout.read()
        assert lab.wait() == 0
        running = ["ps", "--all", "--quiet", "--filter", f"label=com.docker.compose.project={name}"]
        wait_until(lambda: docker(*running) == "", "the containers are gone")
        volumes = docker("volume", "ls", "--quiet").splitlines()
        assert f"{name}_work" in volumes
    finally:
        watchdog.cancel()
        lab.kill()
        Compose(ROOT, environment)("down", "--volumes", "--timeout", "10")


def answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=2).close()
    except OSError:
        return False
    return True
