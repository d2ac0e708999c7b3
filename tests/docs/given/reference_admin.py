"""What the page on the admin takes for granted: a portal with the app in it."""


def portal(project):
    project.append("portal/settings.py", 'INSTALLED_APPS += ["doc_priority", "portal"]')
