"""An index of our own. The first migration imports it from here, so it cannot move to `fields`."""

from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q


class NotNullIndex(models.Index):
    """An index of the rows in which the column is not null; on MariaDB, of all rows.

    With Django's own `condition=`, `manage.py check` would warn on MariaDB, which has no partial
    indexes.
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
