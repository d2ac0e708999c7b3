"""Bugs on purpose, which the suite must find; each stands in a line that ends with `# planted`."""
