use super::*;

/// A length-delimited field.
fn bytes(number: u8, content: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut len = content.len();
    while len > 0x7f {
        field.push(len as u8 | 0x80);
        len >>= 7;
    }
    field.push(len as u8);
    field.extend(content);
    field
}

fn string(number: u8, text: &str) -> Vec<u8> {
    bytes(number, text.as_bytes())
}

fn varint(number: u8, value: u8) -> Vec<u8> {
    assert!(value < 0x80);
    vec![number << 3, value]
}

/// A `FieldDescriptorProto`. Types with a number above 10 have a name.
fn field(name: &str, number: u8, label: u8, wire_type: u8, type_name: &str) -> Vec<u8> {
    let mut field = [string(1, name), varint(3, number), varint(4, label)].concat();
    field.extend(varint(5, wire_type));
    if !type_name.is_empty() {
        field.extend(string(6, type_name));
    }
    field
}

/// A `FileDescriptorSet` with one file of package `p`.
fn set(declarations: &[Vec<u8>]) -> Vec<u8> {
    bytes(1, &[string(1, "file"), string(2, "p"), declarations.concat()].concat())
}

fn field_of<'a>(pool: &'a DescriptorPool, message: &str, number: u32) -> &'a FieldDescriptor {
    let message = pool.message(pool.find_message(message).unwrap()).unwrap();
    message.fields.get(&number).unwrap()
}

#[test]
fn descriptors_of_track_events_are_built_in() {
    let pool = DescriptorPool::track_event();
    let event = ".perfetto.protos.TrackEvent";
    let task = field_of(&pool, event, 5);
    assert_eq!((&*task.name, task.extension), ("task_execution", false));
    let annotator = field_of(&pool, event, 1002);
    assert_eq!((&*annotator.name, annotator.extension), ("chrome_task_annotator", true));
    let freezer = field_of(&pool, event, 2009);
    assert_eq!(&*freezer.name, "freezer_event");
    let Kind::Enum(kind) = field_of(&pool, event, 9).kind else { panic!("an enum") };
    assert_eq!(pool.value_name(kind, 3), Some("TYPE_INSTANT"));
    assert_eq!(pool.value_name(kind, 99), None);
    // All named types are resolved.
    for message in &pool.messages {
        for field in message.fields.values() {
            assert!(!matches!(field.kind, Kind::Enum(UNKNOWN) | Kind::Message(UNKNOWN)));
        }
    }
    let mut again = DescriptorPool::clone(&pool);
    let built = include_bytes!(concat!(env!("OUT_DIR"), "/track_event.bin"));
    assert_eq!(again.add(built), Ok(()));
    assert_eq!(again.members, pool.members, "nothing is added twice");
}

#[test]
fn types_are_found_from_the_inside_out() {
    let inner = bytes(3, &string(1, "Other"));
    let outer = [
        string(1, "Outer"),
        inner,
        bytes(2, &field("near", 1, 1, 11, "Other")),
        bytes(2, &field("far", 2, 3, 11, ".p.Other")),
        bytes(2, &field("word", 3, 1, 14, "Word")),
    ];
    let value = bytes(2, &[string(1, "WORD_A"), varint(2, 4)].concat());
    let word = bytes(5, &[string(1, "Word"), value].concat());
    let mut pool = DescriptorPool::default();
    let other = bytes(4, &string(1, "Other"));
    assert_eq!(pool.add(&set(&[bytes(4, &outer.concat()), word, other])), Ok(()));
    let kind = |number| field_of(&pool, "p.Outer", number).kind;
    assert_eq!(kind(1), Kind::Message(pool.find_message("p.Outer.Other").unwrap()));
    assert_eq!(kind(2), Kind::Message(pool.find_message("p.Other").unwrap()));
    assert!(field_of(&pool, "p.Outer", 2).repeated);
    let Kind::Enum(word) = kind(3) else { panic!("an enum") };
    assert_eq!(pool.value_name(word, 4), Some("WORD_A"));
}

