"""Mixed traffic for a long time: no error, and nothing that grows or slows down."""
