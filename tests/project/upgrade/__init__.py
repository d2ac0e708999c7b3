"""Databases as released versions left them: one folder per version, one dump per database.

`python -m tests.project.upgrade 0.1.0` makes the dump of the database that DATABASE_URL names; do
it once on each of them when a version is tagged, and never again for that version.
"""
