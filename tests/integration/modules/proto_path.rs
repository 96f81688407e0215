//! `proto_path.*`

use super::{empty, lines};

/// A field in a field of a packet. No trace has paths, so the test writes the table.
const PATHS: &str = "CREATE PERFETTO TABLE experimental_proto_path AS SELECT column1 AS id, \
    column2 AS parent_id, column3 AS field_type, column4 AS field_name, NULL AS arg_set_id \
    FROM (VALUES (1, NULL, 'P', NULL), (2, 1, 'T', 'f'), (3, 2, 's', 'name'));";

#[test]
fn frames_of_a_path() {
    // Each frame is an entry (field 1) with a name (field 1), the innermost one first.
    let name_of_type = "0A030A0173";
    let name_of_field = "0A060A046E616D65";
    let above = "0A030A01540A030A0166";
    let packet = "0A030A0150";
    let sql = format!("{PATHS} SELECT hex(_proto_path_to_frame(3)), hex(_proto_path_to_stack(3))");
    assert_eq!(
        lines(&empty(), "proto_path.proto_path", &sql),
        [format!("{name_of_type}{name_of_field} {name_of_type}{name_of_field}{above}{packet}")]
    );
    let sql = format!("{PATHS} SELECT _proto_path_to_frame(9), _proto_path_to_stack(9)");
    assert_eq!(lines(&empty(), "proto_path.proto_path", &sql), ["NULL NULL"]);
}

#[test]
fn lengths_are_varints() {
    let numbers = ["127", "128", "16383", "16384", "2097151"];
    let calls = numbers.map(|number| format!("_proto_path_varint({number})")).join(", ");
    assert_eq!(
        lines(&empty(), "proto_path.proto_path", &format!("SELECT {calls}")),
        ["7f 8001 ff7f 808001 ffff7f"]
    );
}
