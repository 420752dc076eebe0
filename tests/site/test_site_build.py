"""The built site: links that lead somewhere, nothing from other servers, a search that finds, pages that a phone shows."""

import random
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from browser.jupyterlab import browser
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from testkit.site_browser import (
    PHONE,
    from_other_servers,
    letter_sizes,
    overflow,
    prefer,
    screen,
    serious_faults,
    served,
)

from grader.errors import SetupError
from grader.feedback.verdict_html import recording_html
from grader.judging.check_pack import find_exercise
from grader.site.link_check import link_faults
from grader.site.page_sources import SECTIONS, to_read, write_sources
from grader.site.play_assets import PLAY_BYTES
from grader.site.repository_address import UNKNOWN, repository_address, with_address
from grader.site.site_build import build_site, doors, faults

PROJECT = Path(__file__).parents[2]


def site_of(folder: Path, **pages: str) -> list[str]:
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return list(link_faults(folder))


def test_links_that_lead_somewhere_are_no_faults(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text(
        '<a href="../one.html#two%20words">', encoding="utf-8"
    )
    assert (
        site_of(
            tmp_path,
            one='<h2 id="two words"></h2><a href="#two%20words"></a><a href="sub/"></a>'
            '<a href="https://spark.apache.org/docs/latest/"></a><img src="data:image/png;base64,">',
        )
        == []
    )


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ('<a href="gone.html">', "gone.html: there is no such page"),
        ('<a href="#gone">', "#gone: there is no such anchor"),
        ('<a href="one.html#gone">', "one.html#gone: there is no such anchor"),
        ('<img src="gone.png">', "gone.png is not there"),
        ('<script src="https://cdn.example/a.js">', "from another server"),
        ('<link rel="stylesheet" href="//fonts.example/a.css">', "from another server"),
    ],
)
def test_each_kind_of_fault_is_named(tmp_path: Path, page: str, fault: str) -> None:
    (found,) = site_of(tmp_path, one=page)
    assert found.startswith("one.html: ") and fault in found


def test_exercises_that_are_too_large_to_load_are_a_fault(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("")
    (tmp_path / "play").mkdir()
    (tmp_path / "play" / "library.zip").write_bytes(random.Random(1).randbytes(PLAY_BYTES))
    (found,) = faults(PROJECT, tmp_path)
    assert found.startswith("play/ has 8,0") and "8,000,000 are allowed" in found


def test_a_page_with_a_path_of_this_machine_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(f"<p>{PROJECT.resolve()}/course</p>", encoding="utf-8")
    assert any("a path of this machine" in fault for fault in faults(PROJECT, tmp_path))


def test_a_landing_page_that_is_too_large_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("x" * 60_001, encoding="utf-8")
    assert any("60,001 bytes" in fault for fault in faults(PROJECT, tmp_path))


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(SetupError, match="holds other files than a site"):
        build_site(PROJECT, tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def test_a_notebook_to_read_has_one_title_and_says_that_it_has_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path))
    cells = [
        nbformat.v4.new_markdown_cell("# 03 · Watermarks"),
        nbformat.v4.new_code_cell("# a comment"),
        nbformat.v4.new_markdown_cell("Next\n\n# Going further"),
    ]
    _, note, code, last = to_read(nbformat.v4.new_notebook(cells=cells), "03_watermarks").cells
    assert "have not run" in note.source and "lesson 03" in note.source
    assert code.source == "# a comment"
    assert last.source == "Next\n\n## Going further"


def test_a_drill_and_an_explorer_of_a_notebook_have_their_pages() -> None:
    cells = [
        nbformat.v4.new_markdown_cell("# 04 · Windows"),
        nbformat.v4.new_code_cell('grader.drill("output modes")'),
        nbformat.v4.new_code_cell('# grader.drill("windows")'),
        nbformat.v4.new_code_cell('grader.explore("04.0")'),
    ]
    found = to_read(nbformat.v4.new_notebook(cells=cells), "04_time_windows").cells
    kinds = ["code", "markdown", "code", "code", "markdown"]
    assert [cell.cell_type for cell in found[2:]] == kinds
    drill, explorer = found[3].source, found[6].source
    assert 'href="../../play/drill.html#output-modes">Drill output modes in a page' in drill
    assert 'href="../../play/explore.html#04.0">Explore 04.0 in a page' in explorer


