"""Who gets which answer in the admin: a row for each thing to do, a column for each role.

`login` leads to the page where one signs in, `302` elsewhere when something was done, `left` when
nothing was. Who may view customers may take them along as CSV. Of an action that is not offered the
list says so (`left`), or shows itself where it offers none (200). A row's bare address leads to its
page, whoever asks, and that page looks who it is.
"""

from tests.proof.hostile.table import Table, table

ADMIN: Table = table(
    """
                      anonymous inactive nobody client staff viewer support policies data superuser
    GET index             login   login   login  login  200    200    200      200    200    200
    GET app               login   login   login  login  404    200    200      200    200    200
    GET metrics             401    401     401    401   401    200    200      200    200    200
    GET list              login   login   login  login  403    200    200      200    200    200
    POST export           login   login   login  login  403    200    200      200    200    200
    POST tick-reset       login   login   login  login  403   left    200     left   left    200
    POST tick-pin         login   login   login  login  403   left    200     left   left    200
    POST tick-unpin       login   login   login  login  403   left    200     left   left    200
    POST tick-forget      login   login   login  login  403   left    left    left    200    200
    GET live              login   login   login  login  403    200    200      200    200    200
    POST live             login   login   login  login  403    405    405      405    405    405
    GET dashboard         login   login   login  login  403    200    200      200    200    200
    POST dashboard        login   login   login  login  403    405    405      405    405    405
    GET dashboard-live    login   login   login  login  403    200    200      200    200    200
    POST dashboard-live   login   login   login  login  403    405    405      405    405    405
    GET rule              login   login   login  login  403    200    200      200    200    200
    POST rule             login   login   login  login  403    405    405      405    405    405
    GET standing          login   login   login  login  403    200    200      200    200    200
    POST standing         login   login   login  login  403    405    405      405    405    405
    GET customer          login   login   login  login  403    200    200      200    200    200
    POST customer         login   login   login  login  403    403    403      403    403    302
    GET customer-bare     login   login   login  login  left  left    left    left   left    left
    POST customer-bare    login   login   login  login  left  left    left    left   left    left
    GET customer-history  login   login   login  login  403    200    200      200    200    200
    POST customer-history login   login   login  login  403    200    200      200    200    200
    GET customer-add      login   login   login  login  403    403    403      403    403    200
    POST customer-add     login   login   login  login  403    403    403      403    403    302
    GET customer-delete   login   login   login  login  403    403    403      403   left    left
    POST customer-delete  login   login   login  login  403    403    403      403   left    left
    GET reset             login   login   login  login  403    403    200      403    403    200
    POST reset            login   login   login  login  403    403    302      403    403    302
    GET pin               login   login   login  login  403    403    200      403    403    200
    POST pin              login   login   login  login  403    403    302      403    403    302
    GET unpin             login   login   login  login  403    403    200      403    403    200
    POST unpin            login   login   login  login  403    403    302      403    403    302
    GET forget            login   login   login  login  403    403    403      403    200    200
    POST forget           login   login   login  login  403    403    403      403    302    302
    GET policies          login   login   login  login  403    200    200      200    200    200
    POST tick-policy      login   login   login  login  403    200    200      200    200    200
    POST tick-policy-yes  login   login   login  login  403    200    200      302    200    302
    GET policy            login   login   login  login  403    200    200      200    200    200
    POST policy           login   login   login  login  403    403    403      302    403    302
    GET policy-bare       login   login   login  login  left  left    left    left   left    left
    POST policy-bare      login   login   login  login  left  left    left    left   left    left
    GET policy-history    login   login   login  login  403    200    200      200    200    200
    POST policy-history   login   login   login  login  403    200    200      200    200    200
    GET policy-add        login   login   login  login  403    403    403      200    403    200
    POST policy-add       login   login   login  login  403    403    403      302    403    302
    GET policy-delete     login   login   login  login  403    403    403      200    403    200
    POST policy-delete    login   login   login  login  403    403    403      302    403    302
    GET preview           login   login   login  login  403    403    403      200    403    200
    POST preview          login   login   login  login  403    403    403      405    403    405
    GET events            login   login   login  login  403    200    200      200    200    200
    POST tick-event-yes   login   login   login  login  403    200    200      200    200    200
    GET event             login   login   login  login  403    200    200      200    200    200
    POST event            login   login   login  login  403    403    403      403    403    403
    GET event-bare        login   login   login  login  left  left    left    left   left    left
    POST event-bare       login   login   login  login  left  left    left    left   left    left
    GET event-history     login   login   login  login  403    200    200      200    200    200
    POST event-history    login   login   login  login  403    200    200      200    200    200
    GET event-add         login   login   login  login  403    403    403      403    403    403
    POST event-add        login   login   login  login  403    403    403      403    403    403
    GET event-delete      login   login   login  login  403    403    403      403    403    403
    POST event-delete     login   login   login  login  403    403    403      403    403    403
    """
)
DONE = "302"
LEFT = "left"

KEPT_AS = {
    "POST reset": "reset",
    "POST pin": "pin",
    "POST unpin": "unpin",
    "POST forget": "forget",
    "POST policy": "policy",
    "POST policy-add": "policy",
    "POST policy-delete": "policy",
    "POST tick-policy-yes": "policy",
    "POST customer": "policy",
}
"""The event of what somebody did who may."""

_CUSTOMERS = (
    "list",
    "live",
    "dashboard",
    "dashboard-live",
    "standing",
    "customer",
    "customer-history",
    "reset",
    "pin",
    "unpin",
    "forget",
)
REFUSED_WITHOUT: dict[str, dict[str, str]] = {
    "add_customer": {"GET customer-add": "403", "POST customer-add": "403"},
    "change_customer": {"POST customer": "403"},
    "check_customer": {},
    "delete_customer": {
        "GET forget": "403",
        "POST forget": "403",
        "POST tick-forget": LEFT,
        "GET customer-delete": "403",
        "POST customer-delete": "403",
    },
    "reset_customer": {"GET reset": "403", "POST reset": "403", "POST tick-reset": LEFT},
    "pin_customer": {
        "GET pin": "403",
        "POST pin": "403",
        "POST tick-pin": LEFT,
        "GET unpin": "403",
        "POST unpin": "403",
        "POST tick-unpin": LEFT,
    },
    "add_policy": {"GET policy-add": "403", "POST policy-add": "403"},
    "change_policy": {"POST policy": "403"},
    "delete_policy": {
        "GET policy-delete": "403",
        "POST policy-delete": "403",
        "POST tick-policy-yes": "200",
    },
    "view_customer": {"GET metrics": "401"},
    "view_customer change_customer": {
        "GET metrics": "401",
        "POST export": "403",
        **{f"GET {page}": "403" for page in _CUSTOMERS},
        **{f"POST {page}": "403" for page in _CUSTOMERS if page != "list"},
        **{f"POST tick-{action}": "403" for action in ("reset", "pin", "unpin", "forget")},
    },
    "view_policy": {},
    "view_policy change_policy": {
        "GET policies": "403",
        "GET policy": "403",
        "POST policy": "403",
        "GET policy-history": "403",
        "POST policy-history": "403",
        "POST tick-policy": "403",
        "POST tick-policy-yes": "403",
    },
    "view_event change_event": {
        "GET events": "403",
        "GET event": "403",
        "GET event-history": "403",
        "POST event-history": "403",
        "POST tick-event-yes": "403",
    },
}
"""What somebody is answered who has every right but these; to all else as a superuser.

Who may change something may look at it, too, as everywhere in Django's admin.
"""
