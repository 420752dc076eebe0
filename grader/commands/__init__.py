"""The commands of `grader`, one module for each group of users."""
