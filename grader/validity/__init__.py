"""Whether a stored result is still valid: one rule for plays, a class's runs, hidden draws and proofs."""
