"""The learner's side: the lab of a notebook, checks, hints, predictions, progress."""
