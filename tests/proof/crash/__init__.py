"""Clients, a backend and the whole server are killed amid checks: no count is lost or doubled."""
