"""Rows that somebody keeps, and databases that will not: every call is told in time, by name."""
