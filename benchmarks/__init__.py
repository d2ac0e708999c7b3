"""What a check costs beside the bare driver, other ways to count, and over HTTP."""
