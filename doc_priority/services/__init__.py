"""Everything that can be done with customers, counters and policies. Only services write.

Every service has a twin for async code, such as `acheck` for `check`.
"""

from asgiref.sync import sync_to_async

from doc_priority.services.checking import check, check_many, peek
from doc_priority.services.correcting import (
    forget,
    forget_many,
    pin,
    pin_many,
    reset,
    reset_many,
    unpin,
    unpin_many,
)
from doc_priority.services.customers import (
    change_customer,
    create_customer,
    keep_customer,
    rename_customer,
    set_policy,
)
from doc_priority.services.policies import change_policy, create_policy, delete_policy

acheck = sync_to_async(check)
acheck_many = sync_to_async(check_many)
apeek = sync_to_async(peek)
areset = sync_to_async(reset)
areset_many = sync_to_async(reset_many)
apin = sync_to_async(pin)
apin_many = sync_to_async(pin_many)
aunpin = sync_to_async(unpin)
aunpin_many = sync_to_async(unpin_many)
aforget = sync_to_async(forget)
aforget_many = sync_to_async(forget_many)
acreate_customer = sync_to_async(create_customer)
achange_customer = sync_to_async(change_customer)
akeep_customer = sync_to_async(keep_customer)
arename_customer = sync_to_async(rename_customer)
aset_policy = sync_to_async(set_policy)
acreate_policy = sync_to_async(create_policy)
achange_policy = sync_to_async(change_policy)
adelete_policy = sync_to_async(delete_policy)

__all__ = [
    "achange_customer",
    "achange_policy",
    "acheck",
    "acheck_many",
    "acreate_customer",
    "acreate_policy",
    "adelete_policy",
    "aforget",
    "aforget_many",
    "akeep_customer",
    "apeek",
    "apin",
    "apin_many",
    "arename_customer",
    "areset",
    "areset_many",
    "aset_policy",
    "aunpin",
    "aunpin_many",
    "change_customer",
    "change_policy",
    "check",
    "check_many",
    "create_customer",
    "create_policy",
    "delete_policy",
    "forget",
    "forget_many",
    "keep_customer",
    "peek",
    "pin",
    "pin_many",
    "rename_customer",
    "reset",
    "reset_many",
    "set_policy",
    "unpin",
    "unpin_many",
]
