"""`grader drill placement` as it is typed: without Java, without Spark, to the end or to Ctrl-C."""

import json
import re
import signal
from pathlib import Path

import pytest
from model.drill.drill_process import start, until

import grader

PROMPT = "q to stop: "
SECONDS = 120


def type_in(process, *lines: str) -> None:
    for line in lines:
        until(process, PROMPT)
        process.stdin.write(f"{line}\n")
        process.stdin.flush()


def test_twenty_questions_lead_to_the_lesson_to_begin_with(tmp_path: Path):
    process = start(tmp_path, "drill", "placement", "--seed", "4")
    said, errors = process.communicate("nothing\n" + "1\n" * 20, timeout=SECONDS)
    assert process.returncode == 0, errors
    assert re.findall(r"── (\d+) of 20\n", said) == [str(number) for number in range(1, 21)]
    assert said.count("Type a number from 1 to ") == 1
    assert "Your answer fits the idea that " in said and "I do not know\n" in said
    advised = said.split(" of 20 right.\n")[1]
    assert re.search(r"^    (skip|skim|study) +02 Stateful processing +\d of 2$", advised, re.M)
    begin = re.search(r"Begin with (\d\d) .*`grader lab` and open (\S+)\n$", advised)
    assert (
        begin and begin[2].startswith(f"course/{begin[1]}_") and Path(begin[2]).suffix == ".ipynb"
    )
    kept = json.loads((tmp_path / "progress.json").read_text())
    assert len(kept["placement"]["answers"]) == 20 and "drill" not in kept


def test_json_has_standard_output_to_itself(tmp_path: Path):
    process = start(tmp_path, "drill", "placement", "--seed", "4", "--json")
    said, asked = process.communicate("1\n2\nq\n", timeout=SECONDS)
    assert process.returncode == 0 and "── 3 of 20" in asked
    advice = json.loads(said)
    assert (advice["seed"], advice["asked"]) == (4, 2)
    assert [one["lesson"] for one in advice["lessons"]] == [f"{n:02}" for n in range(16)]
    assert advice["lessons"][2] == {
        "lesson": "02", "right": 0, "asked": 0, "what": "not asked", "title": "Stateful processing",
    }  # fmt: skip
    assert Path(advice["begin"]["notebook"]).parts[0] == "course"


def test_ctrl_c_advises_on_what_was_answered_and_keeps_it(tmp_path: Path):
    process = start(tmp_path, "drill", "placement", "--seed", "4", "--json")
    process.stdout, process.stderr = process.stderr, process.stdout  # the questions, the JSON
    type_in(process, "3", "1", "1")
    until(process, PROMPT)
    process.send_signal(signal.SIGINT)
    said, advice = process.communicate(timeout=SECONDS)
    assert process.returncode == 130 and said.endswith("Stopped.\n")
    assert " of 3 right. The test has 20 questions.\n" in said and "not asked 15 Connectors" in said
    assert json.loads(advice)["asked"] == 3
    kept = json.loads((tmp_path / "progress.json").read_text())
    assert [lesson for lesson, _ in kept["placement"]["answers"]] == ["00", "01", "02"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["placement", "--count", "5"], "the placement test has 20 questions. Leave --count out."),
        (["joins", "--json"], "--json is for the advice of `grader drill placement`."),
    ],
)
def test_options_that_do_not_go_together_are_refused(words: list, why: str, tmp_path: Path):
    process = start(tmp_path, "drill", *words)
    _, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, errors) == (2, f"grader: {why}\n")


def test_without_an_answer_there_is_no_advice_and_the_verb_waits_for_nobody(tmp_path, capsys):
    process = start(tmp_path, "drill", "Placement", "--json")
    said, asked = process.communicate("", timeout=SECONDS)
    assert process.returncode == 0 and "No question is answered" in asked
    assert json.loads(said)["begin"] is None
    grader.drill("placement")
    assert capsys.readouterr().out.endswith("In a terminal: grader drill placement\n")
