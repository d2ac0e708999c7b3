"""Many processes with many threads count on few customers and on many: none lost, none twice."""
