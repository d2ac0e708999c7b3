from typing import Any

import django.core.validators
from django.core.management.base import CommandError
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import doc_priority.fields

DOT_SEGMENTS = (".", "..")


def require_addresses(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Stop before anything is changed: MariaDB keeps what a migration did before it failed."""
    customers, policies = (
        apps.get_model("doc_priority", name).objects.using(schema_editor.connection.alias)
        for name in ("Customer", "Policy")
    )
    told = [
        f"No address can hold the key of the customer {key!r}. Give it another key in the portal, "
        f"then erase it here: manage.py doc_priority forget {key} --reason 'No address' --yes"
        for key in customers.filter(key__in=DOT_SEGMENTS).values_list("key", flat=True)
    ]
    told += [
        f"No address can hold the name of the policy {name!r}. Make another policy with its terms, "
        "give that to its customers, then delete it in the admin."
        for name in policies.filter(name__in=DOT_SEGMENTS).values_list("name", flat=True)
    ]
    if told:
        raise CommandError(
            "\n".join([*told, "Nothing of doc_priority was changed; then migrate again."])
        )


class Migration(migrations.Migration):
    dependencies = [("doc_priority", "0001_initial")]

    operations = [
        migrations.RunPython(require_addresses, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="customer",
            name="key",
            field=doc_priority.fields.BytewiseCharField(
                max_length=64,
                unique=True,
                validators=[
                    django.core.validators.RegexValidator(
                        "\\A(?:[A-Za-z0-9_~:@-][A-Za-z0-9._~:@-]{0,63}|\\.[A-Za-z0-9_~:@-][A-Za-z0-9._~:@-]{0,62}|\\.\\.[A-Za-z0-9._~:@-]{1,62})\\Z",
                        message="A key has 1 to 64 of the characters A-Z a-z 0-9 . _ ~ : @ - and is neither “.” nor “..”.",
                    )
                ],
                verbose_name="key",
            ),
        ),
        migrations.AlterField(
            model_name="policy",
            name="name",
            field=doc_priority.fields.BytewiseCharField(
                max_length=64,
                unique=True,
                validators=[
                    django.core.validators.RegexValidator(
                        "\\A\\.\\.?\\Z",
                        inverse_match=True,
                        message="No address can hold the name “.” or “..”; use another one.",
                    )
                ],
                verbose_name="name",
            ),
        ),
        migrations.AddConstraint(
            model_name="customer",
            constraint=models.CheckConstraint(
                condition=models.Q(("key__in", (".", "..")), _negated=True),
                name="doc_priority_customer_dots",
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                condition=models.Q(("name__in", (".", "..")), _negated=True),
                name="doc_priority_policy_dots",
            ),
        ),
    ]
