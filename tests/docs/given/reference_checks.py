"""What the page on system checks takes for granted: a portal with doc_priority."""

from tests.docs.project import Project

SETTINGS = """\
INSTALLED_APPS += ["doc_priority"]
DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE"}
"""


def portal(project: Project) -> None:
    project.append("portal/settings.py", SETTINGS)
