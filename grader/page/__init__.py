"""Exercises in a page: an answer in PySpark is read without Spark, played by the model, and judged.

    from grader.page import check
    check("03.2", code, course).passed

What is not known is one for the lab, and never guessed.
"""

from grader.page.exercise_check import check
from grader.page.page_verdict import PageVerdict

__all__ = ["PageVerdict", "check"]
