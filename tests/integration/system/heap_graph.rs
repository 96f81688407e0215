//! Dumps of Java heaps.

use tpq_testkit::{Message, Packet, TraceBuilder};

use super::packets;
use crate::heap_packets::*;
use crate::imported::{Imported, STATS};

const OBJECTS: &str = "SELECT o.id, c.name AS class, self_size AS size, native_size AS native, \
    reference_set_id AS refs, reachable, root_distance AS distance, root_type, heap_type \
    FROM heap_graph_object o JOIN heap_graph_class c ON c.id = type_id ORDER BY o.id";
const CLASSES: &str = "SELECT id, name, location, superclass_id AS super, classloader_id AS loader, \
    kind FROM heap_graph_class ORDER BY id";
pub(super) const REFERENCES: &str = "SELECT reference_set_id AS refs, owner_id AS owner, \
    owned_id AS owned, field_name, field_type_name FROM heap_graph_reference ORDER BY id";
pub(super) const GRAPHS: &str = "SELECT heap_graph.id AS id, ts, pid, dump_reason, heap_size, \
    truncated FROM heap_graph JOIN process USING (upid) ORDER BY heap_graph.id";
pub(super) const INDEXED: &str = "SELECT stats.name, pid, value FROM stats \
    JOIN process ON upid = idx WHERE stats.name LIKE 'heap_graph%' ORDER BY stats.name, pid";

/// A whole dump in one packet.
pub(super) fn graph(parts: Vec<(u32, Message)>) -> Imported {
    packets([dump(10, 0, false, parts)])
}

/// Sizes and fields are those of the class where the object has none; the fields of a superclass
/// come after those of the class. `byte[]` is not reachable.
#[test]
fn objects_have_sizes_fields_and_distances() {
    let trace = graph(vec![
        owner(16, 1, 0, &[32, 48]),
        object(32, 3, 0),
        owner(48, 2, 8, &[0]),
        (2, Message::new().uint(7, 16).uint(2, 4).uint(3, 100)),
        (9, class(1, "a.B", NORMAL).uint(4, 24).uint(5, 2).packed(6, [1]).uint(2, 5).uint(8, 48)),
        (9, class(2, "a.A", NORMAL).packed(6, [2])),
        (9, class(3, "a.C", NO_REFERENCES).uint(4, 16)),
        (9, class(4, "byte[]", ARRAY)),
        field(1, "a.C a.B.child"),
        field(2, "java.lang.Object a.A.base"),
        location(5, "/data/app/a-1/base.apk"),
        root(JNI_GLOBAL, &[16]),
        (10, Message::new()),
    ]);
    assert_eq!(
        trace.rows(OBJECTS),
        "\
id  class   size  native  refs  reachable  distance  root_type        heap_type
0   a.B     24    0       0     1          0         ROOT_JNI_GLOBAL  NULL
1   a.C     16    0       NULL  1          1         NULL             NULL
2   a.A     8     0       2     1          1         NULL             NULL
3   byte[]  100   0       NULL  0          -1        NULL             NULL
"
    );
    assert_eq!(
        trace.rows(CLASSES),
        "\
id  name    location                super  loader  kind
0   a.B     /data/app/a-1/base.apk  NULL   2       KIND_NORMAL
1   a.C     NULL                    NULL   NULL    KIND_NOREFERENCES
2   a.A     NULL                    NULL   NULL    KIND_NORMAL
3   byte[]  NULL                    NULL   NULL    KIND_ARRAY
"
    );
    assert_eq!(
        trace.rows(REFERENCES),
        "\
refs  owner  owned  field_name  field_type_name
0     0      1      a.B.child   a.C
0     0      2      a.A.base    java.lang.Object
2     2      NULL   a.A.base    java.lang.Object
"
    );
    assert_eq!(
        trace.cell("SELECT count(*) FROM stats WHERE name LIKE 'heap_graph%' AND value"),
        "0"
    );
}

