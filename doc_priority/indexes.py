"""Indexes that leave out what nobody looks for, where the database can."""

from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q


class NotNullIndex(models.Index):
    """An index of the rows that have a value; MariaDB has all of them in it.

    A `condition` of Django's own would make `manage.py check` warn on MariaDB.
    """

    def create_sql(
        self,
        model: type[models.Model],
        schema_editor: BaseDatabaseSchemaEditor,
        using: str = "",
        **kwargs: Any,
    ) -> Any:
        if not schema_editor.connection.features.supports_partial_indexes:
            return super().create_sql(model, schema_editor, using=using, **kwargs)
        has_value = Q(**{f"{self.fields[0]}__isnull": False})
        partial = models.Index(fields=self.fields, name=self.name, condition=has_value)
        return partial.create_sql(model, schema_editor, using=using, **kwargs)
