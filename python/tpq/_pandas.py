"""Conversion to pandas."""

from __future__ import annotations

from typing import Any

import pandas
import pyarrow

_NULLABLE_INTEGERS = {
    pyarrow.int8(): pandas.Int8Dtype(),
    pyarrow.int16(): pandas.Int16Dtype(),
    pyarrow.int32(): pandas.Int32Dtype(),
    pyarrow.int64(): pandas.Int64Dtype(),
    pyarrow.uint8(): pandas.UInt8Dtype(),
    pyarrow.uint16(): pandas.UInt16Dtype(),
    pyarrow.uint32(): pandas.UInt32Dtype(),
    pyarrow.uint64(): pandas.UInt64Dtype(),
    pyarrow.bool_(): pandas.BooleanDtype(),
}


def to_pandas(table: pyarrow.Table) -> pandas.DataFrame:
    """A data frame in which integers stay integers, also in columns with NULLs."""
    if not table.column_names:
        return pandas.DataFrame(index=pandas.RangeIndex(table.num_rows))
    columns = [_series(column) for column in table.columns]
    # By number first: several columns may have the same name.
    frame = pandas.concat(columns, axis=1, keys=range(len(columns)))
    frame.columns = pandas.Index(table.column_names)
    return frame


def _series(column: pyarrow.ChunkedArray) -> Any:
    if column.null_count:
        return column.to_pandas(types_mapper=_NULLABLE_INTEGERS.get)
    return column.to_pandas()
