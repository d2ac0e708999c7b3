"""The network cuts around COMMIT, before it and after it: who repeats a document counts it once."""
