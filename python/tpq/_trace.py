"""Opening traces, and the statements on them."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native
from ._errors import DataLossWarning, Error
from ._result import Result
from ._sizes import parse_size

PathLike = Union[str, "os.PathLike[str]"]
ParameterValue = Union[None, bool, int, float, str]


class Column(NamedTuple):
    """A column of a table or view."""

    name: str
    """Name of the column."""
    type: str
    """Type of the values: `TIMESTAMP`, `JOINID(thread.id)`, `STRING`…"""
    doc: str
    """Meaning of the values, with their unit."""


class Table(NamedTuple):
    """A table or view."""

    name: str
    """Name of the table or view."""
    doc: str
    """Meaning of a row."""
    columns: Tuple[Column, ...]
    """The columns, in order."""


def open(
    trace: Union[PathLike, Sequence[PathLike]],
    *,
    memory_limit: Union[int, str, None] = None,
    threads: Optional[int] = None,
    cache: Union[bool, PathLike] = True,
    strict: bool = False,
    full_sort: bool = False,
    clock_interpolation: str = "nearest",
    ftrace_raw: bool = True,
    crop: bool = False,
    symbols: Union[PathLike, Sequence[PathLike]] = (),
    sql_packages: Sequence[PathLike] = (),
    allow_files: bool = False,
    progress: Optional[Callable[[str, int, int], None]] = None,
) -> Trace:
    """Opens a trace, or several traces on one timeline.

    A trace is a file of any format that tpq reads, plain or in gzip, zstd, ZIP or TAR. When data
    was lost, a `DataLossWarning` says so.

    Args:
        trace: A path, or several paths.
        memory_limit: Approximate limit of imports and queries, in bytes or as text such as `"4G"`;
            at least 16 MiB. Data above it goes to temporary files, so it never changes results.
        threads: Number of threads; all cores if `None`.
        cache: Whether the tables of traces of 1 MiB or more are kept for the next time, in the
            folder `TPQ_CACHE_DIR` or the user's cache folder; or the folder to keep them in.
        strict: Raise `OpenError` when any data was lost or not understood.
        full_sort: Sort all events before decoding any, which keeps events that arrive very late.
        clock_interpolation: How to convert a timestamp between two snapshots of its clock:
            `"nearest"`, by the latest snapshot before it; or `"linear"`, on the line between them.
        ftrace_raw: Whether every kernel event has a row in `ftrace_event`.
        crop: Drop track events before the range of interest that a recording names.
        symbols: A file or folder of binaries (ELF, Mach-O) with symbols or debug information, or
            several, for the functions, files and lines of call stacks without symbols. Binaries are
            found by their build ids.
        sql_packages: Folders of SQL modules, as `DIR` or `DIR@NAME`.
        allow_files: Whether statements may read other files, with the permissions of the process.
        progress: Called as `progress(stage, done, total)` about 20 times a second during the
            import and once at its end; `done` and `total` are bytes, and `total` is 0 while it is
            unknown, or if the tables are cached. An exception of it cancels the import.

    Raises:
        OpenError: A file cannot be read, or is no trace.
        ValueError: An option is wrong.
    """
    options = {
        "memory_limit": None if memory_limit is None else parse_size(memory_limit),
        "threads": _positive("threads", threads),
        "strict": strict,
        "full_sort": full_sort,
        "clock_interpolation": clock_interpolation,
        "ftrace_raw": ftrace_raw,
        "crop": crop,
        "symbols": _paths(symbols),
        "sql_packages": [os.fspath(package) for package in sql_packages],
        "allow_files": allow_files,
        **_cache_options(cache),
    }
    opened = Trace(_native.open(_paths(trace), options, progress))
    opened._warn_of_losses()
    return opened


class Trace:
    """An open trace: tables, and statements on them.

    Threads may share a trace; their statements run at the same time. What a statement creates is
    visible to later statements. A trace is a context manager, which closes it.
    """

    def __init__(self, native: _native.Trace) -> None:
        """Traces are made by `open`."""
        self._native = native

    def sql(self, sql: str, /, **parameters: ParameterValue) -> Result:
        """Runs statements, and returns the rows of the last.

        Statements are separated by `;`, and only the last may give rows. `$name` and `:name` in
        them stand for the value of a parameter, which is never read as SQL. The rows are computed
        as the result is read.

        >>> t.sql("SELECT name, dur FROM slice WHERE dur > $ns", ns=1_000_000)  # doctest: +SKIP

        Raises:
            SqlError: A statement is wrong, or fails.
        """
        return Result(self._native.run(sql, parameters))

    def query_file(self, path: PathLike, /, **parameters: ParameterValue) -> Result:
        """Runs the statements of a file in UTF-8, as `sql` does.

        Raises:
            OSError: The file cannot be read.
            SqlError: A statement is wrong, or fails.
        """
        return self.sql(Path(path).read_text(encoding="utf-8"), **parameters)

    def tables(self) -> List[str]:
        """The names of all tables and views, in alphabetical order."""
        return self._native.table_names()

    def modules(self) -> List[str]:
        """The names of all modules for `INCLUDE PERFETTO MODULE`, in alphabetical order."""
        return self._native.module_names()

    def describe(self, table: str) -> Table:
        """The columns of a table or view, with their types, meanings and units.

        Raises:
            KeyError: No table or view has the name.
        """
        found = self._native.describe(table)
        if found is None:
            raise KeyError(table)
        name, doc, columns = found
        return Table(name, doc, tuple(Column(*column) for column in columns))

    def check(self) -> Result:
        """The lost data: what was lost, when (`ts` to `ts_end`, ns in trace time), and how to
        change the next recording. No rows if no data was lost."""
        return self.sql(
            "SELECT kind, what, remedy, ts, ts_end, amount, unit FROM data_loss"
            " WHERE severity = 'data_loss' ORDER BY id"
        )

    def stats(self) -> Result:
        """The counts of lost or damaged data that are not 0, with their meaning."""
        return self.sql(
            "SELECT name, idx, value, severity, description FROM stats"
            " WHERE value > 0 AND severity IN ('data_loss', 'error') ORDER BY name, idx"
        )

    @property
    def paths(self) -> List[Path]:
        """The files, as they were given to `open`."""
        return [Path(path) for path in self._native.paths()]

    @property
    def summary(self) -> Dict[str, Any]:
        """Facts of the import: `format`, `file_bytes` (size on disk in bytes), `trace_bytes` (size
        after decompression in bytes), and `packets` (number of packets or events)."""
        return self._native.summary()

    def interrupt(self) -> None:
        """Stops all statements that run now, from any thread. They raise `SqlError` of the kind
        `cancelled`."""
        self._native.interrupt()

    def close(self) -> None:
        """Stops all statements and releases the tables. Data that was read stays valid. Closing a
        closed trace does nothing."""
        self._native.close()

    @property
    def closed(self) -> bool:
        """Whether the trace was closed."""
        return self._native.closed

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<tpq.Trace, closed>"
        return f"<tpq.Trace {', '.join(map(str, self.paths))}>"

    def _warn_of_losses(self) -> None:
        """Warns once if data was lost. The warning is shown where `open` was called."""
        losses = self.check().rows()
        if not losses:
            return
        what = str(losses[0].what).rstrip(".")
        more = f", and {len(losses) - 1} more losses" if len(losses) > 1 else ""
        message = f"lost data: {what}{more}; Trace.check() lists them"
        warnings.warn(message, DataLossWarning, stacklevel=3)


def _paths(paths: Union[PathLike, Sequence[PathLike]]) -> List[str]:
    """One path, or several, as texts."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return [os.fspath(path) for path in several]


def _positive(name: str, number: Optional[int]) -> Optional[int]:
    if number is not None and number < 1:
        raise ValueError(f"{name} is at least 1, not {number}")
    return number


def _cache_options(cache: Union[bool, PathLike]) -> Dict[str, Any]:
    """The cache folder and its size in bytes, as the command line chooses them."""
    folder = os.environ.get("TPQ_CACHE_DIR") or None
    if not isinstance(cache, bool):
        folder, cache = os.fspath(cache), True
    size = os.environ.get("TPQ_CACHE_SIZE", "").strip()
    try:
        most = parse_size(size) if size else None
    except ValueError as error:
        raise Error(f"TPQ_CACHE_SIZE: {error}") from None
    return {"cache": cache and most != 0, "cache_folder": folder, "cache_size": most}
