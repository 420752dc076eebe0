"""What the verbs of a notebook do where it is run for its grades."""

import grader
from grader.sandbox.runner import NOTED_VERB, QUIET_VERBS

# cells go on with what these give
GIVING = {"start", "events", "fresh_checkpoint", "read_topic", "run_once"}


def test_a_verb_is_quiet_unless_cells_need_what_it_does() -> None:
    """A new verb belongs to one or the other: a minute's measurement would be made for each student."""
    assert GIVING | {NOTED_VERB} | set(QUIET_VERBS) == set(grader.__all__)
    assert not (GIVING | {NOTED_VERB}) & set(QUIET_VERBS)
