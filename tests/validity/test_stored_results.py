"""Each kind of change makes invalid what runs through it, and nothing else: on a copy of the real package."""

import ast
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.runtime.paths import PACKAGE
from grader.validity.code_graph import CodeGraph
from grader.validity.stored_results import ALL, WORDS, StoredResult

OF_STREAMS = {"play of a stream", "play with tables"}
PLAYS = {*OF_STREAMS, "play of calls"}
JUDGED = {"hidden draw", "proof"}
EVERYTHING = {*PLAYS, *JUDGED, "run of a submission"}
# one module of each package, and the results that run through it
THROUGH = {
    "scenario/events.py": EVERYTHING,
    "runtime/broker.py": EVERYTHING - {"play of calls"},
    "runtime/spark_session.py": EVERYTHING,
    "replay/kafka.py": EVERYTHING - {"play of calls"},
    "replay/answer_sink.py": EVERYTHING - {"play of calls"},
    "replay/called_kinds.py": EVERYTHING - OF_STREAMS,
    "replay/delta_log.py": EVERYTHING - {"play of a stream", "play of calls"},
    "judging/criteria.py": JUDGED,
    "judging/rows.py": JUDGED,
    "feedback/verdict_html.py": set(),
    "feedback/lens/scene.py": set(),
    "lab/setup.py": set(),
    "learner/hints.py": set(),
    "learner/lesson_query.py": {"run of a submission"},
    "model/run.py": set(),
    "model/drill/question.py": set(),
    "model/explorer/board.py": set(),
    "page/exercise_check.py": set(),
    "progress_pages/certificate.py": set(),
    "live_query/observer.py": set(),
    "authoring/proof.py": JUDGED,
    "authoring/answer.py": JUDGED | PLAYS,
    "authoring/mutants/mutant_generator.py": set(),
    "authoring/exercise_lint.py": set(),
    "sandbox/syscall_filter.py": {"run of a submission"},
    "sandbox/confinement.py": {"run of a submission"},
    "sandbox/runner.py": {"run of a submission"},
    "classroom/hidden_scenarios.py": {"hidden draw"},
    "classroom/class_grading.py": set(),
    "connectors/kinesis.py": set(),
    "capstone/load_run.py": set(),
    "latency/measurement.py": set(),
    "query_metrics/exposition_trial.py": set(),
    "state_growth/growth_measurement.py": set(),
    "site/landing_page.py": set(),
    "validity/code_graph.py": set(),
    "commands/teacher.py": set(),
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("copy") / "grader"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture(scope="module")
def before(package: Path) -> dict[str, str]:
    return digests(package)


def digests(package: Path) -> dict[str, str]:
    graph = CodeGraph(package)
    return {result.name: result.code(graph) for result in ALL}


def invalid_after(
    package: Path, before: dict[str, str], name: str, change: Callable[[str], str]
) -> set[str]:
    """The results that a change of one file makes invalid; the file is as before afterwards."""
    path = package / name
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(change(text), encoding="utf-8")
        return {kind for kind, digest in digests(package).items() if digest != before[kind]}
    finally:
        path.write_text(text, encoding="utf-8")


def test_every_package_has_a_module_here() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {name.split("/")[0] for name in THROUGH} == packages


@pytest.mark.parametrize("name", THROUGH)
def test_a_statement_makes_invalid_what_runs_through_it(
    package: Path, before: dict[str, str], name: str
) -> None:
    found = invalid_after(package, before, name, lambda text: text + "\nANOTHER_STATEMENT = 1\n")
    assert found == THROUGH[name]


@pytest.mark.parametrize("name", THROUGH)
def test_a_comment_a_docstring_and_a_blank_line_make_nothing_invalid(
    package: Path, before: dict[str, str], name: str
) -> None:
    def reworded(text: str) -> str:
        (first, *_) = ast.parse(text).body
        said = ast.get_docstring(ast.parse(text))
        assert said is not None and first.lineno == 1
        return text.replace(said.splitlines()[0], "Other words.", 1) + "\n\n# a comment\n"

    assert invalid_after(package, before, name, reworded) == set()


def test_no_words_are_part_of_a_result(package: Path, before: dict[str, str]) -> None:
    words = [path.relative_to(package).as_posix() for path in CodeGraph(package).files(WORDS)]
    assert words
    for name in words:
        assert (
            invalid_after(package, before, name, lambda text: text + "\nMORE = 'words'\n") == set()
        )


@pytest.mark.parametrize("result", ALL, ids=lambda result: result.name)
def test_a_result_names_no_file_that_is_gone(package: Path, result: StoredResult) -> None:
    graph = CodeGraph(package)
    for pattern in (*result.roots, *result.without):
        assert graph.files([pattern])


def test_each_data_file_of_the_package_belongs_to_a_module() -> None:
    graph = CodeGraph()
    named = {data for module in PACKAGE.rglob("*.py") for data in graph.data_of(module)}
    parts = {part for path in named for part in (path, *path.rglob("*"))}
    data = [p for p in PACKAGE.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    left = [
        p.relative_to(PACKAGE) for p in data if p.suffix not in (".py", ".pyc") and p not in parts
    ]
    assert left == []
