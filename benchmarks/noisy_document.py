"""What a worker does with a document: it takes its time, and says when."""

import time

from benchmarks.noisy_plan import Plan
from benchmarks.noisy_stamps import BEGUN, ENDED, stamp


def process_document(document_id: str) -> None:
    stamp(BEGUN, document_id)
    time.sleep(Plan.current().service)
    stamp(ENDED, document_id)
