"""What the app promises, put to the test by crowds, faults and large databases."""
