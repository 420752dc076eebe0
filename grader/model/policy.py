"""Which of several watermarks counts."""

from __future__ import annotations

# the setting that says so, and its values
WATERMARK_POLICY = "spark.sql.streaming.multipleWatermarkPolicy"
POLICIES = {"min": min, "max": max}
