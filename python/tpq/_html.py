"""Display of results in notebooks."""

from __future__ import annotations

from html import escape
from typing import Any, List, Sequence

#: Longer values are cut in a cell, in characters.
_LONGEST_VALUE = 200


def table_html(
    columns: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[Any]], total: int
) -> str:
    """A table of the first rows, and below it the number of all rows."""
    if not columns:
        return "<p>The statement gives no rows.</p>"
    head = "".join(
        f'<th style="text-align:{_side(kind)}" title="{escape(kind)}">{escape(name)}</th>'
        for name, kind in zip(columns, types)
    )
    body = "".join(f"<tr>{_cells(row, types)}</tr>" for row in rows)
    return (
        f'<table class="tpq-result"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        f"<p>{_count(len(rows), total)}</p>"
    )


def _cells(row: Sequence[Any], types: Sequence[str]) -> str:
    cells: List[str] = []
    for value, kind in zip(row, types):
        cells.append(f'<td style="text-align:{_side(kind)}">{_value(value)}</td>')
    return "".join(cells)


def _value(value: Any) -> str:
    if value is None:
        return '<span style="opacity:0.5">NULL</span>'
    text = str(value)
    if len(text) > _LONGEST_VALUE:
        text = text[: _LONGEST_VALUE - 1] + "…"
    return escape(text)


def _side(kind: str) -> str:
    """Numbers are right-aligned."""
    return "right" if kind.startswith(("Int", "UInt", "Float", "Decimal")) else "left"


def _count(shown: int, total: int) -> str:
    rows = f"{total:,} row{'' if total == 1 else 's'}"
    return rows if shown == total else f"first {shown:,} of {rows}"
