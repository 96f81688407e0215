//! What DataFusion's own SQL adds to SQLite's still works.

use super::sqlite::session;

#[tokio::test]
async fn the_engines_own_sql_works() {
    let answers = [
        ("SELECT CAST(7 AS BIGINT) + 1", "8"),
        ("SELECT '7'::BIGINT + 1", "8"),
        ("SELECT 1.5::TEXT", "1.5"),
        ("SELECT -'7'::BIGINT || 'x'", "-7x"),
        ("SELECT CAST(to_timestamp(5) AS INT)", "5000000000"),
        ("SELECT -INTERVAL '1 day' + to_timestamp(86400)", "1970-01-01T00:00:00"),
        ("SELECT date_trunc('hour', to_timestamp(7200 + 59))", "1970-01-01T02:00:00"),
        ("SELECT to_timestamp(0) + INTERVAL '1 day'", "1970-01-02T00:00:00"),
        ("SELECT extract(year FROM to_timestamp(1700000000))", "2023"),
        ("SELECT array_length(make_array(1, 2, 3))", "3"),
        ("SELECT array_element(make_array(10, 20, 30), 2)", "20"),
        ("SELECT array_position(make_array(1, 2), 2)", "2"),
        ("SELECT get_field(struct(1, 'a'), 'c1')", "a"),
        ("SELECT get_field(named_struct('x', 5), 'x')", "5"),
        ("SELECT sum(v) FROM (SELECT unnest(make_array(1, 2, 3)) AS v)", "6"),
        ("SELECT id FROM slice QUALIFY row_number() OVER (ORDER BY dur DESC) = 1", "3"),
        ("SELECT count(*) FROM thread FULL JOIN process USING (upid)", "4"),
        ("SELECT approx_distinct(name) > 0 FROM slice", "1"),
        ("SELECT array_element(array_agg(id ORDER BY id), 1) FROM slice", "0"),
        ("SELECT array_to_string(make_array(1, 2), '-')", "1-2"),
        ("SELECT median(dur) FROM slice", "9.5"),
        ("SELECT stddev(1.0) IS NULL", "1"),
        ("SELECT bool_and(id >= 0), bool_or(id > 100) FROM slice", "1|0"),
        ("SELECT starts_with('abc', 'ab')", "1"),
        ("SELECT split_part('a.b.c', '.', 2)", "b"),
        ("SELECT lpad('7', 3, '0')", "007"),
        ("SELECT regexp_like('abc', 'b')", "1"),
        ("SELECT DISTINCT ON (track_id) id FROM slice ORDER BY track_id, ts LIMIT 1", "0"),
        ("SELECT count(*) FROM slice GROUP BY ROLLUP (track_id) ORDER BY 1 DESC LIMIT 1", "10"),
        ("SELECT EXCLUDED FROM (SELECT 1 AS excluded)", "1"),
        ("SELECT sum(dur) FILTER (WHERE depth = 0) FROM slice", "194"),
    ];
    let session = session();
    let mut wrong = Vec::new();
    for (sql, answer) in answers {
        let given = match session.query(sql).await {
            Ok(result) => result.collect().await,
            Err(error) => Err(error),
        };
        let given = match given {
            Err(error) => format!("error: {error}"),
            Ok(batches) => {
                let batch = batches.iter().find(|batch| batch.num_rows() > 0).unwrap();
                let cell = datafusion::arrow::util::display::array_value_to_string;
                let cells = batch.columns().iter().map(|column| cell(column, 0).unwrap());
                cells.collect::<Vec<_>>().join("|")
            }
        };
        if given != answer {
            wrong.push(format!("{sql}\n    wanted {answer}, given {given}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
