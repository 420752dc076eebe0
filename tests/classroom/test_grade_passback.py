"""Scores on their way to a learning platform: a real HTTP server that holds them to the specification."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from testkit.grade_platform import GradePlatform, running_platform
from testkit.shoes import LESSON, grade, hand_in, make_course

from grader.cli import main

pytest.importorskip("pylti1p3", reason="the extra lti is not installed")

Run = Callable[..., tuple[int, Any]]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ada and Ben have scores, Cem 0 points, Dua's essay waits, Eli handed in nothing, Fay is on no platform."""
    root = make_course(tmp_path_factory.mktemp("class"))
    for name in ("ada", "fay"):
        hand_in(root, name, "right", "right", "right")
    hand_in(root, "ben", "wrong", "wrong", "late")
    hand_in(root, "cem", "wrong", "wrong", "wrong")
    hand_in(root, "dua", "right", "right", "right", essay="Shoes.")
    grade(root)
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        for number, name in enumerate(("ada", "ben", "cem", "dua", "eli"), start=101):
            book.update_or_create_student(name, lms_user_id=str(number))
        for name in ("ada", "ben", "cem", "fay"):
            book.find_grade("essay", LESSON, LESSON, name).manual_score = 0
            book.find_grade("essay", LESSON, LESSON, name).needs_manual_grade = False
        book.db.commit()
    return root


@pytest.fixture
def root(graded: Path, tmp_path: Path) -> Path:
    return shutil.copytree(graded, tmp_path / "class")


@pytest.fixture
def platform(root: Path) -> Iterator[GradePlatform]:
    """A platform on which the course is registered, and all of its students but Fay."""
    with running_platform({"101", "102", "103", "104", "105"}) as running:
        (root / "grading" / "platform.toml").write_text(running.settings())
        yield running


