"""What the page on commands takes for granted: a portal that is installed as it should be."""

from tests.docs.project import Project

SETTINGS = """\
INSTALLED_APPS += ["doc_priority"]
DATABASES["default"]["OPTIONS"] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 2,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL",
}
"""


def portal(project: Project) -> None:
    project.append("portal/settings.py", SETTINGS)
    done = project.run("python manage.py migrate")
    assert done.code == 0, done.output
