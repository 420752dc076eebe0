"""The broker as an exercise's function sees it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExerciseKafka:
    """A broker, and the real names of an exercise's topics by their names in the task."""

    bootstrap_servers: str
    topics: dict[str, str]

    def topic(self, name: str) -> str:
        """The real name of an input or output topic; KeyError names those that there are."""
        if name not in self.topics:
            raise KeyError(f"this exercise has no topic {name!r}; it has {sorted(self.topics)}")
        return self.topics[name]
