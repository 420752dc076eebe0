"""Another program in a broker's place is named: by the doctor, and where the lab starts."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from grader.errors import SetupError
from grader.lab.doctor import examine
from grader.runtime import kafka_probe
from grader.runtime.broker import lease_broker
from grader.runtime.kafka_probe import stranger_at


@contextmanager
def answering(said: bytes | None) -> Iterator[str]:
    """The address of a server that reads once and says this; None: it says nothing, and stays."""

    def serve() -> None:
        client, _ = listener.accept()
        with client:
            client.recv(100)
            if said is None:
                over.wait(60)
            else:
                client.sendall(said)

    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        over.set()
        thread.join()


@pytest.fixture
def web_server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("said", "what"),
    [
        # Kafka's answer: its size, the number of the question, no error
        (b"\0\0\0\x06\0\0\0\x01\0\0", ""),
        (b"\x15\x03\x03\0\x02\x02\x0a", ""),  # an alert of TLS
        (b"", ""),  # hangs up, as Kafka does where it wants TLS
        (b"SSH-2.0-OpenSSH_9.2\r\n", "a program that says 'SSH-2.0-OpenSSH_9.2'"),
        (None, "a program that says nothing for 0.2 s"),
    ],
)
def test_only_what_is_surely_no_kafka_is_a_stranger(said, what, monkeypatch) -> None:
    monkeypatch.setattr(kafka_probe, "SECONDS", 0.2)
    with answering(said) as address:
        assert stranger_at(address) == what


def test_one_that_cannot_be_reached_is_not_judged_nor_one_of_several_that_may_be_kafka() -> None:
    assert (
        stranger_at("127.0.0.1:9")
        == stranger_at("kafka")
        == stranger_at("nowhere.invalid:9092")
        == ""
    )
    with answering(b"no\n") as stranger:
        assert stranger_at(f"{stranger},127.0.0.1:9") == ""


@pytest.mark.slow
def test_the_doctor_and_the_start_of_the_lab_name_it(web_server, monkeypatch) -> None:
    monkeypatch.setattr(kafka_probe, "SECONDS", 0.2)
    monkeypatch.setenv("GRADER_KAFKA", web_server)
    (found,) = [each for each in examine() if each.name == "broker"]
    assert not found.ok and "answers no Kafka broker, but a program that says" in found.found
    assert found.fix.endswith("unset GRADER_KAFKA")
    with pytest.raises(
        SetupError, match=r"answers no Kafka broker, but .*Fix: correct the address"
    ):
        lease_broker()
