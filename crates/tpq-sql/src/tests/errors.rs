//! What people read when a statement is wrong.

use super::session;

#[tokio::test]
async fn errors_point_at_the_place_and_propose_a_name() {
    let session = session();
    let statements = [
        "SELECT *\nFROM slcie s",
        "SELECT nmae FROM slice",
        "SELECT s.dru, 1 FROM slice s",
        "SELECT x.dur FROM slice s",
        "SELECT dur FROM slice JOIN sched ON slice.ts = sched.ts",
        "SELECT cuont(*) FROM slice",
        "SELECT sqrt(name) FROM slice",
        "SELECT name + 1 FROM slice",
        "SELECT name, count(*) FROM slice",
        "SELECT FROM slice",
        "SELECT name FROM slice WHERE",
        "SELECT name FROM slice ORDER name",
        "SELECT (1 FROM slice",
        "\tSELECT 'abc",
        "SELECT 1 2 3",
        "DROP TABLE slice",
        "SELECT CAST(name AS INT) FROM slice",
        "SELECT frobnicate(1)",
    ];
    let mut reports = String::new();
    for sql in statements {
        let report = match super::rows(&session, sql).await {
            Ok(rows) => format!("no error:\n{rows}"),
            Err(error) => format!("{:?}: {}", error.kind(), error.report()),
        };
        reports.push_str(&format!("{sql}\n=> {report}\n\n"));
    }
    insta::assert_snapshot!(reports);
}
