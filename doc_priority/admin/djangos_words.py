"""What Django's pages around ours say, for the languages in which its own catalogues lack it.

Where Django has a translation, and its app stands before ours, Django's is shown. It has one that
is the English word, too, so ours belongs before it; see docs/how-to/languages.md.
"""

from django.utils.translation import gettext_noop

DJANGOS_WORDS = (
    gettext_noop("Breadcrumbs"),
    gettext_noop("View"),
    gettext_noop("View %s"),
    gettext_noop("Error:"),
    gettext_noop("Run"),
    gettext_noop("Search %(name)s"),
    gettext_noop("Pagination %(name)s"),
    gettext_noop("- Select an option -"),
)
