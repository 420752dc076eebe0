"""The learner's side: the lab behind a notebook, checks, hints, predictions, progress."""
