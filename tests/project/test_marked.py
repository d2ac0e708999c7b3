"""Whatever code and templates say to people is marked for translation."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.spoken import texts
from tests.project.unmarked import Found, in_code, in_template
from tests.settings import BASE_DIR

CODE = ("doc_priority", "example_project/portal")
TEMPLATES = ("doc_priority/templates", "templates")
FOR_PROGRAMS = (
    "doc_priority/api/",  # problems and the description are English, whoever asks
    "doc_priority/checks.py",
    "doc_priority/contrib/",
    "doc_priority/management/",
    "migrations/",
)
"""What speaks to developers and programs."""

SPOKEN = (
    "doc_priority/admin",
    "doc_priority/explanations.py",
    "doc_priority/models.py",
    "doc_priority/templatetags",
    "example_project/portal",
)
"""What speaks to readers: there every text that looks like words counts, wherever it stands."""

NOT_SPOKEN = {
    "text/csv; charset=utf-8",
    'attachment; filename="customers-',
    '-H "Content-Type: application/json" -d \'{"document": "my-first-document"}\'',
    "Celery on Redis",
    "Django tasks in the database",
}
"""Headers, a command to copy, and what the demo prints for whoever started it."""

ALLOWED = frozenset({"API"})
"""The same in every language."""


def files(folders: tuple[str, ...], ending: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((BASE_DIR / folder).rglob(f"*{ending}"))


def is_for_programs(path: Path) -> bool:
    return any(one in str(path.relative_to(BASE_DIR)) for one in FOR_PROGRAMS)


def told(path: Path, found: Iterator[Found]) -> list[str]:
    place = path.relative_to(BASE_DIR)
    return [f"{place}:{one.line}: {one.text}" for one in found if one.text not in ALLOWED]


def test_code_has_its_texts_translated() -> None:
    paths = [path for path in files(CODE, ".py") if not is_for_programs(path)]
    assert len(paths) > 80
    assert [one for path in paths for one in told(path, in_code(path.read_text("utf-8")))] == []


def test_no_text_of_what_speaks_to_readers_is_left_out() -> None:
    places = [BASE_DIR / one for one in SPOKEN]
    paths = [path for one in places for path in (one.rglob("*.py") if one.is_dir() else [one])]
    found = {
        (str(path.relative_to(BASE_DIR)), one.text)
        for path in paths
        if not is_for_programs(path)
        for one in texts(path.read_text("utf-8"))
    }
    assert sorted(one for one in found if one[1] not in NOT_SPOKEN) == []
    assert {text for _, text in found} >= NOT_SPOKEN, "no longer there"


def test_templates_have_their_texts_translated() -> None:
    paths = list(files(TEMPLATES, ".html"))
    assert len(paths) > 35
    assert [one for path in paths for one in told(path, in_template(path.read_text("utf-8")))] == []


@pytest.mark.parametrize(
    "code",
    [
        'messages.success(request, "Saved.")',
        'messages.error(request, "%d saved." % count)',
        'messages.info(request, f"{name} is saved.")',
        'raise ValidationError("Too long.")',
        'raise forms.ValidationError("Too long.", params={})',
        'raise Http404("Nothing here")',
        'name = models.CharField("name", max_length=9)',
        'name = models.CharField(max_length=9, help_text="One word.")',
        'name = forms.CharField(label="Name")',
        '@admin.display(description="last update")\ndef update(self): ...',
        'update.short_description = "last update"',
        'class Meta:\n    verbose_name = "customer"',
        'context = {"title": "Customers"}',
        'class Kind(models.TextChoices):\n    RESET = "reset", "reset"',
        'form.add_error(None, "Nothing was dropped.")',
        'self.message_user(request, "Done." if done else "Not done.")',
    ],
)
def test_a_text_in_code_is_found(code: str) -> None:
    assert list(in_code(code))


@pytest.mark.parametrize(
    "code",
    [
        '_TEXTS = {CounterBusy: "Try again later."}',
        'return format_html("<p>Hello there, {}</p>", name)',
        'raise ValidationError({"key": "Use another one."})',
        'raise ValidationError(message="Use another one.")',
        'name = forms.CharField(error_messages={"required": "Say a name."})',
        'class Meta:\n    labels = {"name": "Name"}',
        'def lookups(self): return [("a", "All of them")]',
        'kind = forms.ChoiceField(choices=[("a", "All")])',
        'messages.add_message(request, messages.INFO, "It is saved.")',
        'messages.warning(request=r, message="It is saved.")',
        'modeladmin.message_user(request, "It is saved.")',
        'widget = forms.TextInput(attrs={"placeholder": "Your name"})',
        'policy = forms.ModelChoiceField(empty_label="No policy")',
        'return HttpResponse("Nothing here.")',
        'def told(): yield "Nobody moves."',
        'def told(): return f"{count} customers move."',
    ],
)
def test_a_text_is_found_wherever_it_stands(code: str) -> None:
    assert list(texts(code))


@pytest.mark.parametrize(
    "code",
    [
        '"""A module about it."""',
        'class A:\n    """What it is."""\n    b = 1\n    """What b is."""',
        'return _("Nobody moves.") % {"name": "acme"}',
        'raise TypeError("Give a str, please.")',
        'logger.warning("It went wrong: %s", error)',
        'def f(a: "list[int] | None") -> "Some Type": ...',
        'name = "doc_priority/admin/page.html"',
        "html = format_html('<span class=\"dp-note\">{}</span>', text)",
    ],
)
def test_what_is_for_programmers_is_left_alone(code: str) -> None:
    assert list(texts(code)) == []


@pytest.mark.parametrize(
    "code",
    [
        'messages.success(request, _("Saved."))',
        'messages.error(request, ngettext("%d is", "%d are", count) % count)',
        'logger.error("Nothing was dropped for %s", key)',
        'name = models.CharField(_("name"), max_length=9)',
        'client = models.ForeignKey("portal.Client", models.CASCADE)',
        'context = {"title": title, "url": "/somewhere/"}',
        'class Kind(models.TextChoices):\n    RESET = "reset", _("reset")',
        'form.add_error("key", _("Use another one."))',
        'label = "–"',
    ],
)
def test_what_is_translated_is_not_found(code: str) -> None:
    assert list(in_code(code)) == []


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("<p>Saved.</p>", "Saved."),
        ("{% translate 'Saved.' %} now", "now"),
        ('<button aria-label="Close">–</button>', "Close"),
        ('<input type="submit" value="Save">', "Save"),
        ('{{ name|default:"nobody" }}', "nobody"),
        ("{% if a %}yes{% endif %}", "yes"),
        ("{% blocktranslate %}One{% endblocktranslate %} two", "two"),
        ('<td data-label="Place">{{ place }}</td>', "Place"),
        ("<code>x</code> means", "means"),
        ('{% include "a.html" with title="Hello" %}', "Hello"),
        ('{% with label="Name" %}{{ label }}{% endwith %}', "Name"),
        ('{% firstof a "nobody" %}', "nobody"),
        ('{{ name|add:" and more" }}', " and more"),
        ('<optgroup label="Priorities"></optgroup>', "Priorities"),
        ('<button value="Save"></button>', "Save"),
        ('<meta name="description" content="Clients">', "Clients"),
        ('<th abbr="Number"></th>', "Number"),
    ],
)
def test_a_text_in_a_template_is_found(template: str, text: str) -> None:
    assert [one.text for one in in_template(template)] == [text]


@pytest.mark.parametrize(
    "template",
    [
        "{% translate 'Saved.' %}",
        "{% blocktranslate count a=a %}One{% plural %}Many{% endblocktranslate %}",
        '<a class="button quiet" href="/somewhere/">→</a>',
        "<code>manage.py</code> {# a comment #}",
        "{{ name|default:_('nobody') }} · {{ time|date:'Y-m-d' }} – 7",
        '<input type="hidden" value="somewhere">',
        "{% comment %}Left out{% endcomment %}",
        '{% include "portal/_documents.html" with caption=_("Newest first") %}',
        '{% firstof a _("nobody") %}',
        '<meta name="viewport" content="width=device-width">',
    ],
)
def test_what_is_marked_in_a_template_is_not_found(template: str) -> None:
    assert list(in_template(template)) == []
