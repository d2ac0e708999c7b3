"""The services over HTTP: include `doc_priority.api.urls` in the portal's addresses."""
