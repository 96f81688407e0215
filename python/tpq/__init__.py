"""SQL on performance traces.

>>> import tpq
>>> with tpq.open("trace.pftrace") as t:  # doctest: +SKIP
...     t.sql("SELECT name, dur FROM slice ORDER BY dur DESC LIMIT 10").to_pandas()

`open` imports traces; `Trace.sql` runs statements; a `Result` is read as rows, or as Arrow data by
pyarrow, pandas, polars and other libraries. Timestamps and durations in tables are integers in ns.
"""

from ._errors import DataLossWarning, Error, OpenError, SqlError
from ._native import __version__
from ._result import Result
from ._trace import Column, Table, Trace, open

__all__ = [
    "Column",
    "DataLossWarning",
    "Error",
    "OpenError",
    "Result",
    "SqlError",
    "Table",
    "Trace",
    "__version__",
    "open",
]
