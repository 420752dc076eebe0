"""Play one exercise folder and print what came of it, for the author at work."""

import sys
from pathlib import Path

from grader.authoring.prove import Bench, expected_of, fingerprints_of, prove
from grader.authoring.source import read_lessons
from grader.judging.verdict import Verdict
from grader.replay.kafka import Kafka
from grader.runtime.broker import lease_broker
from grader.runtime.session import spark_session


def main() -> None:
    folders = [Path(a).resolve() for a in sys.argv[1:]]
    with lease_broker() as broker:
        bench = Bench(spark_session(), Kafka(broker.bootstrap_servers))
        for folder in folders:
            lesson = next(x for x in read_lessons(folder.parents[1]) if x.folder == folder.parent)
            source = next(x for x in lesson.parts if x.folder == folder)
            expected = expected_of(bench, source)
            for name, recording in expected.items():
                print("EXPECTED", name, recording.failure or "")
                for batch in recording.batches:
                    print(
                        f"   step {batch.step} batch {batch.id} in={batch.rows_in} wm={batch.watermark} dropped={batch.dropped} state={batch.state_rows}"
                    )
                    for row in batch.rows:
                        print("      ", row)
            if source.exercise.kind == "example":
                continue
            prints = fingerprints_of(bench, source, expected)
            proof = prove(bench, source, expected, prints)

            def show(name: str, verdict: Verdict) -> None:
                print(
                    f"{name}: {verdict.status} {verdict.score}/{verdict.max_score} diagnosis={verdict.diagnosis and verdict.diagnosis.id} {verdict.seconds} s"
                )
                for c in verdict.criteria:
                    print(
                        "    ",
                        "ok " if c.passed else "NO ",
                        c.name,
                        "|",
                        c.message.replace("\n", "\n          "),
                    )

            assert proof.solution and proof.stub
            show("solution", proof.solution)
            show("stub", proof.stub)
            for k, v in proof.misconceptions.items():
                show("misconception " + k, v)
            for k, v in proof.equivalents.items():
                show("equivalent " + k, v)
            print("FAULTS:" if proof.faults else "NO FAULTS")
            for fault in proof.faults:
                print("  -", fault)


main()
