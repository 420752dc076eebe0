"""Settings files in the form that Java's programs read, Kafka's clients and Spark among them."""

from pathlib import Path

import javaproperties

from grader.errors import SetupError


def read_properties(variable: str, path: str) -> dict[str, str]:
    """The settings in a file that an environment variable names. Raises SetupError with the fix."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        settings = javaproperties.loads(text)
    except OSError as error:
        raise SetupError(
            f"{variable}={path} cannot be read ({error.strerror}). Correct the path or unset it."
        ) from error
    except ValueError as error:
        raise SetupError(f"{variable}={path} is not a Java properties file: {error}.") from error
    return {name: value.strip() for name, value in settings.items()}
