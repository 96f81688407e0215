//! Heaps: graphs of Java objects, and profiles of allocations.

use crate::StringId;

declare_table! {
    /// A dump of the Java heap of a process.
    table "heap_graph" => HeapGraphTable, HeapGraphRow {
        /// Time of the dump, ns in trace time.
        ts: i64 => Timestamp,
        /// Process; join with `process` on `upid`.
        upid: u32 => JoinId("process"),
        /// Cause of the dump: `OOME` for an `OutOfMemoryError`; NULL if unknown.
        dump_reason: StringId => String,
        /// Memory that the runtime counts as allocated, bytes; NULL if it was not recorded.
        heap_size: Option<i64> => Long,
        /// Whether packets of the dump are missing, so that objects are.
        truncated: u32 => Bool,
    }
}

declare_table! {
    /// A class of Java objects in a heap dump.
    table "heap_graph_class" => HeapGraphClassTable, HeapGraphClassRow {
        /// Name of the class, as in the running code; NULL if it was not recorded.
        name: StringId => String,
        /// Name of the class in the source code; NULL unless the trace has a mapping for it.
        deobfuscated_name: StringId => String,
        /// File that the class was loaded from.
        location: StringId => String,
        /// Superclass; NULL if unknown. Join with `heap_graph_class` on `id`.
        superclass_id: Option<u32> => JoinId("heap_graph_class"),
        /// Class loader; NULL if unknown. Join with `heap_graph_object` on `id`.
        classloader_id: Option<u32> => JoinId("heap_graph_object"),
        /// Kind of the class, such as `KIND_NORMAL` or `KIND_WEAK_REFERENCE`.
        kind: StringId => String,
    }
}

declare_table! {
    /// A Java object in a heap dump. Rows with the same `upid` and `graph_sample_ts` are one dump.
    table "heap_graph_object" => HeapGraphObjectTable, HeapGraphObjectRow {
        /// Process; join with `process` on `upid`.
        upid: u32 => JoinId("process"),
        /// Time of the dump, ns in trace time.
        graph_sample_ts: i64 => Timestamp,
        /// Size on the Java heap, bytes; -1 for an object that others refer to and that is not in
        /// the trace.
        self_size: i64 => Long,
        /// Native memory that is registered for the object, bytes.
        native_size: i64 => Long,
        /// References of the object; NULL without any. Join with `heap_graph_reference` on
        /// `reference_set_id`.
        reference_set_id: Option<u32> => Long,
        /// Whether a root keeps the object alive.
        reachable: u32 => Bool,
        /// Heap of the object, such as `HEAP_TYPE_APP`, or `app` in a file of HPROF; NULL if
        /// unknown.
        heap_type: StringId => String,
        /// Class; join with `heap_graph_class` on `id`.
        type_id: u32 => JoinId("heap_graph_class"),
        /// Kind of root that the object is, such as `ROOT_JNI_GLOBAL`, or `JNI_GLOBAL` in a file of
        /// HPROF; NULL if it is none.
        root_type: StringId => String,
        /// Number of references on the shortest path from a root; -1 if there is none.
        root_distance: i32 => Long,
        /// Contents of the object; NULL if not recorded. Join with `heap_graph_object_data` on
        /// `id`.
        object_data_id: Option<u32> => JoinId("heap_graph_object_data"),
    }
}

declare_table! {
    /// Contents of a Java object.
    table "heap_graph_object_data" => HeapGraphObjectDataTable, HeapGraphObjectDataRow {
        /// Primitive fields of the object; NULL without any. Join with `heap_graph_primitive` on
        /// `field_set_id`.
        field_set_id: Option<u32> => Long,
        /// Text of a `java.lang.String`; NULL for others.
        value_string: StringId => String,
        /// Type of the elements of an array of primitives; NULL for others.
        array_element_type: StringId => String,
        /// Number of elements of an array of primitives; NULL for others.
        array_element_count: Option<u32> => Long,
        /// Id of the stored elements of an array of primitives; NULL, because none are stored.
        array_data_id: Option<u32> => Long,
        /// Hash of the elements of an array of primitives; NULL for others.
        array_data_hash: Option<i64> => Long,
    }
}

