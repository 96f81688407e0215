//! Heaps, calls and events of runtimes.

use crate::{Hprof, JavaClass, JavaType};

pub(super) fn java_heap() -> Vec<u8> {
    let class = |id, superclass, fields| JavaClass {
        id,
        superclass,
        size: 16,
        fields,
        ..JavaClass::default()
    };
    Hprof::new()
        .class_name(0x10, "java.lang.Object")
        .class_name(0x11, "java.lang.Class")
        .class_name(0x12, "java.lang.String")
        .class_name(0x13, "byte[]")
        .class_name(0x14, "Node[]")
        .class_name(0x15, "java.lang.ref.WeakReference")
        .heap("app")
        .class(&class(0x10, 0, &[]))
        .class(&class(0x11, 0x10, &[]))
        .class(&JavaClass {
            statics: &[("first", JavaType::Object, &[0, 0, 1, 0]), ("n", JavaType::Int, &[0; 4])],
            ..class(0x12, 0x10, &[("value", JavaType::Object), ("hash", JavaType::Long)])
        })
        .class(&class(0x13, 0x10, &[]))
        .class(&class(0x15, 0x10, &[("referent", JavaType::Object)]))
        .root(0x05, 0x12, &[])
        .root(0x01, 0x200, &[0; 4])
        .instance(0x100, 0x12, &[0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 9])
        .primitive_array(0x101, JavaType::Byte, 2, b"hi")
        .object_array(0x200, 0x14, &[0x100, 0, 0x300])
        .instance(0x300, 0x15, &[0, 0, 1, 0])
        .build()
}

/// The header of a trace of methods: the version, and the size of a call.
fn methods_header(version: u16, size: u16) -> Vec<u8> {
    let mut header = b"SLOW".to_vec();
    header.extend([version, 32].map(u16::to_le_bytes).concat());
    header.extend(1_000_u64.to_le_bytes());
    header.extend(size.to_le_bytes());
    header.resize(32, 0);
    header
}

const METHODS: [&str; 2] =
    ["0x10\tcom/app/Main\trun\t()V\tMain.java\t12", "0x20\tA\tb\t(I)V\tA.java"];
/// Methods and times of calls; the lowest bits state whether a method is left.
const CALLS: [(u32, u32); 4] = [(0x10, 5), (0x20, 6), (0x21, 8), (0x12, 9)];

pub(super) fn methods() -> Vec<u8> {
    let lists = "*version\n3\ndata-file-overflow=false\nclock=dual\n*threads\n7\tmain\n*methods\n";
    let mut trace = [lists, &METHODS.join("\n"), "\n*end\n"].concat().into_bytes();
    trace.extend(methods_header(3, 14));
    for (method, at) in CALLS {
        trace.extend(7_u16.to_le_bytes());
        trace.extend([method, 99, at].map(u32::to_le_bytes).concat());
    }
    trace
}

pub(super) fn streamed_methods() -> Vec<u8> {
    let mut trace = methods_header(0xf0 ^ 2, 10);
    trace.extend([0, 0, 2, 7, 0, 4, 0]);
    trace.extend(b"main");
    for line in METHODS {
        trace.extend([0, 0, 1, line.len() as u8, 0]);
        trace.extend(line.as_bytes());
    }
    for (method, at) in CALLS {
        trace.extend(7_u16.to_le_bytes());
        trace.extend([method, at].map(u32::to_le_bytes).concat());
    }
    trace.extend([0, 0, 3]);
    trace
}

/// Texts, a thread, slices with an argument, a counter, a flow, and a switch.
pub(super) fn fuchsia() -> Vec<u8> {
    let record = |kind: u64, bits: u64, words: &[u64]| {
        let header = kind | (words.len() as u64 + 1) << 4 | bits;
        [&[header][..], words].concat().into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>()
    };
    let define =
        |index: u64, text: [u8; 8]| record(2, index << 16 | 8 << 32, &[u64::from_le_bytes(text)]);
    let event = |kind: u64, ticks: u64, args: u64, words: &[u64]| {
        let bits = kind << 16 | args << 20 | 1 << 24 | 1 << 32 | 2 << 48;
        record(4, bits, &[&[ticks][..], words].concat())
    };
    let number = 1 | 1 << 4 | 1 << 16 | 7 << 32;
    [
        vec![0x10, 0, 4, 0x46, 0x78, 0x54, 0x16, 0],
        record(1, 0, &[1_000_000]),
        define(1, *b"category"),
        define(2, *b"the work"),
        record(3, 1 << 16, &[70, 71]),
        event(2, 100, 1, &[number]),
        event(0, 150, 0, &[]),
        event(3, 200, 0, &[]),
        event(4, 300, 0, &[340]),
        event(1, 310, 1, &[number, 0]),
        event(5, 320, 0, &[9]),
        event(7, 330, 0, &[9]),
        event(8, 335, 0, &[9]),
        record(8, 3 << 20 | 3 << 36 | 1 << 60, &[450, 0, 71]),
        record(9, 0, &[1]),
    ]
    .concat()
}