@pytest.fixture
def run(
    root: Path,
    platform: GradePlatform,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """`grader passback --json`: the exit code, and what happened to the lesson."""
    monkeypatch.chdir(root)
    assert main(["passback", "--key", "--json"]) == 0
    platform.public_key = json.loads(capsys.readouterr().out)["pem"]

    def run(*words: str) -> tuple[int, Any]:
        code = main(["passback", "--json", *words])
        told = json.loads(capsys.readouterr().out)
        (lesson,) = told["lessons"] or [None]
        return code, {"problem": told["problem"], **(lesson or {})}

    return run


def posted(platform: GradePlatform) -> int:
    return sum(line.startswith("POST") and line.endswith("/scores") for line in platform.log)


def test_scores_arrive_and_what_is_no_score_does_not(run: Run, platform: GradePlatform) -> None:
    code, told = run()
    assert told["sent"] == ["ada", "ben", "cem"]
    assert (told["no_score"], told["waiting"]) == (["eli"], ["dua"])
    (item,) = platform.items
    assert (item["resourceId"], item["label"], item["scoreMaximum"]) == (LESSON, "91 Shoes", 10)
    shares = {user: platform.share(user) for user in sorted(platform.users)}
    assert shares == {"101": 0.6, "102": 0.1, "103": 0, "104": None, "105": None}
    (problem,) = told["problems"]
    assert problem["student"] == "fay" and "--lms-user-id" in problem["why"]
    assert code == 1, "Fay's score is not there"


def test_a_second_run_sends_nothing_and_a_change_is_sent_alone(
    run: Run, root: Path, platform: GradePlatform
) -> None:
    run()
    assert posted(platform) == 3
    before = dict(platform.scores)
    _, told = run()
    assert (told["sent"], told["unchanged"]) == ([], ["ada", "ben", "cem"])
    assert posted(platform) == 3 and platform.scores == before and len(platform.items) == 1
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        book.find_grade("check-answer_1", LESSON, LESSON, "ben").manual_score = 1
        book.db.commit()
    _, told = run("91")
    assert told["sent"] == ["ben"] and platform.share("102") == 0.2


def test_a_dry_run_changes_nothing(run: Run, platform: GradePlatform) -> None:
    _, told = run("--dry-run")
    assert told["sent"] == ["ada", "ben", "cem"]
    assert not platform.items and not platform.scores


def test_a_student_whom_the_platform_does_not_know_stops_no_other(
    run: Run, platform: GradePlatform
) -> None:
    platform.users.remove("101")
    code, told = run()
    assert code == 1 and told["sent"] == ["ben", "cem"]
    assert "400 Incorrect score received" in told["problems"][-1]["why"]


def test_a_platform_that_fails_in_between_has_the_rest_after_the_next_run(
    run: Run, platform: GradePlatform
) -> None:
    platform.fails_after = 1
    code, told = run()
    assert code == 1 and told["sent"] == ["ada"] and "503" in told["problem"]
    platform.fails_after = None
    _, told = run()
    assert (told["unchanged"], told["sent"]) == (["ada"], ["ben", "cem"])


def test_a_wrong_key_sends_nothing_and_names_the_fix(
    run: Run, root: Path, platform: GradePlatform, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "grading" / "platform.pem").unlink()
    main(["passback", "--key"])
    assert capsys.readouterr().out.startswith("-----BEGIN PUBLIC KEY-----")
    code, told = run()
    assert code == 1 and not platform.scores
    assert "gave no token: 401" in told["problem"] and "passback --key" in told["problem"]


def test_a_platform_that_expects_a_different_audience_gets_it(
    run: Run, root: Path, platform: GradePlatform
) -> None:
    platform.audience = "https://platform.example"
    assert "gave no token" in run()[1]["problem"]
    with open(root / "grading" / "platform.toml", "a") as file:
        file.write(f'audience = "{platform.audience}"\n')
    assert run()[1]["sent"] == ["ada", "ben", "cem"]


def test_one_token_serves_a_run_until_it_expires(run: Run, platform: GradePlatform) -> None:
    run()
    assert platform.log.count("POST /mod/lti/token.php") == 1
    platform.log.clear()
    platform.scores.clear()
    platform.expires_in = 30
    assert run()[1]["sent"] == ["ada", "ben", "cem"]
    requests = [line for line in platform.log if "token.php" not in line]
    assert platform.log.count("POST /mod/lti/token.php") == len(requests)


def test_a_platform_that_cannot_be_reached_is_named(
    run: Run, root: Path, platform: GradePlatform
) -> None:
    file = root / "grading" / "platform.toml"
    file.write_text(file.read_text().replace(platform.address, "http://127.0.0.1:9"))
    code, told = run()
    assert (
        code == 1 and "does not answer at http://127.0.0.1:9/mod/lti/token.php" in told["problem"]
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("client_id = 'x'\ntoken_url = 'https://x'", "check line_items_url"),
        ("client_id = 'x'\ntoken_url = 'http://far.example'\nline_items_url = 'https://x'", "https://"),
        ("client_id = ", "cannot be read"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_named(
    run: Run, root: Path, capsys: pytest.CaptureFixture[str], settings: str, said: str
) -> None:
    (root / "grading" / "platform.toml").write_text(settings)
    assert main(["passback"]) == 2
    assert said in capsys.readouterr().err


def test_two_students_of_one_user_are_both_named(
    run: Run, root: Path, platform: GradePlatform
) -> None:
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        book.update_or_create_student("fay", lms_user_id="102")
    _, told = run()
    assert [one["student"] for one in told["problems"]] == ["ben", "fay"]
    assert platform.share("102") is None


def test_the_private_key_is_closed_to_others_and_stays(run: Run, root: Path) -> None:
    file = root / "grading" / "platform.pem"
    before = file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0
    assert main(["passback", "--key"]) == 0 and file.read_bytes() == before


def test_in_the_terminal_there_is_a_line_a_lesson(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["passback"]) == 1
    first, problem = capsys.readouterr().out.splitlines()
    assert first == (
        f"{LESSON}: 3 sent, 1 without a score, 1 waiting for a grade by hand, 1 not accepted"
    )
    assert problem.startswith("    fay: the user on the platform is unknown. Fix: nbgrader db")
