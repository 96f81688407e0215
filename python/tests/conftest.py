"""Traces for the tests of the package."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import tpq

TESTDATA = Path(__file__).parents[2] / "testdata"

#: A statement that takes longer than any test waits, and ends in minutes where nothing stops it.
LONG_STATEMENT = (
    "SELECT count(*) AS n FROM generate_series(1, 100000) AS a, generate_series(1, 100000) AS b"
    " WHERE (a.value * b.value) % 7 = 3"
)


@pytest.fixture
def testdata() -> Path:
    return TESTDATA


@pytest.fixture
def track_events():
    with tpq.open(TESTDATA / "track_events.pftrace", cache=False) as trace:
        yield trace


@pytest.fixture
def sched():
    with tpq.open(TESTDATA / "sched.pftrace", cache=False) as trace:
        yield trace


@pytest.fixture
def losses():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tpq.DataLossWarning)
        trace = tpq.open(TESTDATA / "losses.pftrace", cache=False)
    with trace:
        yield trace
