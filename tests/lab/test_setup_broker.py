"""The broker that the start-up caches are made with, when other programs take ports."""

import socket

import pytest

from grader.errors import SetupError
from grader.lab import setup
from grader.runtime import broker_settings

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


def test_one_that_cannot_start_says_why(taken, monkeypatch):
    monkeypatch.setattr(broker_settings, "own_ports", lambda count: taken[:count])
    # none was started here, and another test's in this process goes on
    monkeypatch.setattr(setup.spark_session, "stop_spark", lambda *seconds: None)
    start_ups = setup.start_ups(setup.find_java())
    with pytest.raises(SetupError, match="Address already in use"):
        setup._make_caches(*start_ups, lambda spark, servers: None, print)
    assert not start_ups[0].cache.with_suffix(".part").exists()
