"""Exceptions and warnings. The native module raises them by these names."""

from __future__ import annotations

from typing import Optional


class Error(Exception):
    """Base class of the errors of tpq."""


class OpenError(Error):
    """A trace could not be opened: it cannot be read, or is no trace."""


class SqlError(Error):
    """A statement is wrong, or failed while it ran.

    `str()` of it is the full report: the message, the line of the statement with carets under the
    location, and a suggestion.
    """

    message: str
    """The error in one line."""
    report: str
    """The message, the location and a suggestion, in several lines."""
    kind: str
    """`syntax`, `unknown_table`, `unknown_column`, `unknown_function`, `invalid`, `unsupported`,
    `too_large`, `execution`, `out_of_memory`, `cancelled`, or `internal` for a bug in tpq."""
    line: Optional[int]
    """Line of the location in the text, from 1; `None` if the location is unknown."""
    column: Optional[int]
    """Column of the location in characters, from 1; `None` if the location is unknown."""
    width: Optional[int]
    """Width of the location in characters; `None` if the location is unknown."""
    module: Optional[str]
    """SQL module that contains the location; `None` for the text of the statement itself."""

    def __init__(
        self,
        message: str,
        report: str,
        kind: str,
        line: Optional[int] = None,
        column: Optional[int] = None,
        width: Optional[int] = None,
        module: Optional[str] = None,
    ) -> None:
        # All arguments go to the base class, which copies and pickles by them.
        super().__init__(message, report, kind, line, column, width, module)
        self.message = message
        self.report = report
        self.kind = kind
        self.line = line
        self.column = column
        self.width = width
        self.module = module

    def __str__(self) -> str:
        return self.report


class DataLossWarning(UserWarning):
    """The recording lost data, so that tables are incomplete. `Trace.check` lists the losses."""
