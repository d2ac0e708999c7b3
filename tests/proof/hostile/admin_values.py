"""What people and programs type into addresses and forms of the admin, percent-encoded."""

from tests.api.bad_inputs import KEYS, MANY, NO_DIGITS, UNSHOWABLE

VALUES = (
    *("%00", "a%00b", "%00%00", "%ff", "%C0%80", "%ED%A0%80", "a%ED%BF%BF", "%F0%9F%92%A3"),
    *("%0A", "a%0Ab", "%0D%0ASet-Cookie:%20hacked=1", "%1B%5B31m", "%7F", "%C2%85", "%C2%9B"),
    *("%E2%80%AEacme", "acme%E2%80%8B", "%EF%BB%BFacme", "%E2%81%A6acme", "%E2%80%A8"),
    *(
        "",
        "%20",
        "-",
        "--",
        "0",
        "-0",
        "-1",
        "1.0",
        "1e400",
        "NaN",
        "0x1",
        "1_0",
        "%C2%B2",
        "%D9%A1",
    ),
    *(MANY[:25], f"-{MANY[:25]}", "9" * 5_000, "2147483648", "9223372036854775808", "1,2", "1;2"),
    *("'", "'%20OR%201=1--", "%25", "%5C", "_", "%2A", "(", "%5B", "$(id)", "%60id%60"),
    *("%25s", "%25(count)d", "{0.__class__}", "{{7*7}}", "${7*7}", "%3Cscript%3E", "%22%3E%3Cb%3E"),
    *("null", "true", "__all__", "../../etc/passwd", "http://127.0.0.1:9/", "//127.0.0.1:9/"),
    *("x" * 10_000, "+".join(["term"] * 2_000), "%F0%9F%92%A3" * 500, ",".join(["1"] * 2_000)),
    *("1999-01-01T00:00", "9999-12-31T23:59", "2126-02-30T00:00", "2126-11-18T25:00"),
)

PARAMETERS = {
    "customer_changelist": (
        *("q", "p", "o", "all", "e", "priority", "state", "policy", "key", "key__exact", "_facets"),
        *("name__regex", "policy__name", "counter__updated_at__gte", "password", "_popup", "%00"),
        *("_to_field", "id__in", "_changelist_filters", "pk"),
    ),
    "customer_live": ("live", "q", "p", "o", "priority", "state", "policy", "key", "nothing"),
    "policy_changelist": ("q", "p", "o", "all", "e", "name", "name__regex", "_to_field", "_popup"),
    "event_changelist": (
        *("q", "p", "o", "all", "e", "kind__exact", "kind__in", "customer", "customer__exact"),
        *("reason__regex", "after__contains", "created_at__gte", "_to_field", "_facets", "id"),
    ),
    "customer_reset": ("customer", "list", "seen"),
    "customer_pin": ("customer", "priority", "until"),
    "customer_unpin": ("customer",),
    "customer_forget": ("customer",),
    "dashboard": ("q", "p", "nothing"),
    "dashboard_live": ("q", "nothing"),
    "rule": ("policy", "nothing"),
    "policy_preview": ("policy", "reset_interval", "recovery", "threshold_1", "threshold_8"),
    "customer_add": ("key", "name", "policy", "_changelist_filters", "_to_field", "_popup"),
    "policy_add": (
        *("name", "reset_interval", "recovery", "threshold_1", "terms_opened", "_to_field"),
        "_changelist_filters",
    ),
}
"""Of each page, what an address may name, and what it must not."""

PLACES = tuple(
    dict.fromkeys(
        (
            *(one for one in KEYS if one not in ("a/b",)),
            *NO_DIGITS[1:],
            *UNSHOWABLE,
            *("_5F", "_ZZ", "_", "__", "%2e%2e", "1%2F2", "1%0A", "9" * 400),
        )
    )
)
"""Where an address has the number of a row."""

PAGES_OF_ROWS = (
    *(
        "customer/{}/change/",
        "customer/{}/delete/",
        "customer/{}/history/",
        "customer/{}/standing/",
    ),
    *("policy/{}/change/", "policy/{}/delete/", "policy/{}/history/", "customer/{}/"),
    *("event/{}/change/", "event/{}/history/", "event/{}/delete/", "policy/{}/", "event/{}/"),
)

CHARSETS = (
    "unicode_escape",
    "raw_unicode_escape",
    "utf-7",
    "utf-16",
    "cp037",
    "utf-8-sig",
    "x-none",
)
"""In which a request may say it is. Of codecs for no text Django makes 500 before any view."""

SURROGATES = (rb"%5Cud800", rb"%2B2AA-", rb"%D8%00", rb"%5Cx00", rb"%5CN")
"""What is half a surrogate pair, or NUL, in one of the charsets."""
