"""Each planted bug, and the proof that must notice it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple

from tests.proof.hostile import planted, planted_rest
from tests.proof.hostile.admin_inputs import strange_addresses, strange_forms
from tests.proof.hostile.at_once import made_once
from tests.proof.hostile.in_a_browser import scripts_that_ran
from tests.proof.hostile.log_proof import lines_of_the_log
from tests.proof.hostile.looking import looking_changes_nothing, nothing_without_the_token
from tests.proof.hostile.markup_proof import markup_on_pages
from tests.proof.hostile.rest_inputs import refused_by_rest
from tests.proof.hostile.rest_strangers import (
    bulks_with_a_stranger,
    foreign_as_missing,
    sessions_without_their_token,
    tokens_that_were_revoked,
)
from tests.proof.hostile.rights import (
    each_right_in_the_admin,
    each_right_over_rest,
    rights_in_the_admin,
    rights_over_rest,
)
from tests.proof.hostile.spreadsheet import exported_cells
from tests.proof.hostile.tried import Tried

NEVER = 10**9
"""Nothing but what is tried in any case."""

CUSTOMERS = "/admin/doc_priority/customer/"


class Planted(NamedTuple):
    """A bug, the proof, and what the proof must say of it."""

    name: str
    bug: Callable[[], AbstractContextManager[None]]
    proof: Callable[[], Tried]
    says: str


EVERYWHERE = (
    Planted(
        "a view that stores before it refuses",
        planted.stored_before_it_is_refused,
        lambda: refused_by_rest(every=40),
        "left something behind",
    ),
    Planted(
        "a search that takes its words for a number",
        planted.number_taken_for_granted,
        lambda: strange_addresses(every=29, below="/admin/doc_priority/event/?"),
        "ValueError",
    ),
    Planted(
        "a page that stores one field before it fails",
        planted.half_stored_before_an_error,
        lambda: strange_forms(every=97, below=CUSTOMERS),
        "302, and stored Customer.name",
    ),
    Planted(
        "a page that stores everything and says that it failed",
        planted.all_stored_before_an_error,
        lambda: strange_forms(every=97, below=CUSTOMERS),
        "302, and stored +Event(policy) +LogEntry",
    ),
    Planted(
        "a view that looks first and then saves",
        planted_rest.looked_for_before_it_is_saved,
        lambda: made_once(rounds=1),
        "POST customers/: 500 IntegrityError",
    ),
    Planted(
        "a session that is believed without its token",
        planted_rest.session_without_token,
        sessions_without_their_token,
        "no token: something was done",
    ),
    Planted(
        "a token that is looked up once",
        planted_rest.remembered_token,
        tokens_that_were_revoked,
        "a revoked token: something was done",
    ),
    Planted(
        "a bulk that counts one by one",
        planted_rest.counted_one_by_one,
        bulks_with_a_stranger,
        "something was done",
    ),
    Planted(
        "a reach that is refused as a right",
        planted_rest.forbidden_where_it_is_foreign,
        foreign_as_missing,
        "POST checks/: (403,",
    ),
)
AT_ONE_PLACE = (
    Planted(
        "a page that nobody listed",
        planted.page_that_nobody_listed,
        lambda: rights_in_the_admin("anonymous"),
        "no row for GET admin/doc_priority/customer/novelty/",
    ),
    Planted(
        "a permission class that lets all through",
        planted.everybody_permitted,
        lambda: rights_over_rest("nobody"),
        "nobody: POST reset: changed something",
    ),
    Planted(
        "a page of corrections that lets all staff through",
        planted.everybody_permitted,
        lambda: rights_in_the_admin("viewer"),
        "viewer: POST reset: 302, not 403",
    ),
    Planted(
        "a call that asks for another's right",
        planted_rest.call_that_asks_for_another_right,
        lambda: each_right_over_rest("pin_customer"),
        "all but pin_customer: DELETE pin: 200, not 403",
    ),
    Planted(
        "a page that asks for another's right",
        planted.page_that_asks_for_another_right,
        lambda: each_right_in_the_admin("pin_customer"),
        "all but pin_customer: GET unpin: 200, not 403",
    ),
    Planted(
        "a page that acts on GET",
        planted.page_that_acts_on_get,
        lambda: looking_changes_nothing("viewer"),
        "dashboard/ changed something",
    ),
    Planted(
        "pages without the token of a form",
        planted.page_without_token,
        nothing_without_the_token,
        "reset/ changed something without a token",
    ),
    Planted(
        "a column that trusts its text",
        planted.markup_that_is_trusted,
        lambda: markup_on_pages(every=NEVER, languages=("en",)),
        "/customer/ in en",
    ),
    Planted("a table as it is", planted.table_as_it_is, exported_cells, 'name "=cmd'),
    Planted("a name in the log", planted.name_in_the_log, lines_of_the_log, "acme is Zaphod"),
)
IN_A_BROWSER = Planted(
    "a column that trusts its text, in a browser",
    planted.markup_that_is_trusted,
    lambda: scripts_that_ran(every=NEVER),
    "a script ran",
)
