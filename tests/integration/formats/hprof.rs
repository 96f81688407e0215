//! Dumps of Java heaps.

use tpq_testkit::{Hprof, JavaClass, JavaType, gzip};

use super::{PLACES, kind_and_clock};
use crate::imported::Imported;

const OBJECT: u32 = 0x10;
const CLASS: u32 = 0x11;
const STRING: u32 = 0x12;
const BYTES: u32 = 0x13;
const NODE: u32 = 0x14;
const NODES: u32 = 0x15;
const REFERENCE: u32 = 0x16;
const WEAK: u32 = 0x17;

/// Classes as Android names them, and those of weak references. A node has a next node and values;
/// its class has a static node, a number and a class loader.
fn classes() -> Hprof {
    let object = JavaClass { id: OBJECT, size: 8, ..JavaClass::default() };
    let of = |id, superclass, size| JavaClass { id, superclass, size, ..JavaClass::default() };
    let strings = JavaClass { fields: &[("value", JavaType::Object)], ..of(STRING, OBJECT, 16) };
    let nodes = JavaClass {
        loader: 0x100,
        statics: &[
            ("first", JavaType::Object, &[0, 0, 1, 0]),
            ("count", JavaType::Int, &[0xff, 0xff, 0xff, 0xfe]),
        ],
        fields: &[
            ("next", JavaType::Object),
            ("small", JavaType::Byte),
            ("large", JavaType::Long),
            ("is_set", JavaType::Boolean),
        ],
        ..of(NODE, OBJECT, 24)
    };
    let references =
        JavaClass { fields: &[("referent", JavaType::Object)], ..of(REFERENCE, OBJECT, 12) };
    Hprof::new()
        .class_name(OBJECT, "java.lang.Object")
        .class_name(CLASS, "java.lang.Class")
        .class_name(STRING, "java.lang.String")
        .class_name(BYTES, "byte[]")
        .class_name(NODE, "Node")
        .class_name(NODES, "Node[]")
        .class_name(REFERENCE, "java.lang.ref.Reference")
        .class_name(WEAK, "java.lang.ref.WeakReference")
        .heap("app")
        .class(&object)
        .class(&of(CLASS, OBJECT, 40))
        .class(&strings)
        .class(&of(BYTES, OBJECT, 12))
        .class(&nodes)
        .class(&of(NODES, OBJECT, 12))
        .class(&references)
        .class(&of(WEAK, REFERENCE, 12))
}

/// Node 0x100 refers to node 0x101, which an array refers to as well. A weak reference alone refers
/// to node 0x102, and nothing to node 0x103, which refers to an object that is not there.
fn objects() -> Hprof {
    let node = |next: u32, small: u8| {
        [&next.to_be_bytes()[..], &[small], &(-5_i64).to_be_bytes(), &[1]].concat()
    };
    classes()
        .root(0x05, NODE, &[])
        .root(0x01, 0x200, &[0; 4])
        .root(0x08, 0x300, &[0; 8])
        .instance(0x100, NODE, &node(0x101, 0xff))
        .instance(0x101, NODE, &node(0, 1))
        .instance(0x102, NODE, &node(0, 2))
        .heap("zygote")
        .instance(0x103, NODE, &node(0x999, 3))
        .object_array(0x200, NODES, &[0x101, 0, 0x400])
        .instance(0x300, WEAK, &0x102_u32.to_be_bytes())
        .instance(0x400, STRING, &0x401_u32.to_be_bytes())
        .primitive_array(0x401, JavaType::Byte, 2, b"hi")
}

fn dump() -> Vec<u8> {
    objects().build()
}

/// Objects that are no classes. A node has 24 bytes by its class, the array 12 and 3 ids of 4
/// bytes, the array of bytes 12 and 2.
#[test]
fn objects_of_a_heap() {
    let trace = Imported::file(dump());
    let objects = "SELECT c.name, self_size AS size, reachable, root_distance AS distance, \
        root_type, heap_type FROM heap_graph_object o JOIN heap_graph_class c ON c.id = o.type_id \
        WHERE c.name NOT GLOB 'java.lang.Class*' ORDER BY o.id";
    assert_eq!(
        trace.rows(objects),
        "\
name                         size  reachable  distance  root_type      heap_type
Node                         24    1          1         NULL           app
Node                         24    1          1         NULL           app
Node                         24    0          -1        NULL           app
Node                         24    0          -1        NULL           zygote
Node[]                       24    1          0         JNI_GLOBAL     zygote
java.lang.ref.WeakReference  12    1          0         THREAD_OBJECT  zygote
java.lang.String             16    1          1         NULL           zygote
byte[]                       14    1          2         NULL           zygote
"
    );
    let times = "SELECT DISTINCT graph_sample_ts, upid = (SELECT upid FROM heap_graph) AS same, \
        (SELECT ts FROM heap_graph) AS ts, (SELECT truncated FROM heap_graph) AS truncated \
        FROM heap_graph_object";
    assert_eq!(trace.cells(times), [["1000000000", "1", "1000000000", "0"]]);
    assert_eq!(kind_and_clock(&trace), ("art_hprof".to_owned(), vec![vec!["1".to_owned()]]));
}

