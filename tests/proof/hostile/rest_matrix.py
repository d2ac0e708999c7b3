"""Who gets which answer over REST: a row for each call, a column for each role.

A right that is missing is told before anything of the customer is: who may not reset learns the
same of anybody's customer (403), who may learns nothing of another's (404).
"""

from tests.proof.hostile.table import Table, table

REST: Table = table(
    """
                         anonymous inactive nobody client stranger staff viewer support policies data superuser
    GET customers              401      401    403    200      200   403    200     200      200  200       200
    POST customers             401      401    403    403      403   403    403     403      403  403       201
    GET customer               401      401    403    200      404   403    200     200      200  200       200
    PATCH customer             401      401    403    403      403   403    403     403      403  403       200
    DELETE customer            401      401    403    403      403   403    403     403      403  204       204
    POST check                 401      401    403    200      404   403    403     403      403  403       200
    POST checks                401      401    403    200      404   403    403     403      403  403       200
    POST reset                 401      401    403    403      403   403    403     200      403  403       200
    PUT pin                    401      401    403    403      403   403    403     200      403  403       200
    DELETE pin                 401      401    403    403      403   403    403     200      403  403       200
    GET events                 401      401    403    200      404   403    200     200      200  200       200
    GET documents              401      401    403    200      404   403    200     200      200  200       200
    GET policies               401      401    403    403      403   403    200     200      200  200       200
    POST policies              401      401    403    403      403   403    403     403      201  403       201
    GET policy                 401      401    403    403      403   403    200     200      200  200       200
    PATCH policy               401      401    403    403      403   403    403     403      200  403       200
    DELETE policy              401      401    403    403      403   403    403     403      204  403       204
    GET stats                  401      401    403    200      200   403    200     200      200  200       200
    GET schema                 401      401    200    200      200   200    200     200      200  200       200
    GET docs                   401      401    200    200      200   200    200     200      200  200       200
    GET asset                  200      200    200    200      200   200    200     200      200  200       200
    """  # noqa: E501 - a table is read as one
)
KEPT_AS = {
    "DELETE customer": "forget",
    "POST reset": "reset",
    "PUT pin": "pin",
    "DELETE pin": "unpin",
    "PATCH customer": "policy",
    "POST policies": "policy",
    "PATCH policy": "policy",
    "DELETE policy": "policy",
}
"""The event of what somebody did who may: with who it was, why, and through what."""

REFUSED_WITHOUT: dict[str, dict[str, str]] = {
    right: dict.fromkeys(rows, "403")
    for right, rows in {
        "view_customer": (
            "GET customers",
            "GET customer",
            "GET events",
            "GET documents",
            "GET stats",
        ),
        "add_customer": ("POST customers",),
        "change_customer": ("PATCH customer",),
        "delete_customer": ("DELETE customer",),
        "check_customer": ("POST check", "POST checks"),
        "reset_customer": ("POST reset",),
        "pin_customer": ("PUT pin", "DELETE pin"),
        "view_policy": ("GET policies", "GET policy"),
        "add_policy": ("POST policies",),
        "change_policy": ("PATCH policy",),
        "delete_policy": ("DELETE policy",),
    }.items()
}
"""What somebody is answered who has every right but this; to all else as a superuser."""
