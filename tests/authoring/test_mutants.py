"""Small changes of a solution: each operator makes them, and the check is held against them."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from testkit.grader_command import run_grader
from testkit.spot_check import commit_id
from testkit.unproved import unproved_mutants

from grader.authoring.answer import SourceError
from grader.authoring.event_edits import Idea, changed, diff_lines, ideas_of
from grader.authoring.event_search import smallest
from grader.authoring.lesson_source import ExerciseSource, read_lessons
from grader.authoring.mutants import read_explanations
from grader.authoring.mutants.answer_cell import Cell, solution_lines
from grader.authoring.mutants.mutant_check import Case, Check, MutantProof, report
from grader.authoring.mutants.mutant_generator import Mutant, answer_cell, mutants_of, sample
from grader.authoring.mutants.syntax_mutations import steps_in
from grader.authoring.play_store import KeptPlays, side_by_side
from grader.authoring.proof import Bench, PackedExpected
from grader.judging.check_pack import FILE_NAME, read_pack
from grader.scenario import Event, Scenario
from grader.validity.digest import digest_of

SAMPLE = Path(__file__).parent / "sample"
PLAYED_ANEW = 8  # mutants, however large the course grows
COLUMNS = {"page": "STRING", "visitor": "STRING", "ms": "INT", "time": "TIMESTAMP"}


def cell_of(body: str, columns: dict[str, str] = COLUMNS) -> Cell:
    lines = "\n".join("    " + line for line in body.splitlines())
    text = (
        "def answer(clicks):\n    ### BEGIN SOLUTION\n"
        + lines
        + "\n    ### END SOLUTION\n    return 7"
    )
    return answer_cell(text, columns, {"clicks": list(columns)})


def changes(body: str, operator: str) -> list[str]:
    return [edit.change for edit in steps_in(cell_of(body)) if edit.operator == operator]


def test_durations_are_halved_doubled_moved_by_a_unit_left_out_and_taken_for_another_unit() -> None:
    assert changes('return clicks.withWatermark("time", "10 seconds")', "duration") == [
        "`10 seconds` → `20 seconds`",
        "`10 seconds` → `11 seconds`",
        "`10 seconds` → `9 seconds`",
        "`10 seconds` → `0 seconds`",
        "`10 seconds` → `5 seconds`",
        "`10 seconds` → `10 milliseconds`",
        "`10 seconds` → `10 minutes`",
    ]
    hour = changes('F.expr("a + INTERVAL 1 HOUR")', "duration")
    assert {"`1 HOUR` → `30 MINUTES`", "`1 HOUR` → `61 MINUTES`", "`1 HOUR` → `2 HOURS`"} <= set(
        hour
    )


@pytest.mark.parametrize(
    ("body", "operator", "wanted"),
    [
        ("n = 30", "number", ["`30` → `60`", "`30` → `15`", "`30` → `31`", "`30` → `29`", "`30` → `0`"]),
        ("n = 0.25", "number", ["`0.25` → `0.5`", "`0.25` → `0.0`"]),
        (
            'return [[{"page": "a"}, {"page": "b"}], [{"page": "c"}]]',
            "event gone",
            [
                """the event `{"page": "a"}` left out""",
                """the event `{"page": "b"}` left out""",
                """the event `{"page": "c"}` left out""",
            ],
        ),
        (
            'return [[{"page": "a"}], [{"page": "b"},], []]',
            "steps as one",
            [
                """the step `[{"page": "a"}]` comes with the next""",
                """the step `[{"page": "b"},]` comes with the next""",
            ],
        ),
        ('return [{"ads": [{"ad": "a"}]}]', "event gone", ["""the event `{"ad": "a"}` left out"""]),
        ("n = 30_000", "number", ["`30_000` → `30`", "`30_000` → `30000000`"]),
        ("a >= b", "comparison", ["`>=` → `>`", "`>=` → `<=`", "`>=` → `==`"]),
        ('F.expr("a >= b AND c <= d")', "comparison", ["`>=` → `>`", "`<=` → `<`"]),
        ("x = (a == 1) & (b > 2)", "logic", ["`&` → `|`"]),
        ("x = a and b", "logic", ["`and` → `or`"]),
        ('F.expr("a = b AND c = d")', "logic", ["`AND` → `OR`"]),
        ("x = (a == 1) & (b > 2)", "conjunct gone", ["`b > 2` gone", "`a == 1` gone"]),
        ("x = a and b", "conjunct gone", ["`a` gone", "`b` gone"]),
        ('F.expr("a = b AND c = d AND e = f")', "conjunct gone", ["`a = b AND` gone", "`AND e = f` gone"]),
        ("x = ~a", "condition turned", ["`~a` → `a`"]),
        ('clicks.where("seen")', "condition turned", ['`"seen"` → `"NOT (seen)"`']),
        ("if a > 1:\n    f()", "condition turned", ["`a > 1` → `not (a > 1)`"]),
        ('F.count("*")', "aggregate", ['`F.count("*")` → `F.count("page")`']),
        ('F.max("ms")', "aggregate", ['`F.max("ms")` → `F.min("ms")`', '`F.max("ms")` → `F.size(F.collect_set("ms"))`']),
        ('F.avg("ms")', "rounding", ['`F.avg("ms")` → `F.floor(F.avg("ms"))`']),
        ('x = F.col("ms") / 1000', "rounding", ['`F.col("ms") / 1000` → `F.round(F.col("ms") / 1000, 1)`']),
        ("x = a * b", "arithmetic", ["`*` → `/`"]),
        ("x = a * b", "operand gone", ["`b` gone", "`a` gone"]),
        ("y = clicks", "distinct", ["`.distinct()` put in after `clicks`"]),
        ("y = clicks", "null left out", ["`.dropna()` put in after `clicks`"]),
        ('a.join(b, "id", "left")', "join kind", ['`"left"` → `"inner"`', '`"left"` → `"left_anti"`']),
        ('a.b().join(c, "id", "left")', "sides", ["`a.b()` and `c` exchanged"]),
        ('q.outputMode("update")', "output mode", ['`"update"` → `"complete"`']),
        ('clicks.withWatermark("time", delay).count()', "call gone", ['`.withWatermark("time", delay)` gone']),
        ('clicks.groupBy("page", "visitor")', "key gone", ['key `"page"` gone', 'key `"visitor"` gone']),
        ('clicks.dropDuplicates(["page"])', "key gone", ['key `"page"` gone']),
        ('clicks.groupBy("page")', "key put in", ['key `"visitor"` put in']),
        ('F.col("page")', "column", ["`page` → `visitor`"]),
        ('F.col("click.page")', "column", ["`page` → `visitor`"]),
        ('s.option("startingOffsets", "earliest")', "setting", ['`"earliest"` → `"latest"`']),
        ('spark.conf.set("p", "10")', "setting", ['`"10"` → `"20"`']),
        ('spark.conf.set("p", "10")', "statement gone", ['`spark.conf.set("p", "10")` gone']),
        ("x = GroupStateTimeout.EventTimeTimeout", "setting", ["`EventTimeTimeout` → `NoTimeout`"]),
        ("state.update((n,))", "kept value", ["`state.update((n,))` only the first time"]),
        ("yield make(n)", "yield", ["`.head(1)` put in after what is yielded"]),
        ('x = b.sort_values("time")', "call gone", ['`.sort_values("time")` gone']),
        ('b.sort_values("time")', "sort", ["sorted the other way round"]),
        ("x = list(chunks)", "piece gone", ["`list(chunks)` → `list(chunks)[:1]`"]),
        ("x = a if b else c", "branch gone", ["`a if b else c` → `a`", "`a if b else c` → `c`"]),
        ('F.timestamp_millis("ms")', "function", ["`timestamp_millis` → `timestamp_seconds`"]),
        ('c.startswith("robot-")', "method", ["`startswith` → `contains`"]),
        ('c.startswith("robot-")', "text", ['`"robot-"` → `"robot"`']),
        ('F.window("time", "1 minute")', "window", ["windows slide by 30 seconds"]),
    ],
)  # fmt: skip
def test_an_operator_makes_its_steps(body: str, operator: str, wanted: list[str]) -> None:
    found = changes(body, operator)
    assert set(wanted) <= set(found), found


def test_every_step_is_one_that_python_reads_and_says_its_line() -> None:
    cell = cell_of('late = "ä"; n = 7\nreturn (\n    clicks.where(F.col("ms") >= 30)\n)')
    (edit,) = [e for e in steps_in(cell) if e.change == "`>=` → `>`"]
    assert edit.line == 5
    assert 'F.col("ms") > 30' in cell.changed(edit)
    (edit,) = [e for e in steps_in(cell) if e.change == "`7` → `14`"]
    assert 'late = "ä"; n = 14' in cell.changed(edit)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ('x = a.b().join(c, "id", "left")', 'x = (c).join(a.b(), "id", "left")'),
        ("x = a.join(\n    c.d(),\n    how,\n)", "x = (c.d()).join(a,\n        how,\n    )"),
    ],
)
def test_the_sides_of_a_join_change_places_and_its_condition_stays(body: str, wanted: str) -> None:
    cell = cell_of(body)
    (edit,) = [e for e in steps_in(cell) if e.operator == "sides"]
    assert wanted in cell.changed(edit)


def test_words_that_are_joined_have_no_sides() -> None:
    assert changes('x = ", ".join(words)', "sides") == []


def test_only_the_lines_between_the_marks_are_changed() -> None:
    cell = cell_of("return clicks.limit(3)")
    assert solution_lines(cell.text) == (3, 3)
    assert {edit.line for edit in steps_in(cell)} == {3}


def test_a_sample_has_all_operators_and_is_the_same_every_time() -> None:
    many = [Mutant(f"{op}-{n}", op, n, f"{op}{n}", "") for op in "abc" for n in range(30)]
    taken = sample(many, 12)
    assert [m.operator for m in taken] == ["a"] * 4 + ["b"] * 4 + ["c"] * 4
    assert taken == sample(many, 12)
    assert sample(many, 90) == many


def sample_mutants(solutions: Path) -> list[Mutant]:
    (lesson,) = read_lessons(solutions)
    return mutants_of(lesson.exercises[0])


def test_steps_that_an_author_has_written_down_are_left_out(tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "sample")
    solutions = tmp_path / "sample" / "solutions"
    before = {mutant.change for mutant in sample_mutants(solutions)}
    assert '`.where("bought")` gone' not in before, "the misconception `everything` says just that"
    assert '`"bought"` → `"NOT (bought)"`' in before
    path = next(solutions.rglob("misconceptions.py"))
    path.write_text(path.read_text().replace('~F.col("bought")', '"NOT (bought)"'))
    assert '`"bought"` → `"NOT (bought)"`' not in {m.change for m in sample_mutants(solutions)}


ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_ids_differ_and_stay() -> None:
    mutants = [
        m for x in read_lessons(ROOT / "solutions") for s in x.exercises for m in mutants_of(s)
    ]
    sources = [s for x in read_lessons(ROOT / "solutions") for s in x.exercises]
    by_exercise = [mutants_of(s) for s in sources]
    assert [m.id for of_one in by_exercise for m in of_one] == [m.id for m in mutants]
    for source, of_one in zip(sources, by_exercise, strict=True):
        assert (
            len({m.id for m in of_one}) == len(of_one) == len({(m.change, m.line) for m in of_one})
        )
        least = {"events": 3, "tests": 0, "results": 1}  # a result may be one line of plain Python
        assert len(of_one) >= least.get(source.exercise.returns, 10)
    assert len(mutants) >= 20 * len(by_exercise)


@pytest.mark.slow
def test_nothing_small_slips_by_in_the_course() -> None:
    """`grader verify --mutants` was run on what lies there now, and left nothing."""
    assert unproved_mutants(read_lessons(ROOT / "solutions")) == []


@pytest.mark.slow
def test_no_mutant_of_a_sample_slips_by_on_the_engine_as_it_is(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another sample at each commit; the parts in the proofs may be of an older engine."""
    lessons = read_lessons(ROOT / "solutions")
    packs = [read_pack(ROOT / "course" / lesson.name / FILE_NAME) for lesson in lessons]
    packed = {id: one for pack in packs for id, one in pack.exercises.items()}
    mutants = [(s, m) for lesson in lessons for s in lesson.exercises for m in mutants_of(s)]
    seed = commit_id(ROOT) or digest_of(m.text for _, m in mutants)
    chosen = sorted(mutants, key=lambda of: digest_of([seed, of[0].exercise.id, of[1].text]))
    plays = KeptPlays(lambda: bench, None)  # none is taken from disk

    def left(given: tuple[ExerciseSource, Mutant]) -> list[str]:
        source, mutant = given
        pack = packed[source.exercise.id]
        check = Check(source, PackedExpected(plays, source, pack), pack.fingerprints)
        outcome = Case.prepare(plays, check).play(mutant)
        explained = read_explanations(source.folder)
        proof = MutantProof(source.exercise.id, [outcome], explained)
        return [f"{proof.id} line {m.line}: {m.change}" for m in proof.survivors]

    found = [m for some in side_by_side(plays, left, chosen[:PLAYED_ANEW]) for m in some]
    with capsys.disabled():
        print(f"\n{PLAYED_ANEW} of {len(mutants)} mutants played anew ({plays.played} plays)")
    assert not found, "\n" + "\n".join(found)


