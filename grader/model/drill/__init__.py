"""Questions on streams that were never seen before: the model answers them, and so do wrong ideas."""

from grader.model.drill.choices import LEVELS, TOPICS, UnknownTopic, make_question, topic_of
from grader.model.drill.question import Choice, Question

__all__ = ["LEVELS", "TOPICS", "Choice", "Question", "UnknownTopic", "make_question", "topic_of"]
