"""What the app promises, put to the test under load, faults and hostile input: `make proof`.

A suite is a folder here. It brings about what its issue is, says what it did and what it found, and
has controls: a planted bug or a naive twin that it must find, for a proof that cannot fail proves
nothing.
"""
