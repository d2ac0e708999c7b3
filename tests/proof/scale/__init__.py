"""As many customers as nobody has yet: what grows with them, and what must not."""
