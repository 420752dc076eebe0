"""A digest follows imports, holds data files that code reads, and fails on a name that fits no file."""

from pathlib import Path

import pytest

from grader.validity.code_graph import CodeGraph, PatternError

FILES = {
    "front/__init__.py": "",
    "front/door.py": "from grader.front.hall import enter\n",
    "front/hall.py": "import grader.back.garden\n\n\ndef enter():\n    return 1\n",
    "back/__init__.py": "",
    "back/garden.py": 'from pathlib import Path\n\nPLAN = Path(__file__).with_name("plan.toml")\n',
    "back/plan.toml": "beds = 4\n",
    "back/shed.py": "TOOLS = 3\n",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "grader" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "grader"


def digest(package: Path, *roots: str, without: tuple[str, ...] = ()) -> str:
    return CodeGraph(package).digest(roots or ("front/door.py",), without)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("front/hall.py", FILES["front/hall.py"].replace("1", "2")),
        ("back/garden.py", FILES["back/garden.py"] + "WATER = True\n"),
        ("back/plan.toml", "beds = 5\n"),
    ],
)
def test_what_is_imported_or_read_counts_however_far(package: Path, name: str, text: str) -> None:
    before = digest(package)
    (package / name).write_text(text)
    assert digest(package) != before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("back/shed.py", "TOOLS = 4\n"),
        ("front/hall.py", "# the way in\n" + FILES["front/hall.py"]),
        ("back/other.toml", "read by nobody\n"),
    ],
)
def test_what_is_neither_does_not(package: Path, name: str, text: str) -> None:
    before = digest(package)
    (package / name).write_text(text)
    assert digest(package) == before


def test_what_is_left_out_is_not_followed(package: Path) -> None:
    before = digest(package, without=("front/hall.py",))
    (package / "back" / "garden.py").write_text("EMPTY = True\n")
    assert digest(package, without=("front/hall.py",)) == before


def test_a_renamed_module_is_noticed(package: Path) -> None:
    before = digest(package, "front/*.py")
    (package / "front" / "hall.py").rename(package / "front" / "lobby.py")
    assert digest(package, "front/*.py") != before
    with pytest.raises(PatternError, match=r"front/hall\.py fits no file"):
        digest(package, "front/hall.py")
    with pytest.raises(PatternError, match=r"front/hall\.py fits no file"):
        digest(package, without=("front/hall.py",))


def test_code_outside_the_package_counts_with_what_it_imports(package: Path) -> None:
    text = "from grader.back import garden\n"
    assert CodeGraph(package).upstream_digest(["import math\n"]) == ""
    before = CodeGraph(package).upstream_digest([text])
    (package / "back" / "plan.toml").write_text("beds = 5\n")
    assert CodeGraph(package).upstream_digest([text]) != before
