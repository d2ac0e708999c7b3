"""A portal's own class for customers: everybody sees those of their branch alone."""

from typing import Any

from django.http import HttpRequest

from doc_priority.admin import CustomerAdmin

BRANCH = "north-"


class BranchCustomerAdmin(CustomerAdmin):
    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(key__startswith=BRANCH)
