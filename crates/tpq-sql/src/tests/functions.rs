//! Functions that SQLite does not have, or has only when it is built with them: answers by hand.

use datafusion::arrow::util::display::array_value_to_string;

use super::sqlite::session;

/// The values of the first row, as text; NULL as an empty one.
pub(super) async fn row(sql: &str) -> String {
    let result = session().query(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    let batches = result.collect().await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    let batch = batches.iter().find(|batch| batch.num_rows() > 0).unwrap();
    let cells = batch.columns().iter().map(|column| array_value_to_string(column, 0).unwrap());
    cells.collect::<Vec<_>>().join("|")
}

pub(super) async fn check(answers: &[(&str, &str)]) {
    for (sql, answer) in answers {
        assert_eq!(row(sql).await, *answer, "{sql}");
    }
}

#[tokio::test]
async fn mathematics_is_null_where_it_is_not_defined() {
    check(&[
        ("SELECT sqrt(16), sqrt(-1), sqrt(NULL), sqrt('9'), sqrt('abc')", "4.0|||3.0|"),
        (
            "SELECT ln(1), ln(0), ln(-1), log(100), log10(1000), log2(8), log(2, 8)",
            "0.0|||2.0|3.0|3.0|3.0",
        ),
        ("SELECT log(0, 5), log(1, 5), log(0.5, 5), log(-2, 5), log(2, 0)", "||||"),
        ("SELECT exp(0), pow(2, 10), power(4, 0.5), pow(-8, 0.5)", "1.0|1024.0|2.0|"),
        ("SELECT ceil(1.2), floor(-1.2), trunc(-1.9), ceil(5), floor(5)", "2.0|-2.0|-1.0|5|5"),
        ("SELECT mod(7, 3), mod(7.5, 2), mod(7, 0), acos(2), atan2(0, 1)", "1.0|1.5|||0.0"),
        (
            "SELECT round(degrees(pi())), round(radians(180), 4), sinh(0), acosh(0)",
            "180.0|3.1416|0.0|",
        ),
        (
            "SELECT typeof(ceil(dur)), typeof(ceil(1.5)), typeof(sqrt(4)) FROM slice",
            "integer|real|real",
        ),
    ])
    .await;
}

#[tokio::test]
async fn regular_expressions_find_and_replace() {
    check(&[
        ("SELECT 'abc' REGEXP 'b.', 'abc' REGEXP '^b', NULL REGEXP 'a', regexp('c$', 'abc')", "1|0||1"),
        ("SELECT 'abc' NOT REGEXP 'z', count(*) FROM slice WHERE name REGEXP '^(app|render)$'", "1|5"),
        ("SELECT regexp_extract('Binder:12_3', 'Binder:([0-9]+)'), regexp_extract('abc', 'b.'), regexp_extract('abc', 'z')", "12|bc|"),
        ("SELECT regexp('B', 'abc'), regexp('B', 'abc', 'i'), regexp('B', 'abc', 'ic'), regexp('B', 'abc', 'ci')", "0|1|0|1"),
        ("SELECT regexp_extract('Lock contention on a GC lock', 'on (?:a )?(.*) lock'), regexp_extract('ab', '(a)(b)')", "on a GC|a"),
        // The group is optional and has no part in the match.
        ("SELECT regexp_extract('b', '(x)?b') IS NULL, regexp_extract('xb', '(x)?b'), regexp_extract('b', '()b') IS NULL", "1|x|0"),
        ("SELECT regexp_replace_simple('a1b22', '[0-9]+', '#'), regexp_replace_simple('a', 'a', '$0')", "a#b#|$0"),
    ])
    .await;
    let error = session().query("SELECT 'a' REGEXP '('").await;
    let message = match error {
        Err(error) => error.to_string(),
        Ok(result) => result.collect().await.unwrap_err().to_string(),
    };
    assert!(message.contains("'(' is not a valid regular expression"), "{message}");
}

#[tokio::test]
async fn arguments_have_the_type_of_their_key() {
    check(&[
        ("SELECT extract_arg(0, 'count') + 1, extract_arg(0, 'count_text') || '!'", "8|7!"),
        ("SELECT extract_arg(1, 'ratio') * 2, extract_arg(1, 'nothing'), extract_arg(NULL, 'url')", "0.5||"),
        ("SELECT extract_arg(2, 'mixed'), extract_arg(3, 'mixed'), typeof(extract_arg(2, 'mixed'))", "3|three|text"),
        ("SELECT typeof(extract_arg(0, 'count')), typeof(extract_arg(1, 'ratio'))", "integer|real"),
        ("SELECT count(*) FROM slice WHERE extract_arg(arg_set_id, 'count') = 7", "2"),
        ("SELECT group_concat(extract_arg(arg_set_id, key)) FROM (SELECT * FROM args ORDER BY id)", "7,7,http://a,0.25,3,three"),
        // A text is greater than any number. One among numbers may stand for one.
        ("SELECT extract_arg(0, 'count_text') = 7, extract_arg(0, 'count_text') < 10, extract_arg(0, 'count_text') > 10", "0|0|1"),
        ("SELECT extract_arg(0, 'count_text') IN (7, 8), extract_arg(0, 'count_text') = '7'", "0|1"),
        ("SELECT v = 7, v < 10, coalesce(v, 'x') = 7 FROM (SELECT extract_arg(0, 'count_text') AS v)", "0|0|0"),
        ("SELECT extract_arg(2, 'mixed') < 10, v < 10, coalesce(v, 'x') = 3 FROM (SELECT extract_arg(2, 'mixed') AS v)", "1|1|1"),
    ])
    .await;
}

#[tokio::test]
async fn text_is_split_encoded_and_demangled() {
    check(&[
        ("SELECT str_split('a/b/c', '/', 1), str_split('a', '/', 1), str_split('a--b', '--', 1)", "b||b"),
        ("SELECT str_join('-', 'a', NULL, 1), concat_ws('-', 'a', 2)", "a-1|a-2"),
        ("SELECT base64_encode('hi'), CAST(base64_decode('aGk=') AS TEXT), base64_decode('*')", "aGk=|hi|"),
        ("SELECT demangle('_Z3foov'), demangle('_ZN4core3fmtE'), demangle('main')", "foo()|core::fmt|"),
        ("SELECT demangle('f'), demangle('__Z3foov')", "|foo()"),
        ("SELECT levenshtein('kitten', 'sitting'), levenshtein('', 'ab'), levenshtein('ä', 'a'), levenshtein(NULL, 'a')", "3|2|1|"),
        ("SELECT trim('xyaxy', 'yx'), unhex('41-42', '-') = x'4142'", "a|1"),
        ("SELECT hash('a') = hash('a'), hash('a') = hash('b'), hash(1, 'a') = hash(1, 'a'), typeof(hash(1))", "1|0|1|integer"),
        // The published values of the 64-bit FNV-1a hash, as signed integers.
        ("SELECT hash(''), hash('a'), hash('foobar'), hash('foo', 'bar')", "-3750763034362895579|-5808556873153909620|-8821353812377114648|-8821353812377114648"),
        ("SELECT unhex('1F'), unhex('0x10000000'), unhex('abc') & 15, unhex('xyz') IS NULL, __intrinsic_unhex('ff'), typeof(unhex('1'))", "31|268435456|12|1|255|integer"),
        ("SELECT __intrinsic_strip_hex('Thread12', 1), __intrinsic_strip_hex('Thread1', 2), __intrinsic_strip_hex(NULL, 1) IS NULL", "Thread|Thread1|1"),
    ])
    .await;
}

#[tokio::test]
async fn moments_are_given_on_other_clocks() {
    check(&[
        (
            "SELECT to_timecode(3723004005006), to_timecode(0), to_timecode(NULL)",
            "01:02:03 004 005 006|00:00:00 000 000 000|",
        ),
        // Read at 1000 and at 1100, and gone on with the trace's clock since.
        (
            "SELECT to_realtime(1050), to_realtime(1100), to_realtime(900), to_realtime(NULL)",
            "1700000000000000050|1700000000000000200|1699999999999999900|",
        ),
        ("SELECT to_monotonic(1010), abs_time_str(1000)", "510|2023-11-14T22:13:20.000000000"),
        // Between two readings, at one, and before the first one: all digits of the nanoseconds.
        (
            "SELECT abs_time_str(1050), abs_time_str(1100), abs_time_str(900), abs_time_str(NULL)",
            "2023-11-14T22:13:20.000000050|2023-11-14T22:13:20.000000200|2023-11-14T22:13:19.999999900|",
        ),
    ])
    .await;
}

#[tokio::test]
async fn ancestry_and_percentiles() {
    check(&[
        ("SELECT slice_is_ancestor(0, 2), slice_is_ancestor(2, 0), slice_is_ancestor(0, 0), slice_is_ancestor(3, 2)", "1|0|0|0"),
        ("SELECT group_concat(id) FROM slice WHERE slice_is_ancestor(3, id)", "4,5"),
        // 0, 0, 5, 7, 12, 20, 33, 50, 100 and -1: the middle lies between 7 and 12.
        ("SELECT percentile(dur, 50), percentile(dur, 0), percentile(dur, 100) FROM slice", "9.5|-1.0|100.0"),
    ])
    .await;
}

/// `A<int, int>`, then `A<that, that>`, and so on.
#[tokio::test]
async fn names_that_double_are_not_written_out() {
    let digit = |at: usize| char::from_digit(u32::try_from(at).unwrap(), 36).unwrap();
    let mut name = "_Z1f1AIiiE".to_owned();
    for at in 0..34 {
        let part = digit(at).to_ascii_uppercase();
        name.push_str(&format!("S_IS{part}_S{part}_E"));
    }
    let result = session().query(&format!("SELECT demangle('{name}')")).await;
    let message = match result {
        Err(error) => error.to_string(),
        Ok(result) => result.collect().await.unwrap_err().to_string(),
    };
    assert!(message.contains("1000000 bytes"), "{message}");
}
