"""The built packages, installed where nothing else is: `python -m tests.wheel`."""
