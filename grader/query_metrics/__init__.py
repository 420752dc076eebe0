"""Metrics of a query for Prometheus: a server to scrape, a trial of an exposition, a recorded overload."""
