"""Import a module with its bug in the place of the module that is on the disk."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        return self._code


class _Finder(MetaPathFinder):
    def __init__(self, name: str, code: CodeType) -> None:
        self._name = name
        self._code = code

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is None or spec.origin is None:
            raise ImportError(f"There is no {fullname} to put a bug into.")
        spec.loader = _Loader(fullname, spec.origin, self._code)
        return spec


def import_instead(file: str, code: CodeType) -> None:
    """For a file such as `doc_priority/rules.py`, before anybody imports it."""
    name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if name in sys.modules:
        raise ImportError(f"{name} is imported already, without the bug.")
    sys.meta_path.insert(0, _Finder(name, code))
