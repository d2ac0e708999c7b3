"""Lengths as attributes of SVG have them, in no language."""


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.3f}%"
