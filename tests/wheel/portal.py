"""An empty Django project that has installed the app, and what can be done with it."""

from dataclasses import dataclass
from pathlib import Path

from tests.wheel.environments import Environment
from tests.wheel.programs import run

SETTINGS = """
INSTALLED_APPS.append("doc_priority")
MIDDLEWARE.insert(2, "django.middleware.locale.LocaleMiddleware")
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""


@dataclass(frozen=True)
class Portal:
    environment: Environment
    folder: Path
    sdist: Path
    """For what the wheel does not carry."""

    def add_settings(self, text: str) -> None:
        self._append("settings.py", text)

    def add_urls(self, text: str) -> None:
        self._append("urls.py", text)

    def write(self, module: str, text: str) -> None:
        Path(self.folder, "portal", module).write_text(text, encoding="utf-8")

    def manage(self, *arguments: str, script: str = "") -> str:
        return self.run("manage.py", *arguments, script=script)

    def shell(self, script: str) -> str:
        return self.manage("shell", "--verbosity", "0", script=script)

    def run(self, *arguments: str, script: str = "") -> str:
        python = self.environment.python
        return run(
            python, *arguments, folder=self.folder, environment=self.variables, script=script
        )

    @property
    def variables(self) -> dict[str, str]:
        """Only programs of the environment are found, so no gettext, and no other module."""
        return {"PATH": str(self.environment.programs)}

    def _append(self, module: str, text: str) -> None:
        with Path(self.folder, "portal", module).open("a", encoding="utf-8") as file:
            file.write(text)


def portal(environment: Environment, folder: Path, sdist: Path) -> Portal:
    """What `django-admin startproject` makes, with the app in it and its tables made."""
    folder.mkdir()
    made = Portal(environment, folder, sdist)
    made.run("-m", "django", "startproject", "portal", ".")
    made.add_settings(SETTINGS)
    return made
