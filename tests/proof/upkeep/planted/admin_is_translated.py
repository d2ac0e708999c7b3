"""Words that nobody can translate."""

from typing import Any

from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext as _


class Branch(models.Model):
    city = models.CharField(max_length=9, verbose_name="city")  # planted
    street = models.CharField(_("street"), max_length=9)

    class Meta:
        app_label = "planted"
        verbose_name = "branch"  # planted

    def __str__(self) -> str:
        return self.city


class BranchAdmin(admin.ModelAdmin[Branch]):
    @admin.display(description="last update")  # planted
    def update(self, branch: Branch) -> str:
        return branch.city

    def drop(self, request: HttpRequest, dropped: Any) -> None:
        self.message_user(request, f"{dropped} branches are dropped.")  # planted
        messages.success(request, "%s are dropped." % dropped)  # planted
        messages.info(request, _("Done."))
