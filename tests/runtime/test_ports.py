"""Ports for servers are free, and none that a system gives to whoever asks for any."""

import socket

import pytest

from grader.errors import SetupError
from grader.runtime import ports


def test_ports_are_free_and_below_those_that_a_system_hands_out() -> None:
    found = ports.own_ports(3)
    with socket.create_server(("127.0.0.1", 0)) as any_free:
        handed_out = any_free.getsockname()[1]
    assert len(set(found)) == 3
    assert all(port in ports.OURS for port in found)
    assert handed_out not in ports.OURS
    for port in found:
        socket.create_server(("127.0.0.1", port)).close()


def test_a_port_that_somebody_listens_on_is_left_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        theirs = stranger.getsockname()[1]
        monkeypatch.setattr(ports, "OURS", range(theirs, theirs + 1))
        with pytest.raises(SetupError, match=f"from {theirs} to {theirs} are free"):
            ports.own_ports(1)
