"""Submissions: run by a process that nobody trusts, judged outside of it, kept by nbgrader."""
