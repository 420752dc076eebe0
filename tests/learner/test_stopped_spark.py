"""Many a tutorial ends with spark.stop(); the notebook's next cell has to find a lab all the same."""

import subprocess
import sys

import pytest

CODE = """
import grader
spark, kafka = grader.start()
spark.stop()
spark, kafka = grader.start()
clicks, out = kafka.create_topic("clicks-of-test"), kafka.create_topic("out-of-test")
kafka.send(clicks, [{"page": "home"}])
grader.run_once(grader.read_topic(clicks, "page STRING"), out, grader.fresh_checkpoint())
print("came out:", kafka.read(out))
"""


@pytest.mark.slow
def test_a_lab_whose_spark_was_stopped_starts_another() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "came out: [{'page': 'home'}]" in done.stdout.replace('"', "'"), done.stdout
