"""A learning platform's zip is collected whatever is in it: who is whose, and one bad archive stops nobody's."""

from __future__ import annotations

import io
import logging
import re
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from testkit.shoes import LESSON, make_course

from grader.classroom.archive_collection import ArchiveExtractor, NotebookCollector

# as docs/teach.md gives it
REGEXP = rf".*/(?P<student_id>[^_/]+)_.*(?P<file_id>{LESSON})"
NOTEBOOK = b"{}"


def packed(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)
    return data.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for name, content in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
    return data.getvalue()


PLAIN = f"{LESSON}.ipynb"
IN_ZIP = packed({PLAIN: NOTEBOOK})
IN_FOLDER = packed({f"{LESSON}/{PLAIN}": NOTEBOOK, f"{LESSON}/__MACOSX/._{PLAIN}": b"junk"})
DAMAGED = IN_ZIP[:40]
# what a platform's zip holds → whose notebooks come of it
CASES = {
    "plain files": ({f"ada_1_{PLAIN}": NOTEBOOK, f"ben_2_{PLAIN}": NOTEBOOK}, {"ada", "ben"}),
    "a zip for each": ({f"ada_1_{LESSON}.zip": IN_ZIP, f"ben_2_{LESSON}.zip": IN_FOLDER}, {"ada", "ben"}),
    "zips by names alone": ({"ada_1.zip": IN_ZIP, "ben_2.ZIP": IN_FOLDER}, {"ada", "ben"}),
    "a tar": ({"ada_1.tar.gz": tarred({PLAIN: NOTEBOOK}), "ben_2.tgz": tarred({f"x/{PLAIN}": NOTEBOOK})}, {"ada", "ben"}),
    "folders": ({f"ada_1/{PLAIN}": NOTEBOOK, f"ben_2/{LESSON}/{PLAIN}": NOTEBOOK}, {"ada", "ben"}),
    "a zip in a folder": ({"Ada L_1_file_/work.zip": IN_FOLDER, f"ben_2/{PLAIN}": NOTEBOOK}, {"Ada L", "ben"}),
    "zips in one folder": ({"all/ada_1.zip": IN_FOLDER, f"all/ben_2_{LESSON}.zip": IN_ZIP}, {"ada", "ben"}),
    "the same name twice": ({"ada_1.zip": packed({PLAIN: NOTEBOOK, f"old/{PLAIN}": NOTEBOOK})}, {"ada"}),
    "a zip beside its notebook": ({f"ada_1_{LESSON}.zip": IN_ZIP, f"ben_2/{PLAIN}": NOTEBOOK}, {"ada", "ben"}),
    "one damaged": ({f"ada_1_{LESSON}.zip": DAMAGED, f"ben_2_{PLAIN}": NOTEBOOK}, {"ben"}),
    "one no archive": ({"ada_1.zip": b"not a zip", "cem_3.gz": b"nor this", f"ben_2_{PLAIN}": NOTEBOOK}, {"ben"}),
    "one empty": ({"ada_1.zip": b"", f"ben_2_{PLAIN}": NOTEBOOK}, {"ben"}),
    "zips in zips": ({"ada_1.zip": packed({"mine.zip": IN_FOLDER}), f"ben_2_{PLAIN}": NOTEBOOK}, {"ada", "ben"}),
    "a Mac's": ({f"ada_1_{PLAIN}": NOTEBOOK, f"__MACOSX/._ada_1_{PLAIN}": b"junk"}, {"ada"}),
    "checkpoints": ({f"ada_1/{PLAIN}": NOTEBOOK, f"ada_1/.ipynb_checkpoints/{LESSON}-checkpoint.ipynb": NOTEBOOK}, {"ada"}),
    "paths that lead out": ({f"ada_1_{PLAIN}": NOTEBOOK, "../../out.ipynb": NOTEBOOK}, {"ada"}),
    "a tar that leads out": ({"ada_1.tgz": tarred({"../out.ipynb": b"", PLAIN: NOTEBOOK})}, {"ada"}),
}  # fmt: skip


def collected(extracted: Path) -> list[str]:
    """The students of the notebooks that were extracted, by nbgrader's way of telling."""
    collector = NotebookCollector()
    collector.named_regexp = REGEXP
    found = [collector.collect(str(path)) for path in sorted(extracted.rglob("*"))]
    return [one["student_id"] for one in found if one]


@pytest.mark.parametrize("name", CASES)
def test_every_notebook_is_its_students(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("traitlets"), "propagate", True)
    files, students = CASES[name]
    archive, extracted = tmp_path / "archive", tmp_path / "extracted"
    archive.mkdir()
    (archive / "platform.zip").write_bytes(packed(files))
    extractor = ArchiveExtractor()
    extractor.extract(str(archive), str(extracted))
    assert sorted(collected(extracted)) == sorted(students)
    bad = [x for x, data in files.items() if re.search(r"zip$|gz$", x) and len(data) < 50]
    for each in bad:
        assert f"{each} is left out" in caplog.text
    assert not list(tmp_path.glob("out.ipynb")) and not list(tmp_path.parent.glob("out.ipynb"))


def test_nbgraders_command_collects_with_them(
    tmp_path: Path, nbgrader: Callable[..., object]
) -> None:
    root = make_course(tmp_path)
    config = root / "nbgrader_config.py"
    regexp = f"c.FileNameCollectorPlugin.named_regexp = r'{REGEXP}'\n"
    config.write_text(f"{config.read_text()}\n{regexp}")
    archive = root / "downloaded" / LESSON / "archive"
    archive.mkdir(parents=True)
    files = {
        f"ada_1_{LESSON}.zip": IN_FOLDER,
        f"ben_2_{LESSON}.zip": DAMAGED,
        f"cem_3_{PLAIN}": NOTEBOOK,
    }
    (archive / "platform.zip").write_bytes(packed(files))
    (archive / "second.zip").write_bytes(DAMAGED)
    nbgrader(root, "zip_collect", LESSON)
    assert {path.name for path in (root / "submitted").iterdir()} == {"ada", "cem"}
    assert (root / "submitted" / "ada" / LESSON / PLAIN).is_file()