declare_table! {
    /// A reference from a Java object to another.
    table "heap_graph_reference" => HeapGraphReferenceTable, HeapGraphReferenceRow {
        /// All references of the object that has this one; join with `heap_graph_object` on
        /// `reference_set_id`.
        reference_set_id: u32 => Long,
        /// Object that refers; join with `heap_graph_object` on `id`.
        owner_id: u32 => JoinId("heap_graph_object"),
        /// Object that is referred to; NULL for a reference to nothing. Join with
        /// `heap_graph_object` on `id`.
        owned_id: Option<u32> => JoinId("heap_graph_object"),
        /// Field with its class, as in the running code; NULL for an element of an array.
        field_name: StringId => String,
        /// Declared type of the field; NULL if unknown.
        field_type_name: StringId => String,
        /// Field with its class in the source code; NULL unless the trace has a mapping for it.
        deobfuscated_field_name: StringId => String,
    }
}

declare_table! {
    /// A primitive field of a Java object. One of the columns of values is not NULL.
    table "heap_graph_primitive" => HeapGraphPrimitiveTable, HeapGraphPrimitiveRow {
        /// All primitive fields of the object; join with `heap_graph_object_data` on
        /// `field_set_id`.
        field_set_id: u32 => Long,
        /// Field with its class.
        field_name: StringId => String,
        /// Type of the field, such as `int`.
        field_type: StringId => String,
        /// Value of a `boolean`.
        bool_value: Option<u32> => Bool,
        /// Value of a `byte`.
        byte_value: Option<i64> => Long,
        /// Value of a `char`, as its code.
        char_value: Option<i64> => Long,
        /// Value of a `short`.
        short_value: Option<i64> => Long,
        /// Value of an `int`.
        int_value: Option<i64> => Long,
        /// Value of a `long`.
        long_value: Option<i64> => Long,
        /// Value of a `float`.
        float_value: Option<f64> => Double,
        /// Value of a `double`.
        double_value: Option<f64> => Double,
    }
}

declare_table! {
    /// The call stack of a thread when the Java heap was dumped.
    table "heap_graph_thread_callsite" => HeapGraphThreadCallsiteTable, HeapGraphThreadCallsiteRow {
        /// Dump; join with `heap_graph` on `id`.
        heap_graph_id: u32 => JoinId("heap_graph"),
        /// Thread; join with `thread` on `utid`.
        utid: u32 => JoinId("thread"),
        /// Innermost call; NULL for an empty stack. Join with `stack_profile_callsite` on `id`.
        callsite_id: Option<u32> => JoinId("stack_profile_callsite"),
    }
}

declare_table! {
    /// An `OutOfMemoryError` that caused a dump of the Java heap.
    table "android_heap_graph_java_oome_details" => JavaOomeDetailsTable, JavaOomeDetailsRow {
        /// Dump; join with `heap_graph` on `id`.
        heap_graph_id: u32 => JoinId("heap_graph"),
        /// Size of the allocation that failed, bytes.
        allocation_size_bytes: i64 => Long,
        /// Free memory in the heap, bytes.
        total_bytes_free: i64 => Long,
        /// Memory that could be allocated before the limit of the heap, bytes.
        free_bytes_until_oom: i64 => Long,
        /// Message of the error; NULL without one.
        error_msg: StringId => String,
    }
}

declare_table! {
    /// The span that one dump of a heap profile covers, for one heap of a process. Join with
    /// `heap_profile_allocation` on `upid`, and its `ts` with `ts_end`.
    table "heap_profile" => HeapProfileTable, HeapProfileRow {
        /// Start of the span, ns in trace time; the end if it was not recorded.
        ts: i64 => Timestamp,
        /// Time of the dump, ns in trace time.
        ts_end: i64 => Timestamp,
        /// Duration of the span, ns.
        dur: i64 => Duration,
        /// Process; join with `process` on `upid`.
        upid: u32 => JoinId("process"),
        /// Name of the heap, such as `libc.malloc`; NULL if it was not recorded.
        heap_name: StringId => String,
    }
}

declare_table! {
    /// Memory that was allocated at a call site since the dump before, or freed.
    table "heap_profile_allocation" => HeapProfileAllocationTable, HeapProfileAllocationRow {
        /// Time of the dump, ns in trace time.
        ts: i64 => Timestamp,
        /// Process; join with `process` on `upid`.
        upid: u32 => JoinId("process"),
        /// Name of the heap, such as `libc.malloc`; `unknown` if it was not recorded.
        heap_name: StringId => String,
        /// Call site; join with `stack_profile_callsite` on `id`.
        callsite_id: u32 => JoinId("stack_profile_callsite"),
        /// Number of allocations; negative where they were freed.
        count: i64 => Long,
        /// Size of the allocations, bytes; negative where they were freed.
        size: i64 => Long,
    }
}
