"""The errors of this room."""


class SetupError(RuntimeError):
    """Something the lab stands on is missing or broken; the message names the mend."""
