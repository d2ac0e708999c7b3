"""The priority handed to the queue a portal already runs; a package for each engine."""
