"""A source distribution as files again."""

import tarfile
from pathlib import Path


def unpack(sdist: Path, folder: Path) -> Path:
    """Where all of it lies now. Python has the filter since 3.11.4; Debian's is older."""
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)  # noqa: S202 - we have just built it
    (root,) = folder.iterdir()
    return root
