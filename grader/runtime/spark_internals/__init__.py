"""Spark's private members: all that this package uses of them, tried on the Sparks in verified_spark.py."""
