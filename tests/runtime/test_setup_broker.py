"""The broker that the start-up caches are made with, when other programs take ports."""

import socket

import pytest

from grader.errors import SetupError
from grader.runtime import broker, setup

pytestmark = pytest.mark.slow


@pytest.fixture
def taken(tmp_path, monkeypatch):
    """Two ports that another program listens on."""
    monkeypatch.setenv("GRADER_STATE", str(tmp_path))
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        yield [one.getsockname()[1], two.getsockname()[1]]


def test_it_starts_although_a_port_was_taken_a_moment_after_it_was_chosen(taken, monkeypatch):
    monkeypatch.setattr(broker, "free_ports", lambda count: taken[:count])
    with setup._own_broker([]) as servers:
        assert int(servers.rpartition(":")[2]) not in taken


def test_one_that_cannot_start_says_why(taken, monkeypatch):
    monkeypatch.setattr(setup, "own_ports", lambda count: taken[:count])
    # none was started here, and another test's in this process goes on
    monkeypatch.setattr(setup.session, "stop_spark", lambda *seconds: None)
    start_ups = setup.start_ups(setup.find_java())
    with pytest.raises(SetupError, match="Address already in use"):
        setup._make_caches(*start_ups, lambda spark, servers: None, print)
    assert not start_ups[0].cache.with_suffix(".part").exists()
