//! Debug annotations that hold messages or JSON.

use tpq_testkit::{Annotation, Message};

use super::{ARGS, COUNTS, args, event, event_with, field, lines, packets};

fn message() -> Message {
    Message::new()
}

fn annotated(annotations: impl IntoIterator<Item = Message>) -> Message {
    annotations
        .into_iter()
        .fold(message(), |event, annotation| event.message(field::DEBUG_ANNOTATIONS, annotation))
}

#[test]
fn a_message_is_read_by_the_type_it_names() {
    let annotator = message().uint(1, 7).uint(3, 0);
    let named = message()
        .bytes(10, "task.info")
        .bytes(16, ".perfetto.protos.ChromeTaskAnnotator")
        .message(14, annotator.clone());
    assert_eq!(
        args(annotated([named])),
        [
            "debug.task_info.ipc_hash uint 7",
            "debug.task_info.delay_policy string FLEXIBLE_NO_SOONER",
        ]
    );
    let name = message().uint(1, 4).bytes(2, ".perfetto.protos.ChromeTaskAnnotator");
    let by_iid = message().bytes(10, "t").uint(13, 4).message(14, annotator);
    let trace = packets([event_with(10, message().message(27, name), annotated([by_iid]))]);
    assert_eq!(
        lines(&trace, ARGS),
        ["debug.t.ipc_hash uint 7", "debug.t.delay_policy string FLEXIBLE_NO_SOONER"]
    );
}

#[test]
fn a_message_without_a_type_that_is_known_is_counted() {
    let unknown = message().bytes(10, "a").bytes(16, ".my.Type").message(14, message().uint(1, 1));
    let nameless = message().bytes(10, "b").message(14, message().uint(1, 1));
    let trace = packets([event(10, annotated([unknown, nameless]).uint(9000, 1))]);
    assert!(lines(&trace, ARGS).is_empty());
    assert_eq!(
        lines(&trace, COUNTS),
        ["track_event_parser_errors 2", "unknown_extension_fields 1"]
    );
}

#[test]
fn json_becomes_the_values_in_it() {
    let json = Annotation::named("state").json(r#"{"x":{"y.z":[1,{"w":0.5},null,"s"]},"t":true}"#);
    assert_eq!(
        args(annotated([json.into()])),
        [
            "debug.state.x.y.z[0] int 1 of debug.state.x.y.z",
            "debug.state.x.y.z[1].w real 0.5 of debug.state.x.y.z.w",
            "debug.state.x.y.z[2] string s of debug.state.x.y.z",
            "debug.state.t bool 1",
        ]
    );
    let damaged = Annotation::named("state").json(r#"{"x":1,"#);
    let trace = packets([event(10, annotated([damaged.into()]))]);
    assert_eq!(lines(&trace, ARGS), ["debug.state.x int 1"]);
    assert_eq!(lines(&trace, COUNTS), ["json_parser_failure 1"]);
}

#[test]
fn an_array_goes_on_where_one_of_the_same_name_ended() {
    let one = Annotation::named("a").array([Annotation::element().int(1)]);
    let empty = Annotation::element();
    let two = Annotation::named("a").array([empty, Annotation::element().int(2)]);
    let json = Annotation::named("a").json("[3]");
    assert_eq!(
        args(annotated([one.into(), two.into(), json.into()])),
        [
            "debug.a[0] int 1 of debug.a",
            "debug.a[1] int 2 of debug.a",
            "debug.a[2] int 3 of debug.a",
        ]
    );
}

#[test]
fn annotations_in_one_another_end_somewhere() {
    let mut deep = Annotation::named("deep").int(1);
    for _ in 0..500 {
        deep = Annotation::named("d").dict([deep]);
    }
    let trace = packets([event(10, annotated([deep.into()]))]);
    assert!(lines(&trace, ARGS).is_empty());
    assert_eq!(lines(&trace, COUNTS), ["track_event_parser_errors 1"]);
}

#[test]
fn of_an_annotation_without_a_name_nothing_is_kept() {
    let trace = packets([event(10, annotated([message().int(4, 1)]))]);
    assert!(lines(&trace, ARGS).is_empty());
    assert_eq!(lines(&trace, COUNTS), ["track_event_parser_errors 1"]);
}
