"""Our own words where Django puts the name of a policy uninflected into a sentence."""

from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

# By another name, so that what Django says is not collected into our catalogues.
from django.utils.translation import gettext as djangos

from doc_priority.models import Policy
from doc_priority.templatetags.doc_priority_words import reworded


def of_the_policy() -> dict[str, str]:
    """What Django says beside the choice of a policy."""
    name = {"model": Policy._meta.verbose_name}
    return {
        djangos("Change selected %(model)s") % name: _("Change the selected policy"),
        djangos("Add another %(model)s") % name: _("Add another policy"),
        djangos("Delete selected %(model)s") % name: _("Delete the selected policy"),
        djangos("View selected %(model)s") % name: _("View the selected policy"),
    }


class ChoosesAPolicy:
    """A widget with links beside the choice, of whichever theme."""

    def render(self, *args: Any, **kwargs: Any) -> SafeString:
        html: str = super().render(*args, **kwargs)  # type: ignore[misc]  # of the widget
        return reworded(html, of_the_policy())


def choosing_a_policy(widget: type) -> type:
    """The same kind of widget, in our words."""
    return type(widget.__name__, (ChoosesAPolicy, widget), {})
