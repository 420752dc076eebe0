"""Running what strangers hand in: a sandbox, the runner inside it, and the supervisor outside."""
