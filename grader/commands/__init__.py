"""The commands of `grader`, a module for each of those who type them."""
