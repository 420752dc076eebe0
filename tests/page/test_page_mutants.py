"""Small changes of the solutions, made by a program: in a page none passes either, unless it is explained."""

from __future__ import annotations

import pytest
from page.page_cases import COURSE, offered

from grader.authoring.mutants.explanations import read_explanations
from grader.authoring.mutants.mutant_generator import mutants_of
from grader.page.worker import Worker


@pytest.mark.slow
def test_no_mutant_of_a_solution_passes() -> None:
    """On Spark each of them fails or is explained (the proofs); only the lab may be the page's answer."""
    passed, refused, judged = [], [], 0
    with Worker(COURSE, limit=120) as worker:
        for id, source in offered().items():
            right_as_well = read_explanations(source.folder)
            for mutant in mutants_of(source):
                found = worker.check(id, mutant.text, source.exercise.answer)
                explained = any(one.fits(mutant.change, mutant.line) for one in right_as_well)
                judged += not found.only_lab
                if found.passed and not explained:
                    passed.append(f"{id} line {mutant.line}: {mutant.change}")
                if explained and not found.passed and not found.only_lab:
                    refused.append(f"{id} line {mutant.line}: {mutant.change}")
    print(f"{judged} mutants judged")
    assert not passed
    assert not refused
    assert judged > 700