/// Ids of objects count from the last object, ids in fields from a base. 0 is no object.
#[test]
fn ids_are_relative() {
    let of_base = Message::new().uint(1, 1000).uint(2, 1).uint(3, 8).uint(6, 1000);
    let trace = graph(vec![
        (2, of_base.packed(5, [16, 0, 32])),
        (2, Message::new().uint(7, 16).uint(2, 1).uint(3, 1)),
        (2, Message::new().uint(7, 16).uint(2, 1).uint(3, 2)),
        (9, class(1, "a.A[]", ARRAY)),
        root(JAVA_FRAME, &[1000]),
    ]);
    assert_eq!(
        trace.rows(
            "SELECT owner_id, owned_id, self_size, field_name FROM heap_graph_reference r \
            LEFT JOIN heap_graph_object o ON o.id = owned_id ORDER BY r.id"
        ),
        "\
owner_id  owned_id  self_size  field_name
0         1         1          NULL
0         NULL      NULL       NULL
0         2         2          NULL
"
    );
}

/// Class objects name their fields. What the runtime keeps for them has a name of its own.
#[test]
fn class_objects_have_superclasses() {
    let (_, of_b) = named(1, 1, &[(1, 2)]);
    let trace = graph(vec![
        (2, of_b.packed(10, [9])),
        named(2, 2, &[(1, 0)]),
        object(9, 3, 8),
        (9, class(1, "java.lang.Class<a.B>", CLASS)),
        (9, class(2, "java.lang.Class<a.A>", CLASS)),
        (9, class(3, "a.B", NORMAL)),
        (9, class(4, "a.A", NORMAL)),
        (9, class(5, "a.B[]", ARRAY)),
        field(1, "java.lang.Class java.lang.Class.superClass"),
        root(STICKY_CLASS, &[1]),
    ]);
    assert_eq!(
        trace.rows("SELECT id, name, superclass_id FROM heap_graph_class ORDER BY id"),
        "\
id  name                  superclass_id
0   java.lang.Class<a.B>  NULL
1   java.lang.Class<a.A>  NULL
2   a.B                   3
3   a.A                   NULL
4   a.B[]                 NULL
"
    );
    assert_eq!(
        trace.rows(REFERENCES),
        "\
refs  owner  owned  field_name                  field_type_name
0     0      1      java.lang.Class.superClass  java.lang.Class
0     0      2      runtimeInternalObjects      NULL
2     1      NULL   java.lang.Class.superClass  java.lang.Class
"
    );
}

/// A cleaner that ran is the next of itself. The lowest bit of a size is a flag.
#[test]
fn native_memory_belongs_to_what_it_is_cleaned_up_with() {
    let registry = |id, size| {
        let (field, object) = object(id, 4, 24);
        (field, object.int(8, size))
    };
    let cleaner = |id, referent, next, thunk| named(id, 2, &[(1, referent), (2, next), (3, thunk)]);
    let trace = graph(vec![
        object(1, 1, 40),
        cleaner(2, 1, 6, 3),
        named(3, 3, &[(4, 4)]),
        registry(4, 1001),
        object(5, 1, 40),
        cleaner(6, 1, 0, 7),
        named(7, 3, &[(4, 8)]),
        registry(8, 24),
        cleaner(9, 5, 9, 7),
        (9, class(1, "android.graphics.Bitmap", NORMAL)),
        (9, class(2, "sun.misc.Cleaner", NORMAL)),
        (9, class(3, "libcore.util.NativeAllocationRegistry$CleanerThunk", NORMAL)),
        (9, class(4, "libcore.util.NativeAllocationRegistry", NORMAL)),
        field(1, "java.lang.Object java.lang.ref.Reference.referent"),
        field(2, "sun.misc.Cleaner sun.misc.Cleaner.next"),
        field(3, "java.lang.Runnable sun.misc.Cleaner.thunk"),
        field(
            4,
            "libcore.util.NativeAllocationRegistry \
             libcore.util.NativeAllocationRegistry$CleanerThunk.this$0",
        ),
    ]);
    let sizes = "SELECT name, native_size FROM heap_graph_object o \
        JOIN heap_graph_class c ON c.id = type_id WHERE name LIKE 'android%' OR native_size \
        ORDER BY o.id";
    assert_eq!(
        trace.rows(sizes),
        "\
name                     native_size
android.graphics.Bitmap  1024
android.graphics.Bitmap  0
"
    );
}

