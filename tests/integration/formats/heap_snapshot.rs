//! Heap snapshots of V8.

use super::kind_and_clock;
use crate::imported::{Imported, STATS, refused};

/// A root with a window, which has two objects that both refer to a string. One of them refers to
/// an array weakly, and the other one by a shortcut.
///
/// ```text
/// root ──▶ Window ──a──▶ Node ──text──▶ "hello"
///             │            └──weak──▶ (array)
///             └───b──▶ Leaf ──text──▶ "hello"
///                        └──[0]──▶ code
/// ```
const SNAPSHOT: &str = r#"{"snapshot":{"meta":{
"node_fields":["type","name","id","self_size","edge_count","detachedness"],
"node_types":[["hidden","array","string","object","code","closure","synthetic"],"string","number","number","number","number"],
"edge_fields":["type","name_or_index","to_node"],
"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"]},
"node_count":7,"edge_count":8},
"nodes":[6,0,1,0,1,0
,3,1,3,100,2,0
,3,2,5,20,2,0
,3,3,7,30,3,0
,2,4,9,7,0,0
,1,0,11,1000,0,0
,4,5,13,50,0,0
],
"edges":[1,1,6
,2,6,12
,2,7,18
,2,8,24
,6,0,30
,2,8,24
,1,0,36
,5,9,30
],
"strings":["","Window","Node","Leaf","hello","run","a","b","text","shortcut"]}"#;

#[test]
fn objects_and_references() {
    let trace = Imported::file(SNAPSHOT);
    let objects = "SELECT o.id, c.name AS class, self_size AS size, root_type AS root, \
        root_distance AS distance, reachable, value_string AS text \
        FROM heap_graph_object o JOIN heap_graph_class c ON c.id = o.type_id \
        LEFT JOIN heap_graph_object_data d ON d.id = o.object_data_id ORDER BY o.id";
    assert_eq!(
        trace.rows(objects),
        "\
id  class            size  root            distance  reachable  text
0   (synthetic)      0     ROOT_SYNTHETIC  0         1          NULL
1   Window           100   NULL            1         1          NULL
2   Node             20    NULL            2         1          NULL
3   Leaf             30    NULL            2         1          NULL
4   (string)         7     NULL            3         1          hello
5   (array)          1000  NULL            -1        0          NULL
6   (compiled code)  50    NULL            3         1          run
"
    );
    let references = "SELECT owner_id AS owner, owned_id AS owned, field_name AS field, \
        field_type_name AS type FROM heap_graph_reference ORDER BY id";
    assert_eq!(
        trace.rows(references),
        "\
owner  owned  field  type
0      1      NULL   element
1      2      a      property
1      3      b      property
2      4      text   property
3      4      text   property
3      6      NULL   element
"
    );
    // The weak reference and the shortcut keep nothing alive.
    let unread = "SELECT idx, value FROM stats WHERE name = 'format_records_not_read'";
    assert_eq!(trace.cells(unread), [["5", "1"], ["6", "1"]]);
    let process = "SELECT p.name, ts FROM heap_graph JOIN process p USING (upid)";
    assert_eq!(trace.cells(process), [["V8", "0"]]);
    assert_eq!(kind_and_clock(&trace).0, "v8_heap_snapshot");
}

#[test]
fn retained_sizes_are_those_of_dominators() {
    let trace = Imported::file(SNAPSHOT);
    // The string is reached from two objects, so that the window keeps it alive.
    let retained = "INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_tree; \
        SELECT id, idom_id AS dominator, dominated_obj_count AS objects, \
        dominated_size_bytes AS retained FROM heap_graph_dominator_tree ORDER BY id";
    assert_eq!(
        trace.rows(retained),
        "\
id  dominator  objects  retained
0   NULL       6        207
1   0          5        207
2   1          1        20
3   1          2        80
4   1          1        7
6   3          1        50
"
    );
}

/// Two snapshots are two processes, so that they can be compared.
#[test]
fn snapshots_are_merged_side_by_side() {
    let later = SNAPSHOT.replace("3,2,5,20,", "3,2,5,25,");
    let files = [("a.heapsnapshot", SNAPSHOT.as_bytes()), ("b.heapsnapshot", later.as_bytes())];
    let trace = Imported::files(&files);
    let sizes = "SELECT upid, count(*), sum(self_size) FROM heap_graph_object \
        WHERE reachable GROUP BY upid ORDER BY upid";
    let rows = trace.cells(sizes);
    assert_eq!(rows.len(), 2);
    assert_ne!(rows[0][0], rows[1][0]);
    assert_eq!([&rows[0][1..], &rows[1][1..]], [["6", "207"], ["6", "212"]]);
    let crossed = "SELECT count(*) FROM heap_graph_reference r \
        JOIN heap_graph_object a ON a.id = owner_id JOIN heap_graph_object b ON b.id = owned_id \
        WHERE a.upid != b.upid";
    assert_eq!(trace.cell(crossed), "0");
}

#[test]
fn damage_is_counted_or_has_a_position() {
    let errors = |text: String| {
        let trace = Imported::file(text);
        trace.cell("SELECT value FROM stats WHERE name = 'format_parse_errors'")
    };
    // References within an object and to one that is not there, and a kind that is none.
    let text = SNAPSHOT.replace("\n,2,7,18", "\n,2,7,19").replace("\n,1,0,36", "\n,1,0,42");
    assert_eq!(errors(text.replace("\n,5,9,30", "\n,9,9,30")), "3");
    // An object without all of its numbers, without its name, and references that are missing.
    assert_eq!(errors(SNAPSHOT.replace("13,50,0,0", "13,50,0")), "2");
    assert_eq!(errors(SNAPSHOT.replace("\n,4,5,13", "\n,4,99,13")), "1");
    assert_eq!(errors(SNAPSHOT.replace("\n,1,0,36\n,5,9,30", "")), "1");
    assert_eq!(errors(SNAPSHOT.replace("\n,5,9,30", "\n,5,9,30,1,1,1")), "1");
    let message = refused(&[("a.heapsnapshot", SNAPSHOT.replace("\"to_node\"", "1").as_bytes())]);
    assert!(message.contains("the snapshot does not say what its numbers mean"), "{message}");
    let cut = &SNAPSHOT[..SNAPSHOT.len() - 30];
    let message = refused(&[("a.heapsnapshot", cut.as_bytes())]);
    assert!(message.contains("a.heapsnapshot: line "), "{message}");
    assert!(message.contains("this is no valid JSON"), "{message}");
    let empty = SNAPSHOT.split("\"nodes\"").next().unwrap().to_owned()
        + "\"nodes\":[],\"edges\":[],\"strings\":[]}";
    let trace = Imported::file(empty);
    assert_eq!(trace.cell("SELECT count(*) FROM heap_graph_object"), "0");
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}
