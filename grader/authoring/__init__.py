"""From one folder per lesson to what students get, and the proof that its checks are right."""
