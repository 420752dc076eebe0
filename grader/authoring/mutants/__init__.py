"""Small changes in a reference solution, made by a program, that a check must detect.

`generate` makes them (no Spark), `play` checks them, `explained` reads what an author says about
those that are right as well.
"""

from grader.authoring.mutants.explanations import Explanation, read_explanations
from grader.authoring.mutants.mutant_generator import Mutant, mutants_of

__all__ = ["Explanation", "Mutant", "mutants_of", "read_explanations"]
