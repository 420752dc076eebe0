"""What a notebook shows of an error that says all by itself."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

from grader.capstone.pipeline_process import PipelineError
from grader.errors import SetupError


@pytest.mark.parametrize("error", [SetupError, PipelineError])
def test_a_notebook_shows_the_message_and_no_traceback(
    error: type[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    shell = InteractiveShell(user_ns={"error": error})
    shell.run_cell("def inner():\n    raise error('Free 2 GB of memory.')\n\ninner()")
    assert capsys.readouterr().out.strip() == f"{error.__name__}: Free 2 GB of memory."
