"""Results as data frames of pandas and polars."""

from __future__ import annotations

import pytest

NULLS = "SELECT value AS whole, CASE WHEN value <> 2 THEN 1700000000000000000 + value END AS ts," \
    " CASE WHEN value <> 2 THEN 'é' || value END AS name, value / 4.0 AS share" \
    " FROM generate_series(1, 3) ORDER BY 1"


def test_a_data_frame_of_pandas(track_events):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = track_events.sql("SELECT name, dur FROM slice ORDER BY dur DESC LIMIT 3").to_pandas()
    assert list(frame.columns) == ["name", "dur"]
    assert frame["dur"].dtype == "int64"
    assert frame["dur"].tolist() == [1000, 300, 300]
    assert frame["name"].tolist()[0] == "Load page"
    assert isinstance(frame, pandas.DataFrame)


def test_pandas_keeps_integers_beside_null(track_events):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = track_events.sql(NULLS).to_pandas()
    assert str(frame["ts"].dtype) == "Int64" and str(frame["whole"].dtype) == "int64"
    assert frame["ts"].iloc[0] == 1_700_000_000_000_000_001
    assert frame["ts"].iloc[1] is pandas.NA
    assert frame["name"].isna().tolist() == [False, True, False]
    assert frame["share"].tolist() == [0.25, 0.5, 0.75]


def test_pandas_takes_columns_of_one_name_and_none(track_events):
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = track_events.sql("SELECT 1 AS a, 2 AS a").to_pandas()
    assert list(frame.columns) == ["a", "a"] and frame.iloc[0].tolist() == [1, 2]
    assert track_events.sql("CREATE PERFETTO VIEW v AS SELECT 1 AS one").to_pandas().empty
    empty = track_events.sql("SELECT name, dur FROM slice WHERE 0").to_pandas()
    assert list(empty.columns) == ["name", "dur"] and len(empty) == 0


def test_a_data_frame_of_polars(track_events):
    polars = pytest.importorskip("polars")
    frame = track_events.sql(NULLS).to_polars()
    assert frame.schema == {
        "whole": polars.Int64,
        "ts": polars.Int64,
        "name": polars.String,
        "share": polars.Float64,
    }
    assert frame["ts"].to_list() == [1_700_000_000_000_000_001, None, 1_700_000_000_000_000_003]
    assert frame["name"].to_list() == ["é1", None, "é3"]


def test_polars_reads_a_result_directly(track_events):
    polars = pytest.importorskip("polars")
    result = track_events.sql("SELECT value FROM generate_series(1, 100000)")
    frame = polars.DataFrame(result)
    assert frame["value"].sum() == 5_000_050_000