def test_the_sources_are_the_students_notebooks_and_every_section(tmp_path: Path) -> None:
    write_sources(PROJECT, tmp_path)
    lessons = sorted(tmp_path.glob("course/*/*.ipynb"))
    assert len(lessons) == doors(PROJECT).lessons
    for path in lessons:
        student = nbformat.read(PROJECT / path.relative_to(tmp_path), as_version=4)
        shown = [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
        assert shown == [c.source for c in student.cells if c.cell_type == "code"]
    assert not any("### BEGIN SOLUTION" in path.read_text(encoding="utf-8") for path in lessons)
    table = (tmp_path / "lessons.md").read_text(encoding="utf-8")
    assert table.count("](course/") == len(lessons)
    assert all((tmp_path / f"{section.name}.md").exists() for section in SECTIONS)
    assert "\n    git clone" in (tmp_path / "install.md").read_text(encoding="utf-8")  # still code


def test_a_link_out_of_the_site_leads_to_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx")
    from grader.site.repository_links import address_of

    for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY"):
        monkeypatch.delenv(name, raising=False)
    assert address_of("style.toml", "docs/style.md") == ""
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://git.example")
    monkeypatch.setenv("GITHUB_REPOSITORY", "me/streams")
    monkeypatch.setenv("GITHUB_SHA", "abc")
    at = "https://git.example/me/streams"
    assert address_of("style.toml", "docs/style.md") == f"{at}/blob/abc/docs/style.toml"
    assert address_of("../tests/a.py", "docs/attacks.md") == f"{at}/blob/abc/tests/a.py"
    assert address_of("../../issues/new", "CONTRIBUTING.md") == f"{at}/issues/new"


CLONE = "    git clone <address of this repository> streams\n    make lab\n\nYou need Python.\n"


def test_how_to_clone_leaves_nobody_without_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    unknown = with_address(CLONE)
    assert (
        "    make lab\n\nThese pages were built without the address" in unknown
        and "a ZIP file" in unknown
    )
    assert unknown.endswith("\n\nYou need Python.\n")
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://git.example")
    monkeypatch.setenv("GITHUB_REPOSITORY", "me/streams")
    assert with_address(CLONE) == CLONE.replace(
        "<address of this repository>", "https://git.example/me/streams"
    )
    assert with_address("# Text\n") == "# Text\n"


def test_every_page_that_says_how_to_clone_gets_the_address(tmp_path: Path) -> None:
    write_sources(PROJECT, tmp_path)
    for name in ("install.md", "CONTRIBUTING.md"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text.count("git clone") == 1
        assert (UNKNOWN in text) != bool(repository_address())


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with served(site) as url:
        yield url


@pytest.mark.slow
def test_the_site_has_no_fault(site: Path) -> None:
    assert list(faults(PROJECT, site)) == []
    assert len(list(site.glob("course/*/*.html"))) == doors(PROJECT).lessons


@pytest.mark.slow
def test_a_reader_finds_reads_and_keeps_the_dark(address: str) -> None:
    with browser() as driver:
        prefer(driver, "light")
        screen(driver, 1280, 900)
        driver.get(f"{address}/index.html")
        driver.find_element(By.ID, "theme").click()
        driver.find_element(By.LINK_TEXT, "Read").click()
        wait = WebDriverWait(driver, 60)
        theme = "return document.documentElement.dataset.theme"
        wait.until(lambda d: d.execute_script(theme) == "dark")
        driver.find_element(By.PARTIAL_LINK_TEXT, "03 · Watermarks").click()
        assert (
            "This is the notebook of lesson 03" in driver.find_element(By.CLASS_NAME, "note").text
        )
        driver.get(f"{address}/search.html?q=watermark")
        wait.until(lambda d: d.find_elements(By.PARTIAL_LINK_TEXT, "03 · Watermarks"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "lesson", "entry"),
    [
        ("watermark delay", "03_watermarks", "delay"),
        ("late data", "03_watermarks", "late-record"),
        ("emit", "04_time_windows", "emit"),
        ("idempotent", "01_stateless", "idempotent-sink"),
    ],
)
def test_the_search_lists_the_lesson_and_the_glossary_first(
    address: str, words: str, lesson: str, entry: str
) -> None:
    found = "return [...document.querySelectorAll('#search-results li > a')].map(one => one.getAttribute('href'))"
    ended = "return document.querySelector('.search-summary')?.textContent.includes('finished')"
    with browser() as driver:
        driver.get(f"{address}/search.html?q={words.replace(' ', '+')}")
        WebDriverWait(driver, 60).until(lambda d: d.execute_script(ended))
        first, second, *_ = driver.execute_script(found)
    assert first.startswith(f"course/{lesson}/{lesson}.html#")
    assert second == f"docs/glossary.html#{entry}"


@pytest.mark.slow
def test_a_run_among_the_outputs_follows_the_theme(address: str) -> None:
    look = (
        "const run = document.querySelector('.ss-narrow .ss-lens'), output = run.closest('.text_html');"
        "return [getComputedStyle(run).fill, getComputedStyle(output).backgroundColor]"
    )
    put = "document.querySelector('.bd-article').insertAdjacentHTML('beforeend', arguments[0])"
    (folder,) = (PROJECT / "course").glob("03_*")
    packed = find_exercise("03.0", folder)
    run = recording_html(packed.expected["as_is"], packed)
    with browser() as driver:
        screen(driver, *PHONE)
        driver.get(f"{address}/course/03_watermarks/03_watermarks.html")
        driver.execute_script(put, f'<div class="cell_output"><div class="output text_html">{run}')
        for theme, ink in (("light", "rgb(34, 34, 34)"), ("dark", "rgb(221, 221, 221)")):
            driver.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
            assert driver.execute_script(look) == [ink, "rgba(0, 0, 0, 0)"]
        assert min(letter_sizes(driver)) >= 11 and overflow(driver) <= 0


@pytest.mark.slow
def test_a_phone_shows_the_pages(address: str) -> None:
    pages = [
        "lessons",
        "course/03_watermarks/03_watermarks",
        "docs/glossary",
        "docs/cheat-sheets",
        "install",
    ]
    with browser() as driver:
        screen(driver, *PHONE)
        for page in pages:
            driver.get(f"{address}/{page}.html")
            assert overflow(driver) <= 0, page
            assert from_other_servers(driver) == [], page
            assert serious_faults(driver) == [], page