@pytest.mark.slow
def test_a_mutant_that_comes_to_no_end_is_counted_apart(bench: Bench) -> None:
    """On a loaded machine it looks like one that is killed."""
    lesson = read_lessons(ROOT / "solutions")[1]
    source = lesson.exercises[0]
    pack = read_pack(ROOT / "course" / lesson.name / FILE_NAME).exercises[source.exercise.id]
    plays = KeptPlays(lambda: bench, None)
    check = Check(source, PackedExpected(plays, source, pack), pack.fingerprints)
    mutant = mutants_of(source)[0]
    begins = rf"(def {source.exercise.answer}\(.*:\n)"
    endless = replace(
        mutant, text=re.sub(begins, r"\1    while True:\n        pass\n", mutant.text)
    )
    case = Case.prepare(plays, check)
    outcomes = [case.play(endless), case.play(mutant)]
    assert [outcome.ran_out for outcome in outcomes] == [True, False]
    (line,) = report(MutantProof(source.exercise.id, outcomes))
    assert "2 killed, 0 explained; 1 came to no end in time" in line


@pytest.mark.parametrize(
    "text",
    [
        '[[right_as_well]]\nchange = "x"\n',
        '[[right_as_well]]\nchange = "x"\nbecause = " "\n',
        '[[right_as_well]]\nbecause = "so"\n',
        '[[right]]\nchange = "x"\nbecause = "so"\n',
    ],
)
def test_an_explanation_says_what_and_why(tmp_path: Path, text: str) -> None:
    (tmp_path / "mutants.toml").write_text(text)
    with pytest.raises(SourceError, match=r"mutants\.toml"):
        read_explanations(tmp_path)


