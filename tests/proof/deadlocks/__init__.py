"""Bulk calls that take the same customers in every order: no deadlock reaches the caller."""
