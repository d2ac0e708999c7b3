"""The API's description for people and programs."""
