"""One broker for all who hold a lease, none when nobody does."""

import json
import os
import signal
import socket
import tempfile

import psutil
import pytest
from testkit.lab_processes import named, processes_of, start_python, wait_until

from grader.errors import SetupError
from grader.runtime import broker_settings
from grader.runtime.broker import broker_registry, lease_broker, running_broker

HOLDER = """
import sys
from grader.runtime.broker import lease_broker
lease = lease_broker()
print(lease.bootstrap_servers, flush=True)
sys.stdin.readline()
"""


def entry():
    return json.loads(broker_registry().read_text())


def test_two_processes_share_one_broker_and_the_last_one_ends_it(state):
    mine = lease_broker()
    other = start_python(HOLDER)
    assert other.stdout.readline().strip() == mine.bootstrap_servers
    data = entry()["data"]
    mine.close()
    assert named(state, "kafka.Kafka")
    other.communicate("done\n")
    wait_until(lambda: not processes_of(state), "broker and guard end with the last lease")
    assert not os.path.exists(data)
    assert not broker_registry().exists()


def test_two_processes_that_start_at_once_get_the_same_broker(state):
    holders = [start_python(HOLDER) for _ in range(3)]
    addresses = {holder.stdout.readline().strip() for holder in holders}
    assert len(addresses) == 1 and "" not in addresses
    assert len(named(state, "kafka.Kafka")) == 1
    for holder in holders:
        holder.communicate("done\n")


def test_a_killed_holder_leaves_no_broker_behind(state):
    holder = start_python(HOLDER)
    assert holder.stdout.readline()
    data = entry()["data"]
    holder.kill()
    holder.communicate()
    wait_until(lambda: not processes_of(state), "broker and guard end with a killed holder")
    assert not os.path.exists(data)


def test_a_holder_killed_while_the_broker_starts_leaves_none_behind(state):
    holder = start_python(HOLDER)
    wait_until(lambda: named(state, "kafka.Kafka"), "the broker's process is there")
    holder.kill()
    holder.communicate()
    wait_until(lambda: not processes_of(state), "the unfinished broker ends")


def test_a_killed_guard_takes_its_broker_along_and_a_new_one_starts(state):
    first = lease_broker()
    old = entry()
    os.kill(old["pid"], signal.SIGKILL)
    with lease_broker() as second:
        assert second.cluster_id != first.cluster_id
        assert running_broker() == second.bootstrap_servers
        wait_until(lambda: not psutil.pid_exists(old["java_pid"]), "the old broker is gone")
        assert not os.path.exists(old["data"])
    first.close()


def test_a_port_taken_in_between_only_means_another_try(state, monkeypatch):
    own_ports = broker_settings.own_ports
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        taken = iter([[stranger.getsockname()[1], *own_ports(1)]])
        monkeypatch.setattr(
            broker_settings, "own_ports", lambda n: next(taken, None) or own_ports(n)
        )
        with lease_broker() as lease:
            assert not lease.bootstrap_servers.endswith(f":{stranger.getsockname()[1]}")


def test_a_broker_that_does_not_start_shows_the_end_of_its_log(state, monkeypatch):
    monkeypatch.setitem(broker_settings.SMALL, "log.retention.ms", "soon")
    with pytest.raises(SetupError, match=r"Invalid value soon for configuration log.retention.ms"):
        lease_broker()
    wait_until(lambda: not processes_of(state), "no guard is left")


def test_a_lease_is_refused_without_the_token(state):
    with lease_broker():
        with socket.create_connection(("127.0.0.1", entry()["port"]), timeout=10) as stranger:
            stranger.sendall(b"let me in\n")
            assert stranger.recv(100) == b""
        assert oct(broker_registry().stat().st_mode)[-3:] == "600"


def test_an_external_broker_is_used_when_one_is_named(state, monkeypatch):
    monkeypatch.setenv("GRADER_KAFKA", "kafka:9092")
    with lease_broker() as lease:
        assert lease.bootstrap_servers == "kafka:9092"
    assert not processes_of(state)


def test_records_of_any_year_are_accepted_and_kept(state):
    from kafka import KafkaConsumer, KafkaProducer

    with lease_broker() as lease:
        producer = KafkaProducer(bootstrap_servers=lease.bootstrap_servers)
        for year_ms in (0, 4_102_444_800_000):
            producer.send("any-year", b"x", timestamp_ms=year_ms).get(30)
        producer.close()
        consumer = KafkaConsumer(
            "any-year",
            bootstrap_servers=lease.bootstrap_servers,
            auto_offset_reset="earliest",
            consumer_timeout_ms=20_000,
        )
        times = [next(consumer).timestamp, next(consumer).timestamp]
        consumer.close()
    assert times == [0, 4_102_444_800_000]


@pytest.mark.parametrize("name", ["with a space", "ümläut", "a:b=c#d"])
def test_a_folder_for_temporary_files_may_have_any_name(state, tmp_path, monkeypatch, name):
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-agentlib:absent")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with lease_broker() as lease:
        assert running_broker() == lease.bootstrap_servers
        assert str(folder) in entry()["data"]


def test_a_folder_that_kafka_takes_for_two_is_told_with_the_fix(state, tmp_path, monkeypatch):
    folder = tmp_path / "one, two"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with pytest.raises(SetupError, match="Set TMPDIR"):
        lease_broker()
