"""A stand-in for PySpark: it records what an answer calls, as a query of the model."""
