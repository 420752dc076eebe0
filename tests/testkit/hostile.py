"""A stand-in for the runner that does what a hostile notebook could make of one.

Runs without Spark. The source of each cell says what to do when its turn comes.
"""

import json
import os
import sys
import time
from pathlib import Path

folder = Path(sys.argv[1])
json.loads(sys.stdin.readline())  # the job is there
job = json.loads((folder / "JOB.json").read_text())


def notify(event, **more):
    with open(folder / "events.jsonl", "a") as file:
        file.write(json.dumps({"event": event, **more}) + "\n")


def record(task, text):
    with open(folder / "recordings" / f"{job['tasks'].index(task)}.jsonl", "a") as file:
        file.write(text + "\n")


def recording(task, order, pages):
    rows = [{"page": page} for page in pages]
    batch = {
        "id": 0, "step": 1, "rows_in": 2, "watermark": None, "rows": rows, "operators": [],
        "rerun": False, "seconds": 0.1,
    }  # fmt: skip
    return json.dumps(
        {
            "exercise": task["exercise"]["id"], "variant": order["variant"], "steps": 1,
            "schema": [{"name": "page", "type": "string"}], "batches": [batch], "failure": None,
            "checkpoint": {}, "conf": {}, "plans": [], "seconds": 0.1, "version": 1,
        }
    )  # fmt: skip


def play(task, how):
    notify("exercise", exercise=task["exercise"]["id"], found=True)
    while True:
        order = json.loads(sys.stdin.readline())
        if order["order"] == "next":
            return
        if how == "hang in play":
            time.sleep(60)
        if how == "exit in play":
            os._exit(7)
        if how == "lose the lab in play":
            notify("lab_lost", message="the lab's Kafka has ended")
            time.sleep(60)
        if how == "garbage":
            record(task, "not JSON")
        elif how == "wrong":
            record(task, recording(task, order, ["home"]))
        elif how == "fail on unseen" and "hats" in json.dumps(order):
            failure = {"kind": "udf", "message": "ValueError: hats", "detail": "hats"}
            data = json.loads(recording(task, order, []))
            record(task, json.dumps({**data, "failure": failure}))
        elif how.startswith("give"):
            steps = 3 if how == "give events" else 10**9
            given = [
                {"step": n, "input": "clicks", "value": {"page": "home"}} for n in (1, 2, steps)
            ]
            data = json.loads(recording(task, order, ["home"]))
            data["batches"] = [{**data["batches"][0], "step": n} for n in (1, 2, 3)]
            record(task, json.dumps({**data, "given": given}))
        elif how == "late":
            record(task, recording(task, order, ["shoes"]).replace('"step": 1', '"step": 2'))
        else:
            record(task, recording(task, order, ["shoes"]))
        notify("recorded", exercise=task["exercise"]["id"])


notify("ready")
tasks = {task["at"]: task for task in job["tasks"]}
sources = {cell["index"]: cell["source"] for cell in job["cells"]}
last = ""
for index in sorted({*tasks, *sources}):
    source = sources.get(index, "")
    if index in sources:
        last = source
        notify("cell", cell=index)
        if source == "hang":
            time.sleep(60)
        if source == "exit":
            os._exit(7)
        if source == "invent cells":
            notify("cell", cell=int(time.time() * 1000))
            os._exit(7)
        if source.startswith("predict "):
            notify("predicted", **json.loads(source.removeprefix("predict ")))
        how = "error" if source == "error" else "ok"
        half = {"output_type": "stream", "name": "stdout", "text": "\ud83d"}
        shown = [half] if source == "half a sign" else []
        notify("cell_ended", cell=index, how=how, message=source, count=1, outputs=shown)
        if source == "lose the lab":
            notify("lab_lost", message="the lab's Kafka has ended")
            time.sleep(60)
    if index in tasks:
        play(tasks[index], last)
notify("done")
