"""What every exercise must have before it is worth playing; each finding says the fix."""

from __future__ import annotations

from grader.authoring.lesson_source import ExerciseSource, LessonSource, SourceError
from grader.authoring.task_template import lint_task
from grader.judging.wording.hint_figures import check_path, paths_in

MISCONCEPTIONS = 3
EQUIVALENTS = 1
HINTS = 3


def lint(lessons: list[LessonSource]) -> list[str]:
    """All findings; empty if every lesson and exercise is complete."""
    findings: list[str] = []
    seen: dict[str, str] = {}
    for lesson in lessons:
        try:
            for source in lesson.parts:
                if source.exercise.id in seen:
                    findings.append(
                        f"{source.folder}: id {source.exercise.id} is taken by {seen[source.exercise.id]}."
                    )
                seen[source.exercise.id] = str(source.folder)
                if not source.exercise.id.startswith(f"{lesson.id}."):
                    findings.append(
                        f"{source.folder}: the id of an exercise in {lesson.name} starts with {lesson.id}."
                    )
            findings += [f"{lesson.name}: {found}" for found in _lint_pictures(lesson)]
            for source in lesson.exercises:
                findings += [f"{source.folder.name}: {found}" for found in lint_exercise(source)]
        except SourceError as error:
            findings.append(str(error))
    return findings


def _lint_pictures(lesson: LessonSource) -> list[str]:
    """A lesson has a worked example, and shows the picture of its run."""
    examples = [s.exercise.id for s in lesson.parts if s.exercise.kind == "example"]
    if not examples:
        return ["no worked example; write a folder with an exercise.toml of kind example."]
    text = lesson.text.read_text(encoding="utf-8")
    return [
        f"the lesson does not show the worked example's picture: ![in words]({id}.svg)."
        for id in examples
        if f"]({id}.svg)" not in text
    ]


def lint_exercise(source: ExerciseSource) -> list[str]:
    """What one exercise folder lacks."""
    found: list[str] = []
    if len(source.hints) < HINTS:
        found.append(
            f"{len(source.hints)} hints; write {HINTS} or more (nudge, idea, nearly there) as `hints`."
        )
    if len(source.misconceptions) < MISCONCEPTIONS:
        found.append(
            f"{len(source.misconceptions)} misconceptions; write {MISCONCEPTIONS} or more in misconceptions.py."
        )
    if len(source.equivalents) < EQUIVALENTS:
        found.append("no equivalent; write another correct solution in equivalents.py.")
    if not source.discussion:
        found.append("no discussion; write discussion.md, which is shown to those who have passed.")
    for wrong in source.misconceptions:
        if not wrong.title or not wrong.hint:
            found.append(
                f"misconception {wrong.id}: its docstring needs a title, an empty line and a hint."
            )
    if len(source.exercise.judged()) > 1 and not source.exercise.weights:
        found.append(
            "no `weights`; say in exercise.toml what each criterion is worth, half to what the exercise is about."
        )
    for wrong in source.misconceptions:
        found += [f"misconception {wrong.id}: {fault}" for fault in _lint_hint(source, wrong.hint)]
    if source.hidden() is None and source.exercise.has_scenario:
        found.append("no hidden scenario; write hidden(random) in hidden.py.")
    for name, scenario in (("public", source.public), ("hidden", source.hidden())):
        unknown = (scenario.inputs() if scenario else set()) - set(source.exercise.inputs)
        if unknown:
            found.append(f"the {name} scenario feeds {sorted(unknown)}, which is no [inputs.NAME].")
    needs_subject = source.exercise.answer_kind.needs_subject
    needs_subject |= bool(source.exercise.upgrades_after or source.exercise.harness)
    if needs_subject and source.subject is None:
        found.append("what this exercise looks at is missing: write it in subject.py.")
    if source.exercise.answer_kind.called and len(source.public.events) != source.public.steps:
        found.append("a function is called once a step: give each event a step of its own.")
    clock_fits = source.exercise.answer_kind.returns_query
    if source.public.clocks and not (clock_fits and "batching" not in source.exercise.criteria):
        found.append('a `clock` goes with `returns = "stream"`, and without batching.')
    return found + lint_task(source) + _lint_cells(source)


def _lint_hint(source: ExerciseSource, hint: str) -> list[str]:
    """What is wrong with the figures that a hint uses."""
    try:
        for path in paths_in(hint):
            check_path(path, source.exercise, source.public)
    except ValueError as error:
        return [str(error)]
    return []


def _lint_cells(source: ExerciseSource) -> list[str]:
    exercise, lesson = source.exercise, source.lesson
    found = []
    if "### BEGIN SOLUTION" not in lesson.cell(exercise.answer):
        found.append(
            f"the answer cell {exercise.answer} has no ### BEGIN SOLUTION: its stub would pass."
        )
    written = [source.stub, *(v.answer for v in source.misconceptions + source.equivalents)]
    for answer in written:
        try:
            answer.function  # noqa: B018  (defining it must work)
        except SourceError as error:
            found.append(f"{answer.name} does not run: {error}")
    checks = [
        cell
        for cell in lesson.notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == f"check-{exercise.answer}"
    ]
    if len(checks) != 1:
        found.append(
            f"{len(checks)} check cells with grade_id check-{exercise.answer}; one is needed."
        )
        return found
    if checks[0].metadata["nbgrader"].get("points") != exercise.points:
        found.append(
            f"the check cell gives {checks[0].metadata['nbgrader'].get('points')} points, exercise.toml {exercise.points}."
        )
    if f'grader.check("{exercise.id}", {exercise.answer})' not in checks[0].source:
        found.append(f'the check cell must say grader.check("{exercise.id}", {exercise.answer}).')
    return found
