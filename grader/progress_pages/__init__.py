"""What a learner sees of their progress: the page, the advice of a placement test, the certificate."""
