"""Sites of several versions in one tree: a reader changes the version and stays on the page; each keeps its own files."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from browser.jupyterlab import browser
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from testkit.site_browser import PHONE, from_other_servers, overflow, screen, serious_faults, served

from grader.errors import SetupError
from grader.site.site_build import build_site
from grader.site.site_versions import LATEST, LIST, add_releases, main, write_list

PROJECT = Path(__file__).parents[2]
LESSON = "course/03_watermarks/03_watermarks.html"
ONLY_LATEST = "docs/glossary.html"


def archive_of(site: Path, version: str, into: Path) -> Path:
    """A release's archive, as `make release` makes it, of the folder `site` of that name."""
    name = into / f"stateful-streams-{version}-site"
    return Path(shutil.make_archive(str(name), "zip", site.parent, site.name))


def small_site(folder: Path, words: str) -> Path:
    site = folder / "site"
    site.mkdir(parents=True)
    (site / "index.html").write_text(words, encoding="utf-8")
    write_list(site, words)
    return site


def versions_in(site: Path) -> dict[str, str]:
    return {one["version"]: one["url"] for one in json.loads((site / LIST).read_text())}


def test_each_site_lists_all_versions_by_relative_addresses(tmp_path: Path) -> None:
    archives = [
        archive_of(small_site(tmp_path / version, version), version, tmp_path)
        for version in ("0.9.0", "0.10.0")
    ]
    tree = small_site(tmp_path / "newest", LATEST)
    assert versions_in(tree) == {LATEST: "./"}
    assert main(str(tree), *map(str, archives)) == 0
    assert (tree / "0.9.0" / "index.html").read_text() == "0.9.0"
    assert list(versions_in(tree).items()) == [
        (LATEST, "./"), ("0.10.0", "0.10.0/"), ("0.9.0", "0.9.0/"),
    ]  # fmt: skip
    for release in ("0.9.0", "0.10.0"):
        assert versions_in(tree / release) == {
            LATEST: "../", "0.10.0": "../0.10.0/", "0.9.0": "../0.9.0/",
        }  # fmt: skip
    assert add_releases(tree, archives) == ["0.10.0", "0.9.0"]  # again: nothing is left over
    assert (tree / "0.9.0" / "index.html").read_text() == "0.9.0"


def test_another_archive_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SetupError, match="is not the site of a release"):
        add_releases(tmp_path, [tmp_path / "stateful-streams-0.2.0-students.zip"])
    assert main(str(tmp_path), "notes.zip") == 1
    assert "notes.zip is not the site of a release" in capsys.readouterr().err


# in the place of GitHub's program: its releases are files in a folder
_GH = """#!/bin/sh
case "$2" in
  list) ls "$RELEASES" ;;
  download) test "$4 $5 $6" = "--pattern *-site.zip --dir" && cp "$RELEASES/$3"/*-site.zip "$7" ;;
esac
"""


@pytest.mark.parametrize("released", [[], ["0.1.0"], ["0.1.0", "0.2.0"]])
def test_the_workflow_of_the_pages_adds_every_release(tmp_path: Path, released: list[str]) -> None:
    workflow = yaml.safe_load((PROJECT / ".github/workflows/pages.yml").read_text())
    (step,) = (
        one for one in workflow["jobs"]["build"]["steps"] if "release" in one.get("name", "")
    )
    site = small_site(tmp_path / "build", LATEST)
    releases, programs = tmp_path / "releases", tmp_path / "programs"
    for version in released:
        (releases / f"v{version}").mkdir(parents=True)
        archive_of(small_site(tmp_path / version, version), version, releases / f"v{version}")
    releases.mkdir(exist_ok=True)
    programs.mkdir()
    (programs / "gh").write_text(_GH)
    (programs / "gh").chmod(0o755)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "RELEASES": str(releases)}
    words = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
    subprocess.run(words, cwd=tmp_path, env=environment, check=True)
    assert list(versions_in(site)) == [LATEST, *reversed(released)]
    assert all((site / version / "index.html").read_text() == version for version in released)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The latest site and the release 0.1.0, which lacks a page; both are built."""
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("versions")
    released, latest = folder / "released" / "site", folder / "pages"
    assert build_site(PROJECT, released, "0.1.0") == []
    (released / ONLY_LATEST).unlink()
    assert build_site(PROJECT, latest, LATEST) == []
    add_releases(latest, [archive_of(released, "0.1.0", folder)])
    return folder


@pytest.fixture(scope="module")
def address(tree: Path) -> Iterator[str]:
    """The tree as GitHub Pages serves a project: in a folder."""
    with served(tree) as url:
        yield f"{url}/pages"


def shown_version(driver: webdriver.Chrome) -> str:
    """The version that the page's list shows, once it is loaded."""
    shown = (
        "return [...document.querySelectorAll('.version-switcher__button')]"
        ".find(one => one.dataset.activeVersion && one.checkVisibility())?.innerText"
    )
    return str(WebDriverWait(driver, 30, 0.05).until(lambda d: d.execute_script(shown))).strip()


