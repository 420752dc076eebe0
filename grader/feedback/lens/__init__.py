"""The lens: a learner's own run as a picture, and as a player that goes through it step by step."""
