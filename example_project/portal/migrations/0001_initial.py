import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Client",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        help_text="Letters, digits and hyphens. It cannot be changed later.",
                        max_length=32,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[A-Za-z0-9-]+\\Z", "Use letters, digits and hyphens only."
                            )
                        ],
                        verbose_name="customer ID",
                    ),
                ),
                ("name", models.CharField(max_length=200, verbose_name="name")),
            ],
            options={
                "verbose_name": "customer",
                "verbose_name_plural": "customers",
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Member",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
                (
                    "client",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="portal.client",
                        verbose_name="customer",
                    ),
                ),
            ],
            options={"verbose_name": "customer's user", "verbose_name_plural": "customers' users"},
        ),
        migrations.CreateModel(
            name="Document",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reference", models.CharField(max_length=64, verbose_name="reference")),
                ("name", models.CharField(max_length=200, verbose_name="name")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "waiting"),
                            ("processing", "working"),
                            ("done", "done"),
                            ("failed", "failed"),
                        ],
                        default="queued",
                        max_length=10,
                        verbose_name="status",
                    ),
                ),
                ("error", models.TextField(blank=True, default="")),
                ("priority", models.SmallIntegerField(verbose_name="priority")),
                (
                    "level",
                    models.SmallIntegerField(
                        help_text="The number by which the queue sorts documents.",
                        verbose_name="queue level",
                    ),
                ),
                ("pending_documents", models.BigIntegerField()),
                ("pinned", models.BooleanField(default=False)),
                (
                    "policy",
                    models.CharField(blank=True, default="", max_length=64, verbose_name="policy"),
                ),
                (
                    "dropped_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, verbose_name="received at"
                    ),
                ),
                (
                    "started_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="started at"),
                ),
                (
                    "finished_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="finished at"),
                ),
                (
                    "client",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="documents",
                        to="portal.client",
                        verbose_name="customer",
                    ),
                ),
            ],
            options={
                "verbose_name": "document",
                "verbose_name_plural": "documents",
                "indexes": [
                    models.Index(fields=["status", "level", "id"], name="portal_document_queue")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("client", "reference"), name="portal_document_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["queued", "processing", "done", "failed"])
                        ),
                        name="portal_document_status",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("priority__range", (1, 9))),
                        name="portal_document_priority",
                    ),
                ],
            },
        ),
    ]
