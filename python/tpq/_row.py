"""Classes of rows."""

from __future__ import annotations

from collections import namedtuple
from functools import lru_cache
from typing import Any, Sequence, Tuple


def row_class(columns: Sequence[str]) -> Any:
    """A named tuple for rows with these columns.

    A column gets a name such as `_2`, by its position, where its own is no identifier, or is that
    of a column before it.
    """
    return _row_class(tuple(columns))


@lru_cache(maxsize=256)
def _row_class(columns: Tuple[str, ...]) -> Any:
    return namedtuple("Row", columns, rename=True)
