"""The versions of Spark on which its private members were tested, and the error if another version lacks one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from grader.errors import SetupError

VERIFIED = ("4.1.1", "4.2.0")
_ABSENT = ("NoSuchFieldException", "NoSuchMethodException", "ClassNotFoundException")

P = ParamSpec("P")
T = TypeVar("T")


def since(version: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Note from which Spark on a function's private members are as it uses them.

    On a Spark that is not in VERIFIED and lacks one, the function raises SetupError.
    """

    def noted(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def checked(*given: P.args, **named: P.kwargs) -> T:
            try:
                return function(*given, **named)
            except Exception as error:
                from pyspark import __version__ as installed

                if installed in VERIFIED or not _is_absence(error):
                    raise
                raise SetupError(
                    f"Spark {installed} lacks a private member that {function.__name__} uses, there since Spark "
                    f"{version}: {str(error).splitlines()[0]}. This course is verified on {', '.join(VERIFIED)}. "
                    f"Fix: pip install pyspark=={VERIFIED[-1]}"
                ) from error

        return checked

    return noted


def _is_absence(error: Exception) -> bool:
    """Whether an error says that an attribute of Python, or a class, method or field of Java, is not there."""
    from py4j.protocol import Py4JError, Py4JJavaError

    if isinstance(error, Py4JJavaError):
        return error.java_exception.getClass().getSimpleName() in _ABSENT
    if isinstance(error, AttributeError):
        return True
    absent = "does not exist" in str(error) or "JavaPackage" in str(error)
    return isinstance(error, Py4JError | TypeError) and absent