def test_an_explanation_may_cover_several_changes(tmp_path: Path) -> None:
    assert read_explanations(tmp_path) == []
    entry = '[[right_as_well]]\nchange = ["a", "b"]\nline = 4\nbecause = "so"\n'
    (tmp_path / "mutants.toml").write_text(entry)
    found = read_explanations(tmp_path)
    assert [found[0].fits("a", 4), found[1].fits("b", 4), found[1].fits("b", 5)] == [
        True,
        True,
        False,
    ]


@pytest.mark.slow
def test_what_slips_by_is_reported_and_what_is_explained_counts(project: Path) -> None:
    folder = project / "solutions" / "90_sample" / "90.1_purchases"
    (folder / "mutants.toml").unlink(missing_ok=True)
    assert run_grader("build").code == 0

    ran = run_grader("verify", "--mutants", "90.1", "--json")
    result = json.loads(ran.out)
    assert ran.code == 1
    assert set(result) == {"exercises", "score"}
    (found,) = result["exercises"]
    assert set(found) == {"id", "mutants", "killed", "explained", "survivors"}
    assert found["killed"] + len(found["survivors"]) == found["mutants"]
    assert result["score"] == round(found["killed"] / found["mutants"], 4)
    unseen = {"change": '`.where(F.col("bought").isNotNull())` put in after `clicks`', "line": 4}
    assert unseen in found["survivors"], "a null is not true, so it is right as well"
    # no page comes twice: these events cannot tell, and that is a survivor
    twice = {"change": '`.distinct()` put in after `.select("page")`', "line": 4}
    assert twice in found["survivors"]
    assert "passes: line 4: " + twice["change"] in ran.err

    entry = f"change = '{unseen['change']}'\nbecause = \"Null is not true.\"\n"
    stale = "change = 'nothing of the kind'\nbecause = \"No reason.\"\n"
    (folder / "mutants.toml").write_text("[[right_as_well]]\n" + entry)
    with (folder / "public.jsonl").open("a") as events:
        events.write('{"step": 2, "input": "clicks", "value": {"page": "shoes", "bought": true}}\n')
    assert run_grader("verify", "--mutants", "90.1").code == 2, "course/ is older"
    assert run_grader("build").code == 0
    ran = run_grader("verify", "--mutants", "90.1", "--json")
    (found,) = json.loads(ran.out)["exercises"]
    assert found["explained"] == 1
    assert unseen not in found["survivors"]
    assert twice not in found["survivors"]

    (folder / "mutants.toml").write_text(f"[[right_as_well]]\n{entry}[[right_as_well]]\n{stale}")
    ran = run_grader("verify", "--mutants", "--names", "90.1")
    assert ran.code == 1
    part = json.loads((folder.parent / "proofs.json").read_text())["90.1"]["mutants"]
    assert (part["explained"], part["stale"]) == (1, ["nothing of the kind"])
    assert {
        "change": '`"bought"` → `"NOT (bought)"`',
        "line": 4,
        "diagnosis": "the_others",
    } in part["named"]
    assert "stale explanation" in ran.err
    assert "nothing of the kind" in ran.err
    assert '`"bought"` → `"NOT (bought)"`: failed [the_others]' in ran.out


