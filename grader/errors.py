"""Errors whose message is complete: they are shown to a person without a traceback."""


class UserFacingError:
    """An error whose message is all there is to say: a notebook shows no traceback, because no line there is at fault."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in a traceback's place."""
        return [f"{type(self).__name__}: {self}"]


class SetupError(UserFacingError, RuntimeError):
    """Something that the lab needs is missing or broken; the message names the fix."""