/// A class as an object has the size of `java.lang.Class`, 40, and of its static fields: 4 and 4.
/// The class of nodes is a root and refers to its first node.
#[test]
fn classes_of_a_heap() {
    let trace = Imported::file(dump());
    let classes = "SELECT c.name, s.name AS super, c.kind, c.classloader_id IS NOT NULL AS loader \
        FROM heap_graph_class c LEFT JOIN heap_graph_class s ON s.id = c.superclass_id \
        ORDER BY c.id";
    let rows = trace.cells(classes);
    let other = "[unknown class kind]";
    assert_eq!(
        rows[..8],
        [
            ["java.lang.Object", "NULL", other, "0"],
            ["java.lang.Class", "java.lang.Object", other, "0"],
            ["java.lang.String", "java.lang.Object", other, "0"],
            ["byte[]", "java.lang.Object", other, "0"],
            ["Node", "java.lang.Object", other, "1"],
            ["Node[]", "java.lang.Object", other, "0"],
            ["java.lang.ref.Reference", "java.lang.Object", other, "0"],
            ["java.lang.ref.WeakReference", "java.lang.ref.Reference", "KIND_WEAK_REFERENCE", "0"],
        ]
    );
    assert_eq!(rows.len(), 16, "each class is an object as well");
    let of_nodes = "SELECT self_size, root_type, root_distance FROM heap_graph_object o \
        JOIN heap_graph_class c ON c.id = o.type_id WHERE c.name = 'java.lang.Class<Node>'";
    assert_eq!(trace.cells(of_nodes), [["48", "STICKY_CLASS", "0"]]);
}

#[test]
fn references_of_a_heap() {
    let trace = Imported::file(dump());
    let references = "SELECT oc.name AS owner, field_name AS field, field_type_name AS type, \
        r.owned_id IS NOT NULL AS found, r.reference_set_id = o.reference_set_id AS same \
        FROM heap_graph_reference r JOIN heap_graph_object o ON o.id = r.owner_id \
        JOIN heap_graph_class oc ON oc.id = o.type_id ORDER BY r.id";
    assert_eq!(
        trace.rows(references),
        "\
owner                        field                             type              found  same
java.lang.Class<Node>        Node.first                        Node              1      1
Node                         Node.next                         Node              1      1
Node                         Node.next                         unknown           0      1
Node[]                       [0]                               Node              1      1
Node[]                       [2]                               java.lang.String  1      1
java.lang.ref.WeakReference  java.lang.ref.Reference.referent  Node              1      1
java.lang.String             java.lang.String.value            byte[]            1      1
"
    );
    let stats = trace.cells(
        "SELECT name, value FROM stats WHERE name GLOB 'hprof_*' AND value > 0 ORDER BY name",
    );
    assert_eq!(
        stats,
        [
            ["hprof_class_counter", "8"],
            ["hprof_heap_dump_counter", "1"],
            ["hprof_instance_counter", "6"],
            ["hprof_object_array_counter", "1"],
            ["hprof_primitive_array_counter", "1"],
            // 18 texts, 8 names of classes, a section, 2 names of heaps, 8 classes, 3 roots and 8
            // objects.
            ["hprof_record_counter", "48"],
            ["hprof_reference_counter", "7"],
            ["hprof_reference_errors", "1"],
            ["hprof_root_counter", "3"],
            ["hprof_string_counter", "18"],
        ]
    );
}

/// A byte is signed: 0xff is -1.
#[test]
fn values_of_objects() {
    let trace = Imported::file(dump());
    let values = "SELECT field_name AS field, field_type AS type, bool_value AS bool, \
        byte_value AS byte, int_value AS int, long_value AS long FROM heap_graph_object o \
        JOIN heap_graph_object_data d ON d.id = o.object_data_id \
        JOIN heap_graph_primitive p ON p.field_set_id = d.field_set_id ORDER BY p.id LIMIT 4";
    assert_eq!(
        trace.rows(values),
        "\
field        type     bool  byte  int   long
Node.count   int      NULL  NULL  -2    NULL
Node.small   byte     NULL  -1    NULL  NULL
Node.large   long     NULL  NULL  NULL  -5
Node.is_set  boolean  1     NULL  NULL  NULL
"
    );
    let texts = "SELECT c.name, value_string, array_element_type AS type, array_element_count AS n, \
        array_data_hash IS NOT NULL AS hash FROM heap_graph_object o \
        JOIN heap_graph_class c ON c.id = o.type_id \
        JOIN heap_graph_object_data d ON d.id = o.object_data_id \
        WHERE field_set_id IS NULL ORDER BY o.id";
    assert_eq!(
        trace.rows(texts),
        "\
name              value_string  type  n     hash
java.lang.String  hi            NULL  NULL  0
byte[]            NULL          byte  2     1
"
    );
}

