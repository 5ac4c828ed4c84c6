"""Names that a package has before their modules are imported (PEP 562), so that its own import stays quick."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["found_in"]

_NOTHING: Mapping[str, str] = {}


def found_in(package: dict[str, Any], late: Mapping[str, str], name: str, gone: Mapping[str, str] = _NOTHING) -> Any:
    """What a package's `__getattr__` answers; found once, it is an attribute like any other.

    `package` are the package's globals, and `late` its {module: names separated by blanks}, modules without the
    package's own name; `gone` says what became of a name. Raises AttributeError for any other name; and ImportError,
    which reaches the reader as it is, for one that is gone and is asked for by `from ... import`.
    """
    home = package["__name__"]
    for module, names in late.items():
        if name in names.split():
            package[name] = getattr(importlib.import_module(f"{home}.{module}"), name)
            return package[name]
    if name in {module.partition(".")[0] for module in late}:
        return importlib.import_module(f"{home}.{name}")
    if name in gone:
        # of an AttributeError an import would only say "cannot import name"
        importing = sys._getframe(2).f_code.co_name == "_handle_fromlist"
        kind = ImportError if importing else AttributeError
        raise kind(f"{home} has no {name!r} any more: {gone[name]}", name=name)
    raise AttributeError(f"module {home!r} has no attribute {name!r}", name=name)
