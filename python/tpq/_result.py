"""Results of statements: rows, data frames, and display."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional

from . import _native
from ._html import table_html
from ._row import row_class

if TYPE_CHECKING:
    import os
    from typing import Union

    import pandas
    import polars
    import pyarrow

#: A result with at most this many rows is kept in memory when all of it was read, so that the
#: next reading does not run the statement again.
KEPT_ROWS = 65_536

#: The number of rows that a notebook shows.
SHOWN_ROWS = 20


class Preview(NamedTuple):
    """The first rows of a result, and the number of all rows."""

    rows: List[Any]
    total: int


class Result:
    """The rows of a statement.

    Rows are computed as they are read, in batches, so that a result of any size takes bounded
    memory: `for row in result`, `for batch in result.batches()`, or a library that reads Arrow
    streams. A result with more than 65,536 rows runs its statement again when it is read again;
    a smaller one is kept.
    """

    def __init__(self, rows: Optional[_native.Rows]) -> None:
        """Results are made by `Trace.sql`."""
        self._columns = [] if rows is None else rows.columns
        self._types = [] if rows is None else rows.types
        # The rows as the statement was started; later readings start it again.
        self._source = rows
        self._unread = rows
        self._kept: Optional[_native.Batches] = _native.Batches() if rows is None else None
        self._total: Optional[int] = 0 if rows is None else None
        self._preview: Optional[Preview] = None

    @property
    def columns(self) -> List[str]:
        """The names of the columns, in order. Several columns may have the same name."""
        return list(self._columns)

    @property
    def types(self) -> List[str]:
        """The Arrow types of the columns, as text: `Int64`, `Utf8View`…"""
        return list(self._types)

    # Rows.

    def __iter__(self) -> Iterator[Any]:
        """The rows as named tuples: `row.name`, `row[0]`, or `name, dur = row`."""
        make = row_class(self._columns)._make
        for batch in self.batches():
            yield from map(make, batch.rows())

    def rows(self) -> List[Any]:
        """All rows as a list of named tuples.

        `list(result)` gives the same, but asks for the number of rows first.
        """
        return [row for row in self]

    def dicts(self) -> Iterator[Dict[str, Any]]:
        """The rows as dicts. Of several columns with one name, the last counts."""
        for batch in self.batches():
            for row in batch.rows():
                yield dict(zip(self._columns, row))

    def scalar(self) -> Any:
        """The value of a result with one row and one column.

        Raises:
            ValueError: The result has another shape.
        """
        rows = [row for _, row in zip(range(2), self)]
        if len(rows) != 1 or len(self._columns) != 1:
            raise ValueError("the result is not one row with one column")
        return rows[0][0]

    def __len__(self) -> int:
        """The number of rows. Computing it reads all of them once, in bounded memory."""
        if self._total is None:
            for _ in self.batches():
                pass
        assert self._total is not None
        return self._total

    def __bool__(self) -> bool:
        """A result is true, whether or not it has rows: counting them may take long."""
        return True

    # Arrow.

    def batches(self) -> Iterator[_native.Batch]:
        """The rows in batches of Arrow data, each for `pyarrow.record_batch(batch)` and others."""
        if self._kept is not None:
            yield from self._kept.batches()
            return
        rows = self._take()
        total = 0
        kept: Optional[_native.Batches] = _native.Batches(rows)
        while (batch := rows.next_batch()) is not None:
            total += len(batch)
            if kept is not None and total <= KEPT_ROWS:
                kept.append(batch)
            else:
                kept = None
            yield batch
        self._total, self._kept = total, kept

    def __arrow_c_schema__(self) -> object:
        """The columns, for Arrow's C data interface."""
        return self._any().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        """The rows, for Arrow's C stream interface: a consumer computes and gets one batch at a
        time, without a copy."""
        if self._kept is not None:
            return self._kept.__arrow_c_stream__(requested_schema)
        return self._take().__arrow_c_stream__(requested_schema)

    # Other libraries.

    def to_arrow(self) -> pyarrow.Table:
        """All rows as a `pyarrow.Table` that shares the memory of tpq."""
        return _imported("pyarrow", "arrow").table(self._all())

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a `pandas.DataFrame`.

        Integers stay integers: a column with NULLs has pandas' nullable type `Int64`, because a
        float cannot represent every timestamp in ns.
        """
        from ._pandas import to_pandas

        _imported("pandas", "pandas")
        return to_pandas(self.to_arrow())

    def to_polars(self) -> polars.DataFrame:
        """All rows as a `polars.DataFrame`, without a copy of numbers."""
        frame: polars.DataFrame = _imported("polars", "polars").DataFrame(self._all())
        return frame

    def save(self, path: Union[str, os.PathLike[str]], format: Optional[str] = None) -> int:
        """Writes all rows to a file, and returns their number.

        The format is that of the extension: `.parquet`, `.arrow`, `.csv`, `.tsv`, `.json`,
        `.ndjson` or `.md`, text also with `.gz` or `.zst`; or `format` names it. The file appears,
        or is replaced, when it is complete.
        """
        if self._source is None:
            raise ValueError("the statement gives no rows")
        return self._take().save(path, format)

    # Display.

    def __repr__(self) -> str:
        count = "" if self._total is None else f", {self._total} rows"
        return f"<tpq.Result {', '.join(self._columns) or 'without columns'}{count}>"

    def _repr_html_(self) -> str:
        """The first rows and the number of all rows, for notebooks."""
        preview = self._first(SHOWN_ROWS)
        return table_html(self._columns, self._types, preview.rows, preview.total)

    def _first(self, shown: int) -> Preview:
        """The first rows, and the number of all rows. A second display shows the same."""
        if self._preview is None:
            rows: List[Any] = []
            for batch in self.batches():
                if len(rows) < shown:
                    rows += batch.head(shown - len(rows)).rows()
            self._preview = Preview(rows, len(self))
        return self._preview

    # Reading.

    def _any(self) -> Any:
        return self._source if self._source is not None else self._kept

    def _take(self) -> _native.Rows:
        """The rows that were started and not read yet, or those of a new run."""
        unread, self._unread = self._unread, None
        if unread is not None:
            return unread
        assert self._source is not None
        again = self._source.again()
        assert again is not None
        return again

    def _all(self) -> _native.Batches:
        """All rows in memory."""
        if self._kept is not None:
            return self._kept
        collected = _native.Batches(self._source)
        for batch in self.batches():
            collected.append(batch)
        return collected


def _imported(module: str, extra: str) -> Any:
    """Imports a library that is needed for one conversion only."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        message = f"this needs {module}: pip install {module}, or tpq[{extra}]"
        raise ImportError(message) from error
