"""One module per subcommand of `manage.py doc_priority`."""
