"""docs/reference/metrics.md: every metric for Prometheus, its kind, its labels and what it says."""

from doc_priority.contrib.prometheus import metrics
from doc_priority.contrib.prometheus.metrics import Metric
from tests.reference.markdown import code, prose, table


def _recorded() -> str:
    return _table(metrics.RECORDED)


def _live() -> str:
    return _table(metrics.LIVE)


def _table(those: tuple[Metric, ...]) -> str:
    return table(
        ["metric", "kind", "labels", "says"],
        (
            [
                code(one.name),
                str(one.kind),
                ", ".join(map(code, one.labels)),
                prose(one.documentation),
            ]
            for one in those
        ),
    )


def _buckets() -> str:
    return f"In seconds: {', '.join(f'{one:g}' for one in metrics.SECONDS)}."


PARTS = {"recorded": _recorded, "live": _live, "buckets": _buckets}