/// A cleaner refers to a node, and by a thunk to a registry of 4,097 bytes, of which a bit states
/// the kind of memory.
#[test]
fn native_memory_of_objects() {
    let (cleaner, thunk, registry) = (0x20, 0x21, 0x22);
    let class = |id, superclass, fields| JavaClass {
        id,
        superclass,
        size: 8,
        fields,
        ..JavaClass::default()
    };
    let dump = objects()
        .class_name(cleaner, "sun.misc.Cleaner")
        .class_name(thunk, "libcore.util.NativeAllocationRegistry$CleanerThunk")
        .class_name(registry, "libcore.util.NativeAllocationRegistry")
        .class(&class(cleaner, REFERENCE, &[("thunk", JavaType::Object)]))
        .class(&class(thunk, OBJECT, &[("this$0", JavaType::Object)]))
        .class(&class(registry, OBJECT, &[("size", JavaType::Long)]))
        .instance(0x500, cleaner, &[0, 0, 5, 1, 0, 0, 1, 1])
        .instance(0x501, thunk, &[0, 0, 5, 2])
        .instance(0x502, registry, &4097_u64.to_be_bytes());
    let trace = Imported::file(dump.build());
    let native = "SELECT c.name, native_size, reachable FROM heap_graph_object o \
        JOIN heap_graph_class c ON c.id = o.type_id WHERE native_size > 0";
    assert_eq!(trace.cells(native), [["Node", "4096", "1"]]);
}

/// Other virtual machines name classes otherwise and have a code of characters.
#[test]
fn a_dump_of_another_virtual_machine() {
    let fields: &[_] = &[("value", JavaType::Object), ("coder", JavaType::Byte)];
    let string = JavaClass { id: STRING, size: 16, fields, ..JavaClass::default() };
    let dump = Hprof::new()
        .class_name(STRING, "java/lang/String")
        .class_name(BYTES, "[B")
        .class_name(NODES, "[Ljava/lang/String;")
        .class(&string)
        .class(&JavaClass { id: BYTES, ..JavaClass::default() })
        .instance(0x400, STRING, &[0, 0, 4, 1, 0])
        .primitive_array(0x401, JavaType::Byte, 2, b"h\xe9")
        .instance(0x402, STRING, &[0, 0, 4, 3, 1])
        .primitive_array(0x403, JavaType::Byte, 2, &[0xac, 0x20]);
    let trace = Imported::file(dump.build());
    let texts = "SELECT value_string FROM heap_graph_object_data \
        WHERE value_string IS NOT NULL ORDER BY id";
    assert_eq!(trace.cells(texts), [["hé"], ["€"]]);
    let names = trace.cells("SELECT name FROM heap_graph_class ORDER BY id LIMIT 3");
    assert_eq!(names, [["java.lang.String"], ["byte[]"], ["java.lang.String[]"]]);
    let heaps = "SELECT DISTINCT heap_type FROM heap_graph_object";
    assert_eq!(trace.cells(heaps), [["NULL"]]);
}

#[test]
fn damaged_dumps() {
    let whole = dump();
    let cut = Imported::file(&whole[..whole.len() - 12]);
    assert_eq!(cut.cell("SELECT truncated FROM heap_graph"), "1");
    assert_eq!(
        cut.cells(PLACES),
        [["format_parse_errors", "NULL", "the file ends within this record"]]
    );
    let unknown = objects().in_heap(&[0x77, 1, 2]).record(0x07, &[0; 24]);
    let trace = Imported::file(unknown.build());
    let what = "from here on this section of the heap cannot be read";
    assert_eq!(trace.cells(PLACES), [["format_parse_errors", "NULL", what]]);
    assert_eq!(trace.cell("SELECT count(*) FROM heap_graph_object"), "16");
    let not_read = "SELECT idx, value FROM stats WHERE name = 'format_records_not_read'";
    assert_eq!(trace.cells(not_read), [["7", "1"]]);
    // Objects of a class without a name, and classes that inherit from each other.
    let loops = Hprof::new()
        .class_name(1, "A")
        .class_name(2, "B")
        .class(&JavaClass { id: 1, superclass: 2, ..JavaClass::default() })
        .class(&JavaClass { id: 2, superclass: 1, ..JavaClass::default() })
        .instance(8, 1, &[1])
        .instance(9, 7, &[]);
    let trace = Imported::file(loops.build());
    assert_eq!(trace.cell("SELECT count(*) FROM heap_graph_object"), "3");
    let errors = "SELECT value FROM stats WHERE name = 'hprof_class_errors'";
    assert_eq!(trace.cell(errors), "1");
}

#[test]
fn a_compressed_dump() {
    let trace = Imported::file(gzip(&dump()));
    assert_eq!(trace.cell("SELECT count(*) FROM heap_graph_object"), "16");
}