/// Objects of the zygote and of the boot image are never collected. A heap is stated when it
/// changes. Of several kinds of root a class counts first, then those of JNI, then the first.
#[test]
fn heaps_and_kinds_of_roots() {
    let on_heap = |id, heap| {
        let (field, object) = object(id, 1, 8);
        (field, object.uint(9, heap))
    };
    let trace = graph(vec![
        on_heap(1, 1),
        object(2, 1, 8),
        on_heap(3, 2),
        object(4, 1, 8),
        on_heap(5, 3),
        on_heap(6, 0),
        object(7, 1, 8),
        on_heap(8, 99),
        (9, class(1, "a.A", NORMAL)),
        root(DEBUGGER, &[1, 2, 4]),
        root(JAVA_FRAME, &[1, 99]),
        root(JNI_LOCAL, &[2, 4]),
        root(STICKY_CLASS, &[4]),
        root(JNI_GLOBAL, &[4, 2]),
        root(77, &[7]),
    ]);
    assert_eq!(
        trace.rows("SELECT id, heap_type, root_type, reachable FROM heap_graph_object ORDER BY id"),
        "\
id  heap_type             root_type          reachable
0   HEAP_TYPE_APP         ROOT_DEBUGGER      1
1   HEAP_TYPE_APP         ROOT_JNI_GLOBAL    1
2   HEAP_TYPE_ZYGOTE      ROOT_VM_INTERNAL   1
3   HEAP_TYPE_ZYGOTE      ROOT_STICKY_CLASS  1
4   HEAP_TYPE_BOOT_IMAGE  ROOT_VM_INTERNAL   1
5   NULL                  NULL               0
6   NULL                  ROOT_UNKNOWN       1
7   NULL                  NULL               0
"
    );
}

/// A weak reference does not keep its referent alive, but its other fields.
#[test]
fn weak_references_keep_nothing_alive() {
    let trace = graph(vec![
        owner(1, 1, 8, &[2, 3]),
        object(2, 2, 8),
        owner(3, 2, 8, &[4]),
        object(4, 2, 8),
        (9, class(1, "java.lang.ref.WeakReference", WEAK_REFERENCE).packed(6, [1, 2])),
        (9, class(2, "a.A", NORMAL).packed(6, [3])),
        field(1, "java.lang.Object java.lang.ref.Reference.referent"),
        field(2, "java.lang.ref.ReferenceQueue java.lang.ref.Reference.queue"),
        field(3, "a.A a.A.next"),
        root(JNI_LOCAL, &[1]),
    ]);
    assert_eq!(
        trace.rows("SELECT id, reachable, root_distance FROM heap_graph_object ORDER BY id"),
        "\
id  reachable  root_distance
0   1          0
1   0          -1
2   1          1
3   1          2
"
    );
}

/// The distance is that from the nearest root, also in a circle.
#[test]
fn distances_are_the_shortest() {
    let trace = graph(vec![
        owner(1, 1, 8, &[2]),
        owner(2, 1, 8, &[3]),
        owner(3, 1, 8, &[4]),
        owner(4, 1, 8, &[1]),
        owner(5, 1, 8, &[4]),
        (9, class(1, "a.A[]", ARRAY)),
        root(JAVA_FRAME, &[1]),
        root(JNI_LOCAL, &[5]),
    ]);
    let distances = trace.cells("SELECT root_distance FROM heap_graph_object ORDER BY id");
    assert_eq!(distances.concat(), ["0", "1", "2", "1", "0"]);
}

#[test]
fn bitmaps_and_apps_have_primitive_fields() {
    let (field, bitmap) = object(1, 1, 8);
    let bitmap = bitmap.int(11, -5).int(12, 6).uint(13, 640).uint(14, 480);
    let (_, app) = object(2, 2, 8);
    let trace = graph(vec![
        (field, bitmap),
        (field, app.int(15, 7)),
        (9, class(1, "android.graphics.Bitmap", NORMAL)),
        (9, class(2, "android.content.pm.ApplicationInfo", NORMAL)),
    ]);
    assert_eq!(
        trace.rows(
            "SELECT o.id, field_name, field_type, int_value, long_value \
            FROM heap_graph_object o JOIN heap_graph_object_data d ON d.id = object_data_id \
            JOIN heap_graph_primitive p USING (field_set_id) ORDER BY p.id"
        ),
        "\
id  field_name                                          field_type  int_value  long_value
0   android.graphics.Bitmap.mId                         long        NULL       -5
0   android.graphics.Bitmap.mSourceId                   long        NULL       6
0   android.graphics.Bitmap.mWidth                      int         640        NULL
0   android.graphics.Bitmap.mHeight                     int         480        NULL
1   android.content.pm.ApplicationInfo.longVersionCode  long        NULL       7
"
    );
}