#[test]
fn later_descriptors_add_to_earlier_ones_and_change_nothing() {
    let message = |fields: &[Vec<u8>]| {
        let fields: Vec<u8> = fields.iter().flat_map(|field| bytes(2, field)).collect();
        bytes(4, &[string(1, "M"), fields].concat())
    };
    let mut pool = DescriptorPool::default();
    assert_eq!(pool.add(&set(&[message(&[field("a", 1, 1, 13, "")])])), Ok(()));
    let later = [field("b", 1, 1, 4, ""), field("c", 2, 1, 9, "")];
    assert_eq!(pool.add(&set(&[message(&later)])), Ok(()));
    assert_eq!(&*field_of(&pool, "p.M", 1).name, "a");
    assert_eq!(field_of(&pool, "p.M", 1).kind, Kind::Uint32);
    assert_eq!(field_of(&pool, "p.M", 2).kind, Kind::String);
    let contradicting = message(&[field("a", 1, 1, 9, "")]);
    assert_eq!(pool.add(&set(&[contradicting])), Err(Incomplete));
    assert_eq!(field_of(&pool, "p.M", 1).kind, Kind::Uint32);
}

#[test]
fn extensions_of_files_and_messages() {
    let extension = |name, number| {
        [field(name, number, 1, 9, ""), string(2, ".perfetto.protos.TrackEvent")].concat()
    };
    let holder = bytes(4, &[string(1, "Holder"), bytes(6, &extension("held", 99))].concat());
    let mut pool = DescriptorPool::clone(&DescriptorPool::track_event());
    assert_eq!(pool.add(&set(&[holder, bytes(7, &extension("plain", 98))])), Ok(()));
    for (number, name) in [(99, "held"), (98, "plain")] {
        let field = field_of(&pool, "perfetto.protos.TrackEvent", number);
        assert_eq!((&*field.name, field.extension), (name, true));
    }
    let of_nothing = [field("lost", 97, 1, 9, ""), string(2, ".p.Nothing")].concat();
    assert_eq!(pool.add(&set(&[bytes(7, &of_nothing)])), Err(Incomplete));
}

#[test]
fn a_type_without_a_description_is_incomplete() {
    let message = bytes(4, &[string(1, "M"), bytes(2, &field("x", 1, 1, 11, "Gone"))].concat());
    let mut pool = DescriptorPool::default();
    assert_eq!(pool.add(&set(&[message])), Err(Incomplete));
    let Kind::Message(gone) = field_of(&pool, "p.M", 1).kind else { panic!("a message") };
    assert!(pool.message(gone).is_none());
}

#[test]
fn descriptors_beyond_the_limits_are_left_out() {
    let mut pool = DescriptorPool::default();
    let mut nested = string(1, "M");
    for _ in 0..1000 {
        nested = [string(1, "M"), bytes(3, &nested)].concat();
    }
    assert_eq!(pool.add(&set(&[bytes(4, &nested)])), Err(Incomplete));
    assert_eq!(pool.names.len(), MAX_NESTING);
    let long = bytes(4, &string(1, &"N".repeat(MAX_NAME)));
    assert_eq!(pool.add(&set(&[long])), Err(Incomplete));
    let many: Vec<Vec<u8>> =
        (0..2 * MAX_TYPES).map(|i| bytes(5, &string(1, &format!("E{i}")))).collect();
    assert_eq!(pool.add(&set(&many)), Err(Incomplete));
    assert_eq!(pool.names.len(), MAX_TYPES);
}

#[test]
fn damaged_descriptors_are_incomplete_and_do_not_panic() {
    let built = include_bytes!(concat!(env!("OUT_DIR"), "/track_event.bin"));
    let mut pool = DescriptorPool::default();
    assert_eq!(pool.add(&built[..built.len() / 2]), Err(Incomplete));
    for len in (0..built.len()).step_by(997) {
        let _ = DescriptorPool::default().add(&built[..len]);
    }
}
