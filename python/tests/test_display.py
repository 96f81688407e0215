"""Display in notebooks."""

from __future__ import annotations

import pytest


def test_a_notebook_shows_the_first_rows_and_the_total(track_events):
    result = track_events.sql("SELECT value FROM generate_series(1, 100000)")
    html = result._repr_html_()
    assert html.count("<tr>") == 21  # With the head.
    assert "first 20 of 100,000 rows" in html
    assert result._repr_html_() == html
    assert len(result) == 100_000


def test_a_small_result_is_shown_whole(track_events):
    html = track_events.sql("SELECT name, dur FROM slice WHERE dur = 1000")._repr_html_()
    assert "<p>1 row</p>" in html
    assert '<th style="text-align:right" title="Int64">dur</th>' in html
    assert '<td style="text-align:left">Load page</td>' in html


def test_values_are_escaped_and_cut(track_events):
    result = track_events.sql("SELECT '<b>&' AS \"<i>\", $long AS long, NULL AS n", long="x" * 500)
    html = result._repr_html_()
    assert "&lt;b&gt;&amp;" in html and "&lt;i&gt;" in html and "<b>" not in html
    assert "x" * 199 + "…" in html and "x" * 200 not in html
    assert "NULL" in html


def test_a_statement_without_rows_is_said(track_events):
    html = track_events.sql("CREATE PERFETTO VIEW v AS SELECT 1 AS one")._repr_html_()
    assert html == "<p>The statement gives no rows.</p>"


def test_the_formatter_of_ipython_uses_it(track_events):
    pytest.importorskip("IPython")
    from IPython.core.formatters import HTMLFormatter

    html = HTMLFormatter()(track_events.sql("SELECT 1 AS one"))
    assert "<table" in html


def test_repr_runs_nothing(track_events):
    result = track_events.sql("SELECT value FROM generate_series(1, 100000000000)")
    assert repr(result) == "<tpq.Result value>"
