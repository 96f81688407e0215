//! Aggregates that SQLite does not have: answers by hand, on the slices of `sqlite/fixture.rs`.

use super::functions::check;
use super::{rows, session};

#[tokio::test]
async fn values_are_taken_from_the_row_of_an_extreme() {
    check(&[
        ("SELECT arg_max(name, dur), arg_min(name, dur), max_by(id, ts), min_by(id, ts) FROM slice", "worker|Binder:12_3|9|0"),
        // The row without a name does not count, and of several rows the least value does.
        ("SELECT arg_max(name, id) FROM slice WHERE id < 7", "render"),
        ("SELECT arg_min(id, depth), arg_max(id, depth), arg_max(depth, depth) FROM slice", "0|2|2"),
        ("SELECT value_at_max_ts(ts, dur), value_at_min_ts(ts, dur), value_at_max_ts(-ts, dur) FROM slice", "-1|50|50"),
        ("SELECT value_at_max_ts(id - id, dur), value_at_min_ts(id - id, dur) FROM slice", "100|-1"),
        (
            "SELECT group_concat(name) FROM (SELECT track_id, value_at_max_ts(ts, name) AS name \
             FROM slice GROUP BY track_id ORDER BY track_id)",
            "Binder:12_3,render,app_start",
        ),
        ("SELECT arg_max(name, dur) FILTER (WHERE dur < 50), arg_max(name, dur) FROM slice", "app_start|worker"),
    ])
    .await;
}

#[tokio::test]
async fn statistics_have_the_names_of_other_databases() {
    check(&[
        ("SELECT mean(dur), quantile_cont(dur, 0.5), percentile_cont(dur, 0.5), percentile(dur, 50) FROM slice", "22.6|9.5|9.5|9.5"),
        ("SELECT approx_percentile(dur, 0), approx_percentile(dur, 1), approx_quantile(dur, 1) FROM slice", "-1.0|100.0|100.0"),
        // 100, 0 and 7.
        ("SELECT round(variance(dur), 3), round(var_samp(dur), 3), round(stddev_samp(dur), 3) FROM slice WHERE track_id = 1", "3116.333|3116.333|55.824"),
        ("SELECT any_value(depth) FROM slice WHERE depth = 1", "1"),
        ("SELECT list(id) FROM slice WHERE id < 3", "[0, 1, 2]"),
    ])
    .await;
}

#[tokio::test]
async fn histograms_count_values_and_intervals() {
    check(&[
        (
            "SELECT histogram(depth), histogram(name) FROM slice WHERE id < 3",
            r#"{"0":1,"1":1,"2":1}|{"Choreographer#doFrame 7":1,"app":1,"render":1}"#,
        ),
        (
            "SELECT histogram(depth), histogram(dur, 50) FROM slice",
            r#"{"0":5,"1":4,"2":1}|{"-50":1,"0":7,"50":1,"100":1}"#,
        ),
        ("SELECT histogram(value) FROM counter WHERE value < 2", r#"{"-3.75":1,"0.0":1,"1.0":1}"#),
        ("SELECT histogram(dur) IS NULL FROM slice WHERE 0", "1"),
    ])
    .await;
}

#[tokio::test]
async fn nulls_are_skipped() {
    let over = |call: &str, frame: &str| {
        format!(
            "SELECT group_concat(v) FROM (SELECT id, {call} OVER (ORDER BY id ROWS BETWEEN \
             {frame}) AS v FROM slice ORDER BY id)"
        )
    };
    // The parents are NULL, 0, 1, NULL, 3, 3, NULL, 6, NULL, NULL.
    let (all, near) = ("UNBOUNDED PRECEDING AND CURRENT ROW", "1 PRECEDING AND 1 FOLLOWING");
    check(&[
        (&over("last_non_null(parent_id)", all), "0,1,1,3,3,3,6,6,6"),
        (&over("first_non_null(parent_id)", all), "0,0,0,0,0,0,0,0,0"),
        (&over("first_non_null(parent_id)", near), "0,0,0,1,3,3,3,6,6"),
        (&over("last_non_null(parent_id)", near), "0,1,1,3,3,3,6,6,6"),
        (
            "SELECT first_non_null(parent_id ORDER BY id), last_non_null(parent_id ORDER BY id) \
             FROM slice",
            "0|6",
        ),
        (
            "SELECT last_non_null(name) OVER (ORDER BY id) FROM slice ORDER BY id DESC LIMIT 1",
            "Binder:12_3",
        ),
    ])
    .await;
}

#[tokio::test]
async fn times_are_put_into_intervals() {
    check(&[
        ("SELECT time_bucket(10, 1234), time_bucket(10, 1234, 5), date_bin(100, 1234), time_bucket(10, NULL) IS NULL", "1230|1225|1200|1"),
        ("SELECT time_bucket(INTERVAL '1 second', 2500000000), time_bucket(INTERVAL '10 milliseconds', 25000000)", "2000000000|20000000"),
        ("SELECT count(*) FROM (SELECT DISTINCT time_bucket(100, ts) FROM slice)", "3"),
        ("SELECT date_bin(INTERVAL '1 day', to_timestamp(90000))", "1970-01-02T00:00:00"),
    ])
    .await;
}

#[tokio::test]
async fn aggregates_of_tpq_run_over_frames() {
    check(&[
        ("SELECT (SELECT arg_max(name, dur) FROM slice) = (SELECT DISTINCT arg_max(name, dur) OVER () FROM slice)", "1"),
        // Each row finds the one before it, the first finds itself.
        ("SELECT count(*) FROM (SELECT id, arg_min(id, id) OVER (ORDER BY id ROWS 1 PRECEDING) AS n FROM slice) WHERE n <> max(id - 1, 0)", "0"),
    ])
    .await;
}

#[tokio::test]
async fn wrong_calls_are_errors() {
    for (sql, part) in [
        ("SELECT arg_max(name) FROM slice", "arg_max() takes 2 arguments"),
        ("SELECT histogram(dur, 0) FROM slice", "a width above 0"),
        ("SELECT time_bucket(0, ts) FROM slice", "a width of at least 1 ns"),
        ("SELECT time_bucket(INTERVAL '1 month', ts) FROM slice", "no fixed length"),
        ("SELECT json_array(x'00')", "JSON cannot hold a blob"),
        ("SELECT json_extract('{', '$')", "malformed JSON"),
        ("SELECT json_extract('{}', 'a')", "bad JSON path"),
        ("SELECT json_object('a')", "json_object()"),
        ("SELECT regexp('a', 'b', 'x')", "'x' was given"),
    ] {
        let error = rows(&session(), sql).await.unwrap_err().to_string();
        assert!(error.contains(part), "{sql}: {error}");
    }
}
