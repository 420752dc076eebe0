"""The pages of play/ and the whole site, each built once, and a browser for each module of tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.jupyterlab import browser
from page.page_cases import COURSE
from selenium import webdriver
from testkit.site_browser import prefer, screen, served

from grader.site.play_assets import write_play
from grader.site.play_frame import POLICY
from grader.site.site_build import build_site

PROJECT = COURSE.parent


@pytest.fixture(scope="session")
def play(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "play"
    write_play(COURSE, out)
    return out


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx")
    out = tmp_path_factory.mktemp("built") / "site"
    assert build_site(PROJECT, out) == []
    return out


@pytest.fixture(scope="module")
def address(play: Path) -> Iterator[str]:
    with served(play, POLICY) as url:
        yield url


@pytest.fixture(scope="module")
def driver() -> Iterator[webdriver.Chrome]:
    with browser() as found:
        prefer(found, "light")
        screen(found, 1280, 900)
        yield found
