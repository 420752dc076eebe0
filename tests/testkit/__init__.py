"""What several tests and benchmarks need: random queries, a made-up class, the capstone as a program."""
