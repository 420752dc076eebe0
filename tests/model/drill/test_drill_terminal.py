"""`grader drill` as it is typed: without Java, without Spark, to the end or to Ctrl-C."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from model.drill.drill_process import ROOT, start, until

import grader
from grader.model.drill import TOPICS


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def kept(home: Path) -> dict:
    return json.loads((home / "progress.json").read_text())["drill"]


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_is_asked_without_java_and_spark(home: Path, topic: str):
    process = start(home, "drill", topic.replace(" ", "-"), "--count", "2", "--seed", "1")
    said, errors = process.communicate("1\n1\n", timeout=60)
    assert process.returncode == 0, errors
    assert f"── 1 of 2 · {topic} · level 1" in said and f"── 2 of 2 · {topic} · level " in said
    assert said.count("1 to ") == 2 and said.count("✓ ") >= 2
    assert " of 2 right. Kept with your progress" in said
    assert kept(home)[topic]["answered"] == 2


def test_it_asks_again_for_what_is_no_choice_and_stops_at_q(home: Path):
    process = start(home, "drill", "--seed", "1")
    said, _ = process.communicate("7\nwhat\n2\nq\n", timeout=60)
    assert process.returncode == 0
    assert said.count("Type a number from 1 to ") == 2
    assert kept(home)["watermarks"]["answered"] == 1


def test_ctrl_c_keeps_what_was_answered(home: Path):
    process = start(home, "drill", "joins", "--seed", "1")
    assert process.stdin is not None
    for _ in range(2):
        until(process, "q to stop: ")
        process.stdin.write("1\n")
        process.stdin.flush()
    until(process, "q to stop: ")
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert " of 2 right. Kept with your progress" in said and errors == "Stopped.\n"
    assert kept(home)["joins"]["answered"] == 2


def test_a_topic_that_does_not_exist_lists_the_available_topics(home: Path):
    process = start(home, "drill", "windmills")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors == f"grader: there is no topic 'windmills'; there are: {', '.join(TOPICS)}.\n"


def test_the_verb_waits_for_nobody_and_names_the_topics(capsys: pytest.CaptureFixture):
    grader.drill("joins")
    assert (
        capsys.readouterr().out
        == "Questions cannot be answered here. In a terminal: grader drill joins\n"
    )
    grader.drill("windmills")
    assert capsys.readouterr().out.startswith(
        "There is no topic 'windmills'; there are: watermarks,"
    )


def test_the_verb_brings_in_neither_spark_nor_pandas():
    code = (
        "import sys, grader, grader.model.drill.drill, grader.model.drill.drill_terminal;"
        "grader.drill;"
        "sys.exit(','.join({'pyspark', 'pandas', 'numpy', 'kafka'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