/// Two processes write at the same time, each on a sequence of its own.
#[test]
fn dumps_of_several_packets_and_processes() {
    let part = |pid, index, continued, parts| dump_of(pid, pid as u32, 17, index, continued, parts);
    let trace = packets([
        part(7, 0, true, vec![owner(1, 1, 8, &[2])]),
        part(8, 0, true, vec![object(1, 1, 80)]),
        part(7, 1, true, vec![object(2, 1, 9), (9, class(1, "a.A[]", ARRAY))]),
        part(8, 1, false, vec![(9, class(1, "b.B", NORMAL)), root(JAVA_FRAME, &[1])]),
        part(7, 2, false, vec![root(JAVA_FRAME, &[1])]),
        // Another dump of the same process.
        dump_of(7, 7, 30, 0, false, vec![object(1, 1, 5), (9, class(1, "a.A", NORMAL))]),
    ]);
    assert_eq!(
        trace.rows(
            "SELECT o.id, pid, graph_sample_ts AS ts, c.name, self_size, reachable \
            FROM heap_graph_object o JOIN heap_graph_class c ON c.id = type_id \
            JOIN process USING (upid) ORDER BY o.id"
        ),
        "\
id  pid  ts  name   self_size  reachable
0   8    17  b.B    80         1
1   7    17  a.A[]  8          1
2   7    17  a.A[]  9          1
3   7    30  a.A    5          0
"
    );
    assert_eq!(
        trace.rows(GRAPHS),
        "\
id  ts  pid  dump_reason  heap_size  truncated
0   17  8    NULL         NULL       0
1   17  7    NULL         NULL       0
2   30  7    NULL         NULL       0
"
    );
    assert_eq!(trace.rows(INDEXED), "name  pid  value\n");
}

#[test]
fn an_out_of_memory_error_and_its_dump() {
    let frame =
        |method: &str, line| Message::new().bytes(1, method).bytes(2, "B.java").int(3, line);
    let stack = Message::new()
        .message(1, frame("byte[] a.B.grow(int)", 20))
        .message(1, Message::new().bytes(2, "no method"))
        .message(1, frame("void a.B.main(java.lang.String[])", 10));
    let process = Message::new()
        .int(1, 7)
        .int(2, 1_010_123)
        .bytes(3, "a.app")
        .bytes(4, "a.app")
        .uint(5, 4096)
        .uint(6, 100)
        .uint(7, 200)
        .message(8, stack)
        .bytes(9, "Failed to allocate");
    let size = (2, Message::new().uint(1, 1).uint(2, 1).uint(3, 8));
    let graph = dump(10, 0, false, vec![size, (9, class(1, "a.A", NORMAL))]);
    let graph_with_size = Message::new().uint(1, 7).uint(6, 0).int(10, 5000);
    let trace = packets([
        Packet::new().sequence(2).timestamp(10).payload(131, process),
        graph,
        Packet::new().sequence(3).timestamp(10).payload(HEAP_GRAPH, graph_with_size),
        Packet::new().sequence(4).timestamp(12).payload(131, Message::new().int(1, 8)),
    ]);
    assert_eq!(
        trace.rows(GRAPHS),
        "\
id  ts  pid  dump_reason  heap_size  truncated
0   10  7    OOME         5000       0
1   12  8    NULL         NULL       0
"
    );
    let details = "heap_graph_id, allocation_size_bytes, total_bytes_free, free_bytes_until_oom, \
        error_msg";
    for table in
        ["android_heap_graph_java_oome_details", "__intrinsic_heap_graph_java_oome_details"]
    {
        let rows = trace.cells(&format!("SELECT {details} FROM {table}"));
        assert_eq!(rows, [["0", "4096", "100", "200", "Failed to allocate"]]);
    }
    assert_eq!(
        trace.rows(
            "SELECT depth, f.name, m.name AS mapping, source_file, line_number \
            FROM stack_profile_callsite c JOIN stack_profile_frame f ON f.id = frame_id \
            JOIN stack_profile_mapping m ON m.id = mapping \
            JOIN stack_profile_symbol USING (symbol_set_id) ORDER BY depth"
        ),
        "\
depth  name      mapping               source_file  line_number
0      a.B.main  art_process_metadata  B.java       10
1      a.B.grow  art_process_metadata  B.java       20
"
    );
    assert_eq!(
        trace.rows(
            "SELECT heap_graph_id, tid, depth FROM heap_graph_thread_callsite \
            JOIN thread USING (utid) JOIN stack_profile_callsite c ON c.id = callsite_id"
        ),
        "heap_graph_id  tid  depth\n0              7    1\n"
    );
    assert_eq!(
        trace.rows(
            "SELECT process.name, process.uid, package_name, package_list.uid AS app \
            FROM process JOIN package_list ON process.name = package_name"
        ),
        "name   uid      package_name  app\na.app  1010123  a.app         1010123\n"
    );
}

