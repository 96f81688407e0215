//! Errors state line and column, and events before the damage are kept.

use super::{ERRORS, SLICES, STATS};
use crate::imported::{Imported, refused};

const EVENT: &str = r#"{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}"#;

#[test]
fn an_event_that_is_not_json_is_left_out() {
    let trace = Imported::file(format!("[{EVENT},\n {{\"ph\":\"X\", \"ts\": oops}},\n{EVENT}]"));
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "2");
    insta::assert_snapshot!(trace.rows(ERRORS), @r"
    name                    byte_offset  line  col  what
    json_tokenizer_failure  73           2     19   an event is not valid JSON
    ");
}

#[test]
fn values_before_the_damage_are_kept() {
    let trace = Imported::file(format!("{{\"traceEvents\":[\n{EVENT}\n] oops, \"x\": 1}}"));
    insta::assert_snapshot!(trace.rows(SLICES), @r"
    ts    dur   depth  name  cat
    1000  1000  0      a     NULL
    ");
    insta::assert_snapshot!(trace.rows(ERRORS), @r"
    name                    byte_offset  line  col  what
    json_tokenizer_failure  72           3     3    expected a key, in quotes
    ");
}

#[test]
fn a_cut_file_keeps_its_events() {
    let whole = format!("{{\"traceEvents\":[\n{EVENT},\n{EVENT}\n]}}");
    let cut = &whole[..whole.len() - 10];
    let trace = Imported::file(cut);
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "1");
    insta::assert_snapshot!(trace.rows(ERRORS), @r"
    name                    byte_offset  line  col  what
    json_tokenizer_failure  71           3     1    the text ends within an event
    trace_truncated_bytes   71           3     1    the text ends within an event
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                    value
    json_tokenizer_failure  1
    trace_truncated_bytes   45
    ");
}

#[test]
fn events_without_phase_or_time_are_counted() {
    let trace =
        Imported::file(format!("[{EVENT},{{\"ts\":1}},{{\"ph\":\"B\"}},{{\"ph\":7,\"ts\":1}}]"));
    insta::assert_snapshot!(trace.rows(ERRORS), @r"
    name                    byte_offset  line  col  what
    json_tokenizer_failure  54           1     55   an event has no phase (ph) that is text
    json_tokenizer_failure  63           1     64   an event has no time (ts) that is a number
    json_tokenizer_failure  74           1     75   an event has no phase (ph) that is text
    ");
}

#[test]
fn unreadable_files_are_refused() {
    insta::assert_snapshot!(refused(&[("x.json", b"[{\"ph\": oops}]")]), @"x.json: line 1, column 9: an event is not valid JSON; no event could be read before that");
    insta::assert_snapshot!(refused(&[("x.json", b"{\"traceEvents\": {}}")]), @"x.json: line 1, column 17: traceEvents is not an array; no event could be read before that");
}

#[test]
fn values_that_are_no_event_are_skipped() {
    let trace =
        Imported::file(format!("[{EVENT}, 7,\n \"text\", [{{}}], oops\n{EVENT}, {{}}, {EVENT}]"));
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "3");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                    value
    json_tokenizer_failure  4
    ");
}

#[test]
fn an_event_without_its_end_takes_no_others_with_it() {
    let open = &EVENT[..EVENT.len() - 1];
    let trace = Imported::file(format!("[{EVENT},\n{open},\n{EVENT},\n{EVENT}]"));
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "3");
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let mut bytes = b"[".to_vec();
    bytes.extend_from_slice(&EVENT.replace("\"a\"", "\"caf\u{1}\"").into_bytes());
    let at = bytes.iter().position(|byte| *byte == 1).unwrap();
    bytes[at] = 0xe9;
    let trace = Imported::file(&bytes);
    assert_eq!(trace.cell("SELECT name FROM slice"), "caf\u{fffd}");
    let half = EVENT.replace("\"a\"", r#""a\ud83d\n""#);
    assert_eq!(Imported::file(format!("[{half}]")).cell("SELECT name FROM slice"), "a\u{fffd}\n");
}

#[test]
fn depth_is_bounded() {
    for depth in [100, 8_000, 1_000_000] {
        let args = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let deep = EVENT.replace("\"name\"", &format!("\"args\":{{\"a\":{args}}},\"name\""));
        let trace = Imported::file(format!("[{EVENT},{deep}]"));
        let kept = if depth < 500 { "2" } else { "1" };
        assert_eq!(trace.cell("SELECT count(*) FROM slice"), kept);
    }
}
