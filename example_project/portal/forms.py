"""The forms of the portal."""

from typing import Any
from uuid import uuid5

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from example_project.portal.models import Client

MAX_DOCUMENTS = 1000
NAME_LENGTH = 200

ClientForm = forms.modelform_factory(Client, fields=["name", "key"])
RenameForm = forms.modelform_factory(Client, fields=["name"])


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[bytes]]":
        return [super(FilesField, self).clean(file, initial) for file in data or []]


class DropForm(forms.Form):
    """Documents to submit: so many, or by names, or as files of which only the names are stored.

    The token is made with the page: the same form sent twice names the same documents.
    """

    number = forms.IntegerField(
        label=gettext_lazy("Number of documents"),
        help_text=gettext_lazy("Names are generated."),
        required=False,
        min_value=1,
        max_value=MAX_DOCUMENTS,
    )
    names = forms.CharField(
        label=gettext_lazy("Or names"),
        help_text=gettext_lazy("One per line."),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    uploads = FilesField(
        label=gettext_lazy("Or files"),
        help_text=gettext_lazy("Only the file names are stored."),
        required=False,
        max_length=NAME_LENGTH,
        allow_empty_file=True,
    )
    token = forms.UUIDField(widget=forms.HiddenInput)

    def clean_names(self) -> list[str]:
        names = [line.strip() for line in self.cleaned_data["names"].splitlines()]
        if any(len(name) > NAME_LENGTH for name in names):
            text = _("A name can have at most %(limit)s characters.")
            raise forms.ValidationError(text, params={"limit": number_format(NAME_LENGTH)})
        return [name for name in names if name]

    def clean(self) -> dict[str, Any]:
        """Also the `documents`: names by references, the same whenever this form comes again."""
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        names = cleaned["names"] + [str(file.name) for file in cleaned["uploads"]]
        names += [f"document-{place}.pdf" for place in range(1, (cleaned["number"] or 0) + 1)]
        if not names:
            raise forms.ValidationError(_("Enter the number of documents or their names."))
        if len(names) > MAX_DOCUMENTS:
            text = _("Submit at most %(limit)s documents at a time.")
            raise forms.ValidationError(text, params={"limit": number_format(MAX_DOCUMENTS)})
        token, count = cleaned["token"], len(names)
        ids = [uuid5(token, f"{count} {place} {name}") for place, name in enumerate(names, start=1)]
        references = [f"doc-{uid.hex}" for uid in ids]
        return {**cleaned, "documents": dict(zip(references, names, strict=True))}
