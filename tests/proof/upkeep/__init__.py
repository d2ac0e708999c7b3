"""What keeps the app well for years: tests that notice bugs, in any order, and rules for code."""