def event(step: int, second: int, **more: object) -> Event:
    return Event(step, "clicks", {"page": "/", "time": f"2026-03-01T12:00:{second:02d}Z", **more})


def test_ideas_go_to_the_edges_that_the_solution_speaks_of() -> None:
    events = Scenario([event(1, 42), event(2, 59)])
    ideas = ideas_of(events, 'window("time", "30 seconds")')
    added = {json.dumps(i.event.value) for i in ideas if i.adds and i.event and i.event.step == 1}
    for second in (41, 43, 30, 29, 12, 13):
        assert json.dumps(event(1, second).value) in added
    assert '{"page": null, "time": "2026-03-01T12:00:42Z"}' in added
    assert '{"page": "/"}' in added
    assert any(
        i.event and i.event.step == 2 and i.event.value == events.events[0].value for i in ideas
    )
    assert [i.instead for i in ideas if i.event is None] == [0, 1]


def test_changes_keep_their_step_and_are_told_as_lines() -> None:
    events = Scenario([event(1, 1), event(2, 2), event(3, 3)])
    more = Idea("late", event(2, 1), after=1)
    gone = Idea("gone", None, instead=2)
    assert [e.step for e in changed(events, [more, gone]).events] == [1, 2, 2]
    assert changed(events, [gone]).steps == 3
    lines = diff_lines(events, [more, gone])
    assert lines[0].startswith('+ line 3: {"step": 2')
    assert lines[1].startswith('- line 3: {"step": 3')


@pytest.mark.parametrize("needed", [{7}, {3, 12}, {0, 19}])
def test_ideas_are_halved_until_only_the_needed_are_left(needed: set[int]) -> None:
    ideas = [Idea(str(n)) for n in range(20)]
    left = smallest(ideas, lambda some: needed <= {int(idea.what) for idea in some})
    assert {int(idea.what) for idea in left} == needed
