"""Which of several watermarks counts."""

from __future__ import annotations

# the values of the setting WATERMARK_POLICY
POLICIES = {"min": min, "max": max}
