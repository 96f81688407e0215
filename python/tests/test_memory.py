"""Results larger than memory should be: reading them takes a bounded amount."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Rows of 16 bytes, 480 MB in all.
ROWS = 30_000_000

#: The growth of the process that reads them, in MB.
MOST = 150

SCRIPT = """
import resource, sys
import tpq

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

trace = tpq.open(sys.argv[1], cache=False, threads=2)
result = trace.sql("SELECT value, value + 1 AS next FROM generate_series(1, $rows)",
                   rows=int(sys.argv[2]))
small = trace.sql("SELECT value, value + 1 AS next FROM generate_series(1, 100000)")
{prepare}
before = peak()
rows = {read}
print(rows, peak() - before)
"""

READINGS = {
    "batches": ("", "sum(len(batch) for batch in result.batches())"),
    "len": ("len(small)", "len(result)"),
    "display": ("small._repr_html_()", "int('first 20 of' in result._repr_html_()) and len(result)"),
    "stream": (
        "import pyarrow as pa; sum(map(len, pa.RecordBatchReader.from_stream(small)))",
        "sum(map(len, pa.RecordBatchReader.from_stream(result)))",
    ),
    "save": ("small.save(sys.argv[3])", "result.save(sys.argv[3])"),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measured on Linux")
@pytest.mark.parametrize("reading", READINGS)
def test_reading_takes_bounded_memory(testdata, tmp_path, reading):
    if reading == "stream":
        pytest.importorskip("pyarrow")
    prepare, read = READINGS[reading]
    script = SCRIPT.format(prepare=prepare, read=read)
    arguments = [testdata / "sched.pftrace", str(ROWS), tmp_path / "rows.parquet"]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    rows, growth = map(int, done.stdout.split())
    assert rows == ROWS
    assert growth < MOST, f"{growth} MB"
