"""The demo as Django sees it: a command, and what fills the portal and keeps it busy."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "example_project.demo"