def choose(driver: webdriver.Chrome, version: str) -> None:
    button, *_ = driver.find_elements(By.CSS_SELECTOR, ".bd-header .version-switcher__button")
    button.click()
    before = driver.current_url
    driver.find_element(By.CSS_SELECTOR, f".bd-header .show [data-version='{version}']").click()
    WebDriverWait(driver, 30, 0.05).until(lambda d: d.current_url != before)


@pytest.mark.slow
def test_a_reader_changes_the_version_and_stays_on_the_page(
    driver: webdriver.Chrome, address: str
) -> None:
    driver.get(f"{address}/{LESSON}")
    assert shown_version(driver) == LATEST
    assert from_other_servers(driver) == [] and serious_faults(driver) == []
    choose(driver, "0.1.0")
    assert driver.current_url == f"{address}/0.1.0/{LESSON}"
    assert shown_version(driver) == "0.1.0"
    driver.find_element(By.LINK_TEXT, "Look up").click()
    assert driver.current_url == f"{address}/0.1.0/look-up.html"  # links stay in the version
    choose(driver, LATEST)
    assert driver.current_url == f"{address}/look-up.html"


@pytest.mark.slow
def test_where_a_version_lacks_the_page_its_start_page_opens(
    driver: webdriver.Chrome, address: str
) -> None:
    driver.get(f"{address}/{ONLY_LATEST}")
    assert shown_version(driver) == LATEST
    choose(driver, "0.1.0")
    assert driver.current_url == f"{address}/0.1.0/"
    assert "Is this click counted?" in driver.find_element(By.TAG_NAME, "h1").text


@pytest.mark.slow
def test_a_phone_has_the_list_in_its_menu(driver: webdriver.Chrome, address: str) -> None:
    screen(driver, *PHONE)
    try:
        driver.get(f"{address}/{LESSON}")
        driver.find_element(By.CSS_SELECTOR, ".primary-toggle").click()
        assert shown_version(driver) == LATEST
        assert overflow(driver) <= 0
    finally:
        screen(driver, 1280, 900)


_KEPT = "return navigator.serviceWorker.getRegistration().then(found => Boolean(found?.active))"


@pytest.mark.slow
def test_each_version_keeps_its_own_files_in_the_browser(tree: Path) -> None:
    places = ("pages/play", "pages/0.1.0/play")
    with browser() as driver:
        with served(tree) as url:
            for place in places:
                driver.get(f"{url}/{place}/index.html#11.4")
                WebDriverWait(driver, 120, 0.1).until(lambda d: d.execute_script(_KEPT))
        for place in places:  # the server has stopped
            driver.get(f"{url}/{place}/index.html")
            assert "Exercises in this page" in driver.find_element(By.TAG_NAME, "h1").text
        kept = driver.execute_async_script("caches.keys().then(arguments[0])")
        assert [name.split()[2] for name in sorted(kept)] == [
            f"{url}/pages/0.1.0/play/",
            f"{url}/pages/play/",
        ]
