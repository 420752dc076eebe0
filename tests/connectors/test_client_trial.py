"""The trial of a client's settings: what it says of each server, and that an impostor hears who speaks."""

import socket
import ssl
from pathlib import Path
from typing import Any

import pytest

from grader.authoring.proof import Bench
from grader.connectors.certificates import LOOPBACK, make_authority
from grader.connectors.client_trial import at_a_server
from grader.connectors.impostor_server import Impostor

HEARD_SECONDS = 30


def right(servers: str, authority: str, own: str | None) -> dict[str, Any]:
    options = {
        "kafka.bootstrap.servers": servers,
        "kafka.security.protocol": "SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": authority,
    }
    if own is not None:
        options |= {"kafka.ssl.keystore.type": "PEM", "kafka.ssl.keystore.location": own}
    return options


def careless(servers: str, authority: str, own: str | None) -> dict[str, Any]:
    unchecked = {"kafka.ssl.endpoint.identification.algorithm": ""}
    return right(servers, authority, own) | unchecked


def in_the_open(servers: str, authority: str, own: str | None) -> dict[str, Any]:
    return {"kafka.bootstrap.servers": servers}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "server", "own", "outcome"),
    [
        (right, "ours", False, "gets in"),
        (right, "mutual", True, "gets in"),
        (right, "mutual", False, "is not let in"),
        (right, "impostor", False, "does not trust it"),
        (right, "other name", False, "not the name in its certificate"),
        (careless, "other name", False, "speaks to it"),
        (careless, "impostor", False, "does not trust it"),
        (in_the_open, "ours", False, "no answer"),
        (in_the_open, "impostor", False, "speaks to it in plain text"),
    ],
)
def test_each_server_tells_right_settings_from_wrong_ones(
    bench: Bench, settings: Any, server: str, own: bool, outcome: str
) -> None:
    assert at_a_server(settings, server=server, own=own) == outcome


@pytest.mark.slow
def test_settings_that_make_no_client_say_why_without_a_path(bench: Bench) -> None:
    def of_a_file_that_is_not_there(*given: Any) -> dict[str, Any]:
        return right(*given) | {"kafka.ssl.truststore.location": "/no/such/ca.pem"}

    said = at_a_server(of_a_file_that_is_not_there, server="ours")
    assert said == "no client: NoSuchFileException: ca.pem"


@pytest.mark.slow
@pytest.mark.parametrize("server", ["ours", "impostor"])
def test_what_is_no_options_is_said(bench: Bench, server: str) -> None:
    def secured(*given: Any) -> Any:
        return None

    with pytest.raises(TypeError, match="secured returned None: give the options as a dict"):
        at_a_server(secured, server=server)


def impostor_in(folder: Path) -> tuple[Impostor, Path]:
    authority = make_authority(folder / "ca.pem")
    return Impostor(
        authority.sign(folder / "server.pem", "server", LOOPBACK)
    ), authority.certificate


def test_an_impostor_hears_plain_text(tmp_path: Path) -> None:
    with (
        impostor_in(tmp_path)[0] as impostor,
        socket.create_connection(("127.0.0.1", impostor.port)) as client,
    ):
        client.sendall(b"hello")
        assert impostor.contacted.wait(HEARD_SECONDS)
        assert impostor.in_plain_text


def test_an_impostor_hears_who_takes_its_certificate_and_speaks(tmp_path: Path) -> None:
    made, authority = impostor_in(tmp_path)
    context = ssl.create_default_context(cafile=authority)
    with made as impostor:
        plain = socket.create_connection(("127.0.0.1", impostor.port))
        with context.wrap_socket(plain, server_hostname="localhost") as client:
            client.sendall(b"hello")
            assert impostor.contacted.wait(HEARD_SECONDS)
        assert not impostor.in_plain_text


def test_an_impostor_hears_nothing_of_who_does_not_trust_it(tmp_path: Path) -> None:
    with impostor_in(tmp_path)[0] as impostor:
        plain = socket.create_connection(("127.0.0.1", impostor.port))
        with pytest.raises(ssl.SSLCertVerificationError):
            ssl.create_default_context().wrap_socket(plain, server_hostname="localhost")
        plain.close()
        # it serves one client after the other: when it hears this one, the other is over
        with socket.create_connection(("127.0.0.1", impostor.port)) as next_one:
            next_one.sendall(b"next")
            assert impostor.contacted.wait(HEARD_SECONDS)
        assert impostor.in_plain_text
