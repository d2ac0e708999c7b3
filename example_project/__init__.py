"""An example of a portal that gives its clients' documents a priority."""
