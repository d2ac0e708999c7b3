"""The pages for support staff; Django imports this module by its name."""

from doc_priority.admin.customers import CustomerAdmin
from doc_priority.admin.events import EventAdmin
from doc_priority.admin.policies import PolicyAdmin

__all__ = ["CustomerAdmin", "EventAdmin", "PolicyAdmin"]
