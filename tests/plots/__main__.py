"""Draw the plots anew: `python -m tests.plots`."""

from tests.plots.pictures import PICTURES, path_of

for name, draw in PICTURES.items():
    path_of(name).write_text(draw(), "utf-8")
