//! Spans of OpenTelemetry in protobuf.

use tpq_testkit::Message;

use super::{PLACES, kind_and_clock};
use crate::imported::{Imported, STATS};

fn text(text: &str) -> Message {
    Message::new().bytes(1, text)
}

fn int(value: u64) -> Message {
    Message::new().uint(3, value)
}

fn attribute(key: &str, value: Message) -> Message {
    Message::new().bytes(1, key).message(2, value)
}

fn resource(attributes: impl IntoIterator<Item = Message>, spans: Vec<Message>) -> Message {
    let resource = attributes.into_iter().fold(Message::new(), |all, it| all.message(1, it));
    let scope = spans.into_iter().fold(Message::new(), |scope, span| scope.message(2, span));
    Message::new().message(1, resource).message(2, scope)
}

fn span(id: u8, name: &str, start: u64, end: u64) -> Message {
    let span = Message::new().bytes(1, [0xaa; 16]).bytes(2, [0, 0, 0, 0, 0, 0, 0, id]);
    span.bytes(5, name).fixed64(7, start).fixed64(8, end)
}

/// The spans of two services, one of a thread, and one that ends before it starts.
fn traces() -> Message {
    let list = Message::new().message(1, text("a\"b")).message(1, int(7));
    let paid =
        Message::new().fixed64(1, 1250).bytes(2, "paid").message(3, attribute("amount", int(9)));
    let order = span(1, "order", 1000, 1900)
        .uint(6, 2)
        .message(9, attribute("thread.id", int(71)))
        .message(9, attribute("free", Message::new().uint(2, 1)))
        .message(9, attribute("list", Message::new().message(5, list)))
        .message(9, attribute("key", Message::new().bytes(7, [1, 2, 255])))
        .message(11, paid)
        .message(11, Message::new().bytes(2, "later"))
        .message(13, Message::new().bytes(1, [0xbb; 16]))
        .message(15, Message::new().bytes(2, "all well").uint(3, 1));
    let pay = span(2, "pay", 1200, 1500).bytes(4, [0, 0, 0, 0, 0, 0, 0, 1]);
    let shop = [attribute("service.name", text("shop")), attribute("process.pid", int(70))];
    let bank = [attribute("service.name", text("bank"))];
    Message::new()
        .message(1, resource(shop, vec![order, pay, span(3, "wrong", 5, 4)]))
        .message(1, resource(bank, vec![span(4, "book", 1300, 1400)]))
}

const SPANS: &str = "SELECT ts, dur, slice.name, process.name AS process, tid FROM slice \
    LEFT JOIN thread_track t ON slice.track_id = t.id LEFT JOIN thread USING (utid) \
    LEFT JOIN process_track p ON slice.track_id = p.id \
    LEFT JOIN process ON process.upid = coalesce(p.upid, thread.upid) ORDER BY ts";
const ROWS: &str = "\
ts    dur  name   process  tid
1000  900  order  shop     71
1200  300  pay    shop     NULL
1300  100  book   bank     NULL
";

#[test]
fn spans_and_their_attributes() {
    let trace = Imported::file(traces().as_bytes());
    assert_eq!(trace.rows(SPANS), ROWS);
    let args = "SELECT slice.name, key, value_type AS type, \
        coalesce(string_value, CAST(int_value AS TEXT)) AS value \
        FROM slice JOIN args USING (arg_set_id) WHERE slice.name != 'book' \
        ORDER BY slice.id, key";
    assert_eq!(
        trace.rows(args),
        r#"name   key                          type    value
order  attributes.free              bool    1
order  attributes.key               json    "AQL/"
order  attributes.list              json    {"values":[{"stringValue":"a\"b"},{"intValue":"7"}]}
order  attributes.thread.id         int     71
order  events[0].attributes.amount  int     9
order  events[0].name               string  paid
order  events[0].ts                 int     1250
order  events[1].name               string  later
order  kind                         int     2
order  span_id                      string  0000000000000001
order  status.code                  int     1
order  status.message               string  all well
order  trace_id                     string  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
pay    parent_span_id               string  0000000000000001
pay    span_id                      string  0000000000000002
pay    trace_id                     string  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
"#
    );
    // A span that ends before it starts, and a link of one, which is field 13.
    assert_eq!(trace.cells(PLACES)[0][0], "format_parse_errors");
    let unread = "SELECT idx, value FROM stats WHERE name = 'format_records_not_read'";
    assert_eq!(trace.cells(unread), [["13", "1"]]);
    assert_eq!(kind_and_clock(&trace), ("otlp_proto".to_owned(), vec![vec!["1".to_owned()]]));
}

/// Collectors store messages with their sizes before them.
#[test]
fn messages_with_their_sizes() {
    let one = |id, name: &str, start| {
        let attributes = [attribute("service.name", text("shop"))];
        let message = resource(attributes, vec![span(id, name, start, start + 10)]);
        let bytes = Message::new().message(1, message).as_bytes().to_vec();
        [&(bytes.len() as u32).to_be_bytes()[..], &bytes].concat()
    };
    let file = [one(1, "first", 2000), one(2, "second", 1000)].concat();
    let trace = Imported::file(&file);
    let spans = "SELECT ts, dur, name FROM slice ORDER BY ts";
    assert_eq!(trace.cells(spans), [["1000", "10", "second"], ["2000", "10", "first"]]);
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
    // The second message is cut.
    let trace = Imported::file(&file[..file.len() - 1]);
    assert_eq!(trace.cells(spans), [["2000", "10", "first"]]);
    assert_eq!(trace.cells(PLACES).len(), 1);
}

#[test]
fn damage_within_a_message_has_a_position() {
    let mut file = traces().as_bytes().to_vec();
    // A field of a wire type that does not exist, at the end of the outermost message.
    file.extend([0x0f, 0]);
    let trace = Imported::file(&file);
    assert_eq!(trace.rows(SPANS), ROWS);
    assert_eq!(trace.cell("SELECT value FROM stats WHERE name = 'format_parse_errors'"), "2");
}
