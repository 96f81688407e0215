//! Java heap dumps and heap profiles. No trace here has one, so only functions and macros have
//! results.

use super::{lines, marked};
use crate::imported::Imported;

/// A trace without heap dumps.
fn no_dumps() -> Imported {
    marked(&[(10, super::APP, "I|100|x")])
}

#[test]
fn classes_of_the_core_libraries() {
    let sql = "SELECT column1, _heap_graph_is_core_class(column1) FROM (VALUES \
        ('java.lang.String'), ('java.lang.Class<java.lang.String>'), ('javax.A'), ('j$.util.A'), \
        ('int[]'), ('int[][]'), ('integer[]'), ('a.A[]'), ('android.util.SparseArray'), \
        ('android.util.Log'), ('kotlinx.atomicfu.A'), ('kotlinx.A'), (NULL)) ORDER BY column1";
    assert_eq!(
        lines(&no_dumps(), "memory.heap_graph.heap_graph_class_aggregation", sql),
        [
            "NULL NULL",
            "a.A[] 0",
            "android.util.Log 0",
            "android.util.SparseArray 1",
            "int[] 1",
            "int[][] 1",
            "integer[] 0",
            "j$.util.A 1",
            "java.lang.Class<java.lang.String> 0",
            "java.lang.String 1",
            "javax.A 0",
            "kotlinx.A 0",
            "kotlinx.atomicfu.A 1",
        ]
    );
}

/// The seventh digit from the right is the kind of memory.
#[test]
fn memory_of_bitmaps() {
    let sql = "SELECT column1, _android_bitmap_storage_name(column1) FROM (VALUES \
        (1000000017), (1001000017), (1002000017), (1003000017), (1004000017), (NULL)) \
        ORDER BY column1";
    assert_eq!(
        lines(&no_dumps(), "memory.heap_graph.bitmap", sql),
        [
            "NULL NULL",
            "1000000017 wrapped_pixel_ref",
            "1001000017 heap",
            "1002000017 ashmem",
            "1003000017 hardware",
            "1004000017 NULL",
        ]
    );
}

/// Objects that no dump has are on no path.
#[test]
fn macros_without_dumps() {
    let trace = no_dumps();
    let no_rows = |module: &str, from: &str| {
        let rows = lines(&trace, module, &format!("SELECT * FROM {from}"));
        assert_eq!(rows, [""; 0], "{from}");
    };
    let object = "(SELECT 1 AS id, CAST(NULL AS BIGINT) AS parent_id)";
    no_rows("memory.heap_graph.helpers", &format!("_heap_graph_type_path_hash!({object})"));
    let path = "(SELECT 1 AS id, 7 AS path_hash, 0 AS parent_path_hash)";
    no_rows("memory.heap_graph.helpers", &format!("_heap_graph_path_hash_aggregate!({path})"));
    no_rows("memory.heap_graph.class_tree", &format!("_heap_graph_duplicate_objects_agg!({path})"));
    no_rows(
        "memory.heap_graph.class_relationship",
        "android_heap_graph_class_find_descendants!((SELECT 1 AS id))",
    );
    let flamegraph = "memory.heap_graph.experimental_flamegraph";
    no_rows(flamegraph, "_experimental_flamegraph_heap_graph_frames!(1, 10)");
    no_rows(
        "memory.heap_graph.heap_graph_stats",
        "_heap_graph_value_at_dump!((SELECT 1 AS upid, 10 AS ts, 5 AS dur, 3 AS size), size)",
    );
    no_rows(
        "memory.heap_profile.callstacks",
        "_android_heap_profile_callstacks_for_allocations!((SELECT 0 AS callsite_id, 8 AS size, \
         1 AS count, 8 AS alloc_size, 1 AS alloc_count))",
    );
    let sql = "SELECT * FROM _experimental_flamegraph_heap_graph_state!(1, 10)";
    assert_eq!(lines(&trace, flamegraph, sql), ["0 NULL"]);
}

/// Hash 5 is the path of a root, 9 that of a class below it.
#[test]
fn paths_as_a_tree() {
    let sql = "SELECT id, parent_id, name, self_count, self_size, path_hash_stable \
        FROM _heap_graph_path_hashes_to_class_tree!((SELECT 100 AS graph_sample_ts, 1 AS upid, \
        column1 AS path_hash, column2 AS parent_path_hash, column3 AS name, \
        'ROOT_JNI_GLOBAL' AS root_type, 'HEAP_TYPE_APP' AS heap_type, 1 AS self_count, \
        column4 AS self_size FROM (VALUES (9, 5, 'a.B', 16), (5, 0, 'a.A', 8)))) ORDER BY id";
    assert_eq!(
        lines(&no_dumps(), "memory.heap_graph.helpers", sql),
        ["0 NULL a.A 1 8 5", "1 0 a.B 1 16 9"]
    );
}
