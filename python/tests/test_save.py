"""Results in files."""

from __future__ import annotations

import gzip
import json

import pytest

import tpq

SLICES = "SELECT name, dur FROM slice ORDER BY dur DESC LIMIT 2"


def test_the_extension_is_the_format(track_events, tmp_path):
    result = track_events.sql(SLICES)
    assert result.save(tmp_path / "rows.csv") == 2
    assert (tmp_path / "rows.csv").read_text() == "name,dur\nLoad page,1000\nfetch,300\n"
    assert result.save(tmp_path / "rows.json.gz") == 2
    with gzip.open(tmp_path / "rows.json.gz") as file:
        assert json.load(file)[1] == {"name": "fetch", "dur": 300}
    assert result.save(tmp_path / "rows.data", format="ndjson") == 2
    assert len((tmp_path / "rows.data").read_text().splitlines()) == 2


def test_parquet_and_arrow_are_read_back(track_events, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    result = track_events.sql(SLICES)
    result.save(str(tmp_path / "rows.parquet"))
    table = parquet.read_table(tmp_path / "rows.parquet")
    assert table.to_pydict() == {"name": ["Load page", "fetch"], "dur": [1000, 300]}


def test_a_file_is_complete_or_absent(track_events, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("before")
    failing = track_events.sql(
        "SELECT CASE WHEN value = 90000 THEN abs(-9223372036854775807 - 1) ELSE value END AS v"
        " FROM generate_series(1, 100000)"
    )
    with pytest.raises(tpq.SqlError):
        failing.save(path)
    assert path.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["rows.csv"]


def test_unknown_formats_and_folders_are_errors(track_events, tmp_path):
    result = track_events.sql(SLICES)
    with pytest.raises(ValueError, match="format"):
        result.save(tmp_path / "rows.xyz")
    with pytest.raises(ValueError):
        result.save(tmp_path / "rows.csv", format="papyrus")
    with pytest.raises(OSError):
        result.save(tmp_path / "no folder" / "rows.csv")
    with pytest.raises(ValueError):
        track_events.sql("CREATE PERFETTO VIEW v AS SELECT 1 AS one").save(tmp_path / "a.csv")
