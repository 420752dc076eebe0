"""The lab in containers: built and brought up once for these tests, taken down after them."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from docker_lab import ROOT, DockerLab, own_ports

LABS: list[DockerLab] = []  # those that are up


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave these tests out unless they are asked for: they need an engine and many minutes."""
    if "docker" in (config.option.markexpr or "").replace("not docker", ""):
        return
    left_out = [item for item in items if item.get_closest_marker("docker")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.get_closest_marker("docker")]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """The containers end with the last of these tests: their health checks would slow down the others."""
    if nextitem is not None and not nextitem.get_closest_marker("docker"):
        take_down()


def take_down() -> None:
    while LABS:
        LABS.pop().compose("down", "--volumes", "--timeout", "10")


@pytest.fixture(scope="session")
def docker_lab() -> Iterator[DockerLab]:
    """Kafka, a master, two workers and the lab, all healthy; its volumes go with it."""
    environment = {
        **os.environ,
        "COMPOSE_PROJECT_NAME": "stateful-streams-test",
        "JUPYTER_TOKEN": secrets.token_hex(8),
        **own_ports(),
    }
    lab = DockerLab(ROOT, environment)
    if not os.environ.get("DOCKER_TEST_NO_BUILD"):  # while one works on the tests themselves
        lab.build()
    LABS.append(lab)
    try:
        lab.up()
        yield lab
    finally:
        take_down()


@pytest.fixture(scope="session")
def solutions(docker_lab: DockerLab) -> Path:
    """The sources of the course inside the lab container, which the image leaves out."""
    docker_lab.copy_in(ROOT / "solutions", "/opt/stateful-streams/solutions")
    return Path("/opt/stateful-streams")
