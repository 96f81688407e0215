"""Sizes in bytes, as numbers or as text."""

from __future__ import annotations

import re
from typing import Union

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?\s*", re.IGNORECASE)


def parse_size(size: Union[int, str]) -> int:
    """Returns a size in bytes.

    A text may have a suffix K, M, G or T, each 1024 times the one before: `"512M"`, `"1.5GiB"`.
    """
    if isinstance(size, int) and not isinstance(size, bool):
        if size < 0:
            raise ValueError(f"a size is not negative, like {size}")
        return size
    if not isinstance(size, str):
        raise TypeError(f"a size is an int or a str such as '4G', not {type(size).__name__}")
    found = _SIZE.fullmatch(size)
    if found is None:
        raise ValueError(f"{size!r} is not a size, such as '512M' or '4G'")
    number, unit = found.groups()
    return int(float(number) * 1024 ** " KMGT".index(unit.upper() or " "))
