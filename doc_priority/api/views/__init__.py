"""The addresses: each translates a request into a service or a query, and back."""
