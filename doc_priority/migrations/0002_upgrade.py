from typing import Any

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
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
                        message="Use 1 to 64 characters from: A-Z a-z 0-9 . _ ~ : @ -. The ID cannot be “.” or “..”.",
                    )
                ],
                verbose_name="ID",
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
                        message="The name cannot be “.” or “..”. Use another name.",
                    )
                ],
                verbose_name="name",
            ),
        ),
        # Only words for people have changed here. `searched` cannot be altered in the database.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterModelOptions(
                    name="customer",
                    options={
                        "ordering": ("key",),
                        "permissions": (
                            ("check_customer", "Can submit documents for a customer"),
                            ("reset_customer", "Can reset a customer's counter"),
                            ("pin_customer", "Can pin the priority of a customer"),
                        ),
                        "verbose_name": "customer",
                        "verbose_name_plural": "customers",
                    },
                ),
                migrations.AlterField(
                    model_name="customer",
                    name="policy",
                    field=models.ForeignKey(
                        blank=True,
                        help_text="Leave empty for the default policy.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="customers",
                        to="doc_priority.policy",
                        verbose_name="policy",
                    ),
                ),
                migrations.AlterField(
                    model_name="customer",
                    name="searched",
                    field=models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.text.Concat(
                            django.db.models.functions.text.Lower("key"),
                            models.Value(" "),
                            django.db.models.functions.text.Lower("name"),
                        ),
                        output_field=doc_priority.fields.BytewiseCharField(max_length=265),
                        verbose_name="search text",
                    ),
                ),
                migrations.AlterField(
                    model_name="counter",
                    name="recovered_at",
                    field=doc_priority.fields.MicrosecondField(
                        null=True, verbose_name="last back at 0"
                    ),
                ),
                migrations.AlterField(
                    model_name="counter",
                    name="updated_at",
                    field=doc_priority.fields.MicrosecondField(
                        db_index=True, null=True, verbose_name="last change"
                    ),
                ),
                migrations.AlterField(
                    model_name="documentdecision",
                    name="decided_at",
                    field=doc_priority.fields.MicrosecondField(
                        db_index=True, verbose_name="time of decision"
                    ),
                ),
                migrations.AlterField(
                    model_name="documentdecision",
                    name="resets_at",
                    field=doc_priority.fields.MicrosecondField(
                        null=True, verbose_name="back at 0 at"
                    ),
                ),
                migrations.AlterField(
                    model_name="event",
                    name="actor",
                    field=models.CharField(blank=True, max_length=254, verbose_name="who"),
                ),
                migrations.AlterField(
                    model_name="event",
                    name="customer",
                    field=doc_priority.fields.BytewiseCharField(
                        blank=True,
                        help_text="Empty if the event is about a policy and all its customers.",
                        max_length=64,
                        verbose_name="customer",
                    ),
                ),
                migrations.AlterField(
                    model_name="event",
                    name="kind",
                    field=models.CharField(
                        choices=[
                            ("reset", "reset"),
                            ("pin", "pin"),
                            ("unpin", "unpin"),
                            ("policy", "policy change"),
                            ("forget", "deletion"),
                        ],
                        max_length=10,
                        verbose_name="type",
                    ),
                ),
                migrations.AlterField(
                    model_name="event",
                    name="source",
                    field=models.CharField(blank=True, max_length=64, verbose_name="via"),
                ),
                migrations.AlterField(
                    model_name="policy",
                    name="recovery",
                    field=models.CharField(
                        choices=[
                            ("idle", "back to 0 after one interval without a document"),
                            ("window", "back to 0 one interval after it was last at 0"),
                            ("halving", "by half every tenth of the interval"),
                        ],
                        default="idle",
                        max_length=7,
                        verbose_name="recovery",
                    ),
                ),
                migrations.AlterField(
                    model_name="policy",
                    name="reset_interval",
                    field=models.BigIntegerField(
                        default=1500,
                        help_text="In seconds.",
                        validators=[
                            django.core.validators.MinValueValidator(10),
                            django.core.validators.MaxValueValidator(31536000),
                        ],
                        verbose_name="reset interval",
                    ),
                ),
            ]
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
