"""The real code under a virtual clock, step by step beside a model that shares no code with it."""