/// A dump without objects.
#[test]
fn an_empty_dump_has_a_row() {
    let trace = Imported::trace(TraceBuilder::new().packet(dump(10, 4, false, vec![])));
    assert_eq!(
        trace.rows(GRAPHS),
        "\
id  ts  pid  dump_reason  heap_size  truncated
0   10  7    NULL         NULL       1
"
    );
    assert!(trace.rows(STATS).contains("heap_graph_missing_packet"));
}

/// Names of the source code are those of the class's package, or of its process's, or of any where
/// the package is unknown.
#[test]
fn classes_and_fields_have_their_names_in_the_source() {
    let member = |obfuscated: &str, name: &str| Message::new().bytes(1, obfuscated).bytes(2, name);
    let mapping = |package: &str, name: &str| {
        let class = Message::new()
            .bytes(1, "a.a")
            .bytes(2, name)
            .message(3, member("x", "next"))
            .message(3, member("y", "org.Other.value"));
        let mapping = Message::new().bytes(1, package).message(3, class);
        Packet::new().sequence(3).timestamp(1).payload(64, mapping)
    };
    let at = |id: u64, name: &str, location: u64| (9, class(id, name, NORMAL).uint(2, location));
    let objects = (1..=5).map(|id| object(id, id, 8));
    let rest = vec![
        named(6, 1, &[(1, 1), (2, 2), (3, 3)]),
        at(1, "a.a", 1),
        at(2, "java.lang.Class<a.a[]>", 2),
        at(3, "a.a", 3),
        (9, class(4, "a.a", NORMAL)),
        at(5, "a.b", 1),
        field(1, "a.a a.a.x"),
        field(2, "int a.a.y"),
        field(3, "int a.a.z"),
        location(1, "/data/app/one-x/base.apk"),
        location(2, "/data/app/two-x/base.apk"),
        location(3, "/data/app/unreadable"),
    ];
    let trace = packets([
        mapping("one", "org.One"),
        dump(10, 0, false, objects.chain(rest).collect()),
        mapping("two", "org.Two"),
    ]);
    assert_eq!(
        trace
            .rows("SELECT id, name, deobfuscated_name AS source FROM heap_graph_class ORDER BY id"),
        // Of classes without a package, the last mapping counts.
        "\
id  name                    source
0   a.a                     org.One
1   java.lang.Class<a.a[]>  java.lang.Class<org.Two[]>
2   a.a                     org.Two
3   a.a                     org.Two
4   a.b                     NULL
"
    );
    assert_eq!(
        trace.rows(
            "SELECT field_name, deobfuscated_field_name AS source \
            FROM heap_graph_reference ORDER BY id"
        ),
        "\
field_name  source
a.a.x       org.Two.next
a.a.y       org.Other.value
a.a.z       NULL
"
    );
    let unreadable = "SELECT value FROM stats WHERE name = 'deobfuscate_location_parse_error'";
    assert_eq!(trace.cell(unreadable), "1");
}
