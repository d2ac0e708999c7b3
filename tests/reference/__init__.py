"""The pages of docs/reference, as far as the code says what stands there."""
