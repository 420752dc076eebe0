"""The placement test: twenty questions over all lessons, then which of them to skip and where to begin."""
