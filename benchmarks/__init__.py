"""What a check costs beside the bare driver, the usual way to count, and other apps' counts."""
