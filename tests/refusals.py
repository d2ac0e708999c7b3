"""How every refusal of the services must look."""

from collections.abc import Callable

import pytest

from doc_priority.exceptions import DocPriorityError
from tests.stored import everything_stored


def refuse(error: type[DocPriorityError], call: Callable[[], object]) -> str:
    """The message of the call's error, after which everything is as it was."""
    before = everything_stored()
    with pytest.raises(DocPriorityError) as raised:
        call()
    assert type(raised.value) is error
    assert raised.value.code != DocPriorityError.code
    message = str(raised.value)
    message.encode()
    assert 20 < len(message) < 500
    assert everything_stored() == before
    return message
