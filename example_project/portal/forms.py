"""The forms of the portal."""

from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from example_project.portal.models import Client
from example_project.portal.services import File

if TYPE_CHECKING:
    BaseClientForm = forms.ModelForm[Client]
else:
    BaseClientForm = forms.ModelForm

MAX_DOCUMENTS = 1000
NAME_LENGTH = 200


class ClientForm(BaseClientForm):
    """A new client."""

    class Meta:
        model = Client
        fields = ("name", "key")


class RenameForm(BaseClientForm):
    """Another name for a client."""

    class Meta:
        model = Client
        fields = ("name",)


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[bytes]]":
        return [super(FilesField, self).clean(file, initial) for file in data or []]


class DropForm(forms.Form):
    """Documents to drop: so many, or by their names, or as files of which only the names are kept.

    The token is made with the page: the same form sent twice names the same documents.
    """

    number = forms.IntegerField(
        label=gettext_lazy("How many"),
        help_text=gettext_lazy("The portal makes up their names."),
        required=False,
        min_value=1,
        max_value=MAX_DOCUMENTS,
    )
    names = forms.CharField(
        label=gettext_lazy("Or their names"),
        help_text=gettext_lazy("One on each line."),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    uploads = FilesField(
        label=gettext_lazy("Or files"),
        help_text=gettext_lazy("Only their names are kept."),
        required=False,
        max_length=NAME_LENGTH,
        allow_empty_file=True,
    )
    token = forms.UUIDField(widget=forms.HiddenInput)

    def clean_names(self) -> list[str]:
        names = [line.strip() for line in self.cleaned_data["names"].splitlines()]
        if any(len(name) > NAME_LENGTH for name in names):
            raise forms.ValidationError(
                _("A name has at most %(limit)s characters."),
                params={"limit": number_format(NAME_LENGTH)},
            )
        return [name for name in names if name]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        total = len(self._names())
        if total == 0:
            raise forms.ValidationError(_("Say how many documents to drop, or name them."))
        if total > MAX_DOCUMENTS:
            raise forms.ValidationError(
                _("Drop at most %(limit)s documents at once."),
                params={"limit": number_format(MAX_DOCUMENTS)},
            )
        return cleaned

    def dropped(self) -> list[File]:
        """The files, each with an id that is the same whenever this very form comes again."""
        token: UUID = self.cleaned_data["token"]
        names = self._names()
        return [
            File(reference=f"doc-{uuid5(token, f'{len(names)} {place} {name}').hex}", name=name)
            for place, name in enumerate(names, start=1)
        ]

    def _names(self) -> list[str]:
        cleaned = self.cleaned_data
        made_up = [f"document-{place}.pdf" for place in range(1, (cleaned["number"] or 0) + 1)]
        return [*cleaned["names"], *(str(file.name) for file in cleaned["uploads"]), *made_up]
