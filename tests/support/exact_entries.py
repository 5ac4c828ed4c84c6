"""The exact entries of an article, computed without the package, and the functions of a test file that compute them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Compute = Callable[[], Any]


class ExactEntries:
    """Of an article: its `data`, the `exact` result of each entry, and what is registered as `computed` for it."""

    def __init__(self, article: str) -> None:
        file = Path(__file__).parent / "reference" / f"{article}.json"
        reference = json.loads(file.read_text(encoding="utf-8"))
        self.data = reference["data"]
        self.exact = {name: entry["exact"] for name, entry in reference["entries"].items()}
        self.computed: dict[str, Compute] = {}

    def entry(self, name: str) -> Callable[[Compute], Compute]:
        """Register the function that computes the entry of this name."""

        def register(compute: Compute) -> Compute:
            self.computed[name] = compute
            return compute

        return register
