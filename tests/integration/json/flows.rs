//! Flows: events of their own in the older form, fields of slices in the newer.

use super::{STATS, events};

const FLOWS: &str = "SELECT o.name AS from_, i.name AS to_, trace_id, \
    cat.string_value AS cat, called.string_value AS name FROM flow f \
    JOIN slice o ON slice_out = o.id JOIN slice i ON slice_in = i.id \
    LEFT JOIN args cat ON cat.arg_set_id = f.arg_set_id AND cat.key = 'cat' \
    LEFT JOIN args called ON called.arg_set_id = f.arg_set_id AND called.key = 'name' \
    ORDER BY f.id";

#[test]
fn flow_events_bind_to_slices_around_or_after_them() {
    let trace = events(
        r#"{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"},
           {"ph":"s","pid":1,"tid":1,"ts":2,"id":"0x1","cat":"c","name":"f"},
           {"ph":"X","pid":1,"tid":2,"ts":4,"dur":2,"name":"b"},
           {"ph":"t","pid":1,"tid":2,"ts":5,"id":1,"cat":"c","name":"f"},
           {"ph":"f","pid":1,"tid":3,"ts":6,"id":1,"cat":"c","name":"f"},
           {"ph":"X","pid":1,"tid":3,"ts":7,"dur":3,"name":"next"},
           {"ph":"f","bp":"e","pid":1,"tid":3,"ts":8,"id":1,"cat":"c","name":"f"}"#,
    );
    insta::assert_snapshot!(trace.rows(FLOWS), @r"
    from_  to_   trace_id  cat  name
    a      b     0         c    f
    b      next  0         c    f
    b      next  0         c    f
    ");
    insta::assert_snapshot!(trace.rows(STATS), @"name  value");
}

#[test]
fn bind_ids_of_flows_between_slices() {
    let trace = events(
        r#"{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","bind_id":"0x10","flow_out":true},
           {"ph":"B","pid":1,"tid":2,"ts":3,"name":"b","bind_id":16,"flow_in":true,"flow_out":true},
           {"ph":"b","pid":1,"id":1,"ts":4,"name":"c","bind_id":"10","flow_in":true},
           {"ph":"X","pid":1,"tid":1,"ts":9,"dur":1,"name":"d","bind_id":"0x10"}"#,
    );
    insta::assert_snapshot!(trace.rows(FLOWS), @r"
    from_  to_  trace_id  cat   name
    a      b    16        NULL  NULL
    b      c    16        NULL  NULL
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                    value
    flow_without_direction  1
    ");
}

#[test]
fn flows_that_cannot_be_drawn_are_counted() {
    let trace = events(
        r#"{"ph":"s","pid":1,"tid":1,"ts":1,"id":"0x1","name":"no slice"},
           {"ph":"X","pid":1,"tid":1,"ts":2,"dur":5,"name":"a"},
           {"ph":"t","pid":1,"tid":1,"ts":3,"id":"0x2","name":"never begun"},
           {"ph":"f","bp":"e","pid":1,"tid":1,"ts":4,"id":"0x3","name":"never begun"},
           {"ph":"s","pid":1,"tid":1,"ts":4,"id":"xyz","name":"no number"},
           {"ph":"s","pid":1,"tid":1,"ts":4,"name":"no id"}"#,
    );
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                     value
    flow_end_without_start   1
    flow_invalid_id          2
    flow_no_enclosing_slice  1
    flow_step_without_start  1
    ");
}
