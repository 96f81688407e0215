//! The keys of typed messages: the name of a field at its path, made once for each path.

use std::cell::OnceCell;
use std::fmt::Write;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_proto::fields::track_event;
use tpq_proto::reflect::{DescriptorPool, FieldDescriptor, Incomplete, Kind, Width};
use tpq_tables::{StringId, StringPool};

use super::snapshot_fields::SnapshotFields;

/// Keys longer than this are of no program's making, in bytes.
pub(super) const MAX_KEY: usize = 4096;
/// The key that all annotations lie under.
pub(super) const DEBUG: &str = "debug";

/// The fields of track events that become args, in addition to extensions. The other fields (name,
/// track, time) are columns.
const SHOWN: [u32; 17] = [
    track_event::CC_SCHEDULER_STATE,
    track_event::CHROME_USER_EVENT,
    track_event::CHROME_KEYED_SERVICE,
    track_event::CHROME_LEGACY_IPC,
    track_event::CHROME_HISTOGRAM_SAMPLE,
    track_event::CHROME_LATENCY_INFO,
    track_event::CHROME_FRAME_REPORTER,
    track_event::SOURCE_LOCATION,
    track_event::SOURCE_LOCATION_IID,
    track_event::CHROME_MESSAGE_PUMP,
    track_event::CHROME_MOJO_EVENT_INFO,
    track_event::CHROME_APPLICATION_STATE_INFO,
    track_event::CHROME_RENDERER_SCHEDULER_STATE,
    track_event::CHROME_WINDOW_HANDLE_EVENT_INFO,
    track_event::CHROME_CONTENT_SETTINGS_EVENT_INFO,
    track_event::CHROME_ACTIVE_PROCESSES,
    track_event::SCREENSHOT,
];

/// A key without and with array positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ArgKey {
    /// The key without array positions: `flat_key` of `args`.
    pub flat: StringId,
    /// The key with array positions: `key` of `args`.
    pub full: StringId,
}

/// The keys of a source location.
#[derive(Clone, Copy, Debug)]
pub struct LocationKeys {
    /// Key of the file.
    pub file: StringId,
    /// Key of the function.
    pub function: StringId,
    /// Key of the line number.
    pub line: StringId,
}

/// A source location.
#[derive(Clone, Copy, Debug)]
pub struct SourceLocation {
    /// Path of the file.
    pub file: StringId,
    /// Name of the function.
    pub function: StringId,
    /// Line number, from 1, if known.
    pub line: Option<u32>,
}

/// Fields that are shown in another way than their type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// The id of a source location.
    SourceLocation,
    /// The id of a code address.
    NativeSymbol,
    /// A process that was there.
    ActiveProcess,
    /// The id of an interned text, with the kind of interned data.
    InternedText(u32),
}

/// A path in a message to a value, and how the value is read.
#[derive(Clone, Copy, Debug)]
pub struct MessagePath {
    /// Key of the arg.
    pub key: ArgKey,
    /// Kind of the value.
    pub kind: Kind,
    /// Encoding of the value.
    pub width: Width,
    /// Whether the field is repeated.
    pub repeated: bool,
    /// Whether it becomes args at all.
    pub shown: bool,
    /// Set if the value is shown otherwise than its type says.
    pub special: Option<Special>,
}

/// The number of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PathId(u32);

/// The reason why a field has no path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoPath {
    /// No descriptor describes the field.
    Unknown,
    /// Its key is longer than any program makes it.
    LongKey,
}

/// Remembers the descriptors that hold in a file, and the keys of what was seen.
pub struct MessagePaths {
    /// Read when the first message is met: many traces hold none.
    described: OnceCell<Described>,
    paths: Vec<MessagePath>,
    /// By message, number of the field, and position among the field's values.
    fields: FxHashMap<(PathId, u32, u32), PathId>,
    /// Messages that lie in no other.
    roots: FxHashMap<(ArgKey, u32), PathId>,
    /// Named values under a key.
    members: FxHashMap<(ArgKey, StringId), ArgKey>,
    /// The keys with positions of the elements of arrays, by array and position; NULL where none was
    /// asked for. Those of an array lie side by side, as they are asked for one after another.
    elements: FxHashMap<ArgKey, Vec<StringId>>,
    /// Places in source code, by the key that stands before theirs.
    location_keys: FxHashMap<String, LocationKeys>,
    /// Interned source locations, by the scope of interned data and their id.
    locations: FxHashMap<(u32, u64), SourceLocation>,
    debug: ArgKey,
}

/// Descriptions of messages.
struct Described {
    descriptors: Arc<DescriptorPool>,
    track_event: u32,
    annotation: Option<u32>,
    snapshots: SnapshotFields,
}

impl Described {
    fn usual() -> Self {
        let descriptors = DescriptorPool::track_event();
        let track_event = descriptors.find_message("perfetto.protos.TrackEvent");
        let annotation = descriptors.find_message("perfetto.protos.DebugAnnotation");
        let snapshots = SnapshotFields::new(&descriptors);
        Self { descriptors, track_event: track_event.unwrap_or(u32::MAX), annotation, snapshots }
    }
}

impl MessagePaths {
    /// Creates an empty set of paths; interns the keys that every trace uses.
    pub fn new(strings: &mut StringPool) -> Self {
        let debug = strings.intern(DEBUG);
        Self {
            described: OnceCell::new(),
            paths: Vec::new(),
            fields: FxHashMap::default(),
            roots: FxHashMap::default(),
            members: FxHashMap::default(),
            elements: FxHashMap::default(),
            location_keys: FxHashMap::default(),
            locations: FxHashMap::default(),
            debug: ArgKey { flat: debug, full: debug },
        }
    }

    /// Adds what a recording describes itself: an encoded `FileDescriptorSet`.
    pub fn describe(&mut self, descriptors: &[u8]) -> Result<(), Incomplete> {
        // An unknown type may be known now.
        self.paths.clear();
        self.fields.clear();
        self.roots.clear();
        let mut described = self.described.take().unwrap_or_else(Described::usual);
        let added = Arc::make_mut(&mut described.descriptors).add(descriptors);
        // It was taken out a moment ago.
        let _ = self.described.set(described);
        added
    }

    fn described(&self) -> &Described {
        self.described.get_or_init(Described::usual)
    }

    /// The keys of a source location, behind another.
    pub fn location_keys(&mut self, around: &str, strings: &mut StringPool) -> LocationKeys {
        if let Some(&keys) = self.location_keys.get(around) {
            return keys;
        }
        let [file, function, line] = ["file_name", "function_name", "line_number"]
            .map(|name| strings.intern(&format!("{around}.{name}")));
        let keys = LocationKeys { file, function, line };
        self.location_keys.insert(around.to_owned(), keys);
        keys
    }

    /// A source location that was read before, by the scope of interned data and its id.
    pub(super) fn location(&self, scope: u32, iid: u64) -> Option<SourceLocation> {
        self.locations.get(&(scope, iid)).copied()
    }

    /// Keeps a source location that was read: nearly every event of a browser names one.
    pub(super) fn keep_location(&mut self, scope: u32, iid: u64, location: SourceLocation) {
        self.locations.insert((scope, iid), location);
    }

    /// The key all annotations lie under.
    pub fn debug(&self) -> ArgKey {
        self.debug
    }

    /// Where the fields of track events lie.
    pub fn track_event(&mut self) -> PathId {
        self.root(ArgKey::default(), self.described().track_event)
    }

    /// Where the fields of a message lie that was put under a key, by the message's full name.
    pub fn message(&mut self, key: ArgKey, name: &str) -> Option<PathId> {
        let message = self.described().descriptors.find_message(name)?;
        Some(self.root(key, message))
    }

    fn root(&mut self, key: ArgKey, message: u32) -> PathId {
        if let Some(&path) = self.roots.get(&(key, message)) {
            return path;
        }
        let path = self.push(MessagePath {
            key,
            kind: Kind::Message(message),
            width: Width::Varint,
            repeated: false,
            shown: true,
            special: None,
        });
        self.roots.insert((key, message), path);
        path
    }

    fn push(&mut self, path: MessagePath) -> PathId {
        let id = PathId(self.paths.len() as u32);
        self.paths.push(path);
        id
    }

    /// Returns the description of a path.
    pub fn get(&self, path: PathId) -> MessagePath {
        self.paths[path.0 as usize]
    }

    /// Whether values of that kind are annotations.
    pub fn is_annotation(&self, kind: Kind) -> bool {
        self.described().annotation.is_some_and(|annotation| kind == Kind::Message(annotation))
    }

    /// Whether descriptors describe messages of that kind.
    pub fn is_described(&self, kind: Kind) -> bool {
        let Kind::Message(message) = kind else { return false };
        self.described().descriptors.message(message).is_some()
    }

    /// The name of a value of an enum.
    pub fn value_name(&self, enumeration: u32, value: i32) -> Option<&str> {
        self.described().descriptors.value_name(enumeration, value)
    }

    /// The name of a value of an enum, by the enum's full name.
    pub fn enum_value_name(&self, enumeration: &str, value: i32) -> Option<&str> {
        self.value_name(self.described().descriptors.find_enum(enumeration)?, value)
    }

    /// Where the value of a field lies, by its position among the field's values.
    #[inline]
    pub fn field(
        &mut self,
        message: PathId,
        number: u32,
        position: u32,
        strings: &mut StringPool,
    ) -> Result<PathId, NoPath> {
        match self.fields.get(&(message, number, position)) {
            Some(&path) => Ok(path),
            None => self.add_field(message, number, position, strings),
        }
    }

    fn add_field(
        &mut self,
        message: PathId,
        number: u32,
        position: u32,
        strings: &mut StringPool,
    ) -> Result<PathId, NoPath> {
        let above = self.get(message);
        let Kind::Message(index) = above.kind else { return Err(NoPath::Unknown) };
        let Described { descriptors, track_event, snapshots, .. } = self.described();
        let fields = descriptors.message(index).map(|message| &message.fields);
        let field = fields.and_then(|fields| fields.get(&number)).ok_or(NoPath::Unknown)?;
        let of_event = index == *track_event && above.key == ArgKey::default();
        let mut path = path_of_field(above.key, (number, field), position, of_event, strings)?;
        path.shown &= !snapshots.is_separate(index, number);
        let interned = snapshots.interned_kind(index, number).map(Special::InternedText);
        path.special = path.special.or(interned);
        let path = self.push(path);
        self.fields.insert((message, number, position), path);
        Ok(path)
    }

    /// The key of a named value under another. Dots and brackets in the name would look like
    /// nesting, so they are replaced.
    pub fn member(
        &mut self,
        under: ArgKey,
        name: StringId,
        strings: &mut StringPool,
    ) -> Result<ArgKey, NoPath> {
        if let Some(&key) = self.members.get(&(under, name)) {
            return Ok(key);
        }
        let text = strings.get(name).replace(['.', '[', ']'], "_");
        let flat = child_key(under.flat, &text, strings)?;
        let full = match under.flat == under.full {
            true => flat,
            false => child_key(under.full, &text, strings)?,
        };
        let key = ArgKey { flat, full };
        self.members.insert((under, name), key);
        Ok(key)
    }

    /// The key of an array's element.
    pub fn element(
        &mut self,
        array: ArgKey,
        index: usize,
        strings: &mut StringPool,
    ) -> Result<ArgKey, NoPath> {
        let known = self.elements.get(&array).and_then(|known| known.get(index)).copied();
        match known {
            Some(full) if !full.is_null() => Ok(ArgKey { flat: array.flat, full }),
            _ => self.add_element(array, index, strings),
        }
    }

    fn add_element(
        &mut self,
        array: ArgKey,
        index: usize,
        strings: &mut StringPool,
    ) -> Result<ArgKey, NoPath> {
        let mut full = strings.get(array.full).to_owned();
        if full.len() >= MAX_KEY {
            return Err(NoPath::LongKey);
        }
        // Writing to a string cannot fail.
        let _ = write!(full, "[{index}]");
        let full = strings.intern(&full);
        // An array can go on where JSON under the same key ended.
        let known = self.elements.entry(array).or_default();
        if index >= known.len() {
            known.resize(index + 1, StringId::NULL);
        }
        known[index] = full;
        Ok(ArgKey { flat: array.flat, full })
    }
}

/// The path of a field's value under a key.
fn path_of_field(
    above: ArgKey,
    (number, field): (u32, &FieldDescriptor),
    position: u32,
    of_event: bool,
    strings: &mut StringPool,
) -> Result<MessagePath, NoPath> {
    let FieldDescriptor { name, kind, width, repeated, extension } = field;
    let flat = child_key(above.flat, name, strings)?;
    let full = match (*repeated, above.flat == above.full) {
        (true, _) => child_key(above.full, &format!("{name}[{position}]"), strings)?,
        (false, true) => flat,
        (false, false) => child_key(above.full, name, strings)?,
    };
    Ok(MessagePath {
        key: ArgKey { flat, full },
        kind: *kind,
        width: *width,
        repeated: *repeated,
        shown: !of_event || *extension || SHOWN.contains(&number),
        special: special(strings.get(flat)),
    })
}

/// Exceptions for fields, by key.
fn special(flat_key: &str) -> Option<Special> {
    match flat_key {
        "begin_impl_frame_args.current_args.source_location_iid"
        | "begin_impl_frame_args.last_args.source_location_iid"
        | "begin_frame_observer_state.last_begin_frame_args.source_location_iid"
        | "chrome_memory_pressure_notification.creation_location_iid" => {
            Some(Special::SourceLocation)
        }
        "chrome_mojo_event_info.mojo_interface_method_iid" => Some(Special::NativeSymbol),
        "active_processes.pid" => Some(Special::ActiveProcess),
        _ => None,
    }
}

/// A name under a key.
fn child_key(under: StringId, name: &str, strings: &mut StringPool) -> Result<StringId, NoPath> {
    let above = strings.get(under);
    if above.len() + name.len() >= MAX_KEY {
        return Err(NoPath::LongKey);
    }
    let key = match above.is_empty() {
        true => name.to_owned(),
        false => format!("{above}.{name}"),
    };
    Ok(strings.intern(&key))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two keys of a path.
    fn keys(paths: &MessagePaths, path: PathId, strings: &StringPool) -> (String, String) {
        let key = paths.get(path).key;
        (strings.get(key.flat).to_owned(), strings.get(key.full).to_owned())
    }

    #[test]
    fn keys_are_names_joined_with_positions_in_one_of_the_two() {
        let mut strings = StringPool::default();
        let mut paths = MessagePaths::new(&mut strings);
        let event = paths.track_event();
        let latency = paths.field(event, 1068, 0, &mut strings).unwrap();
        assert!(paths.get(latency).shown);
        let component = paths.field(latency, 4, 2, &mut strings).unwrap();
        let time = paths.field(component, 2, 0, &mut strings).unwrap();
        let (flat, full) = keys(&paths, time, &strings);
        assert_eq!(flat, "chrome_latency_info.component_info.time_us");
        assert_eq!(full, "chrome_latency_info.component_info[2].time_us");
        assert_eq!(paths.field(component, 2, 0, &mut strings), Ok(time), "made once");
        assert_eq!(paths.field(component, 99, 0, &mut strings), Err(NoPath::Unknown));
        assert_eq!(paths.field(time, 1, 0, &mut strings), Err(NoPath::Unknown), "no message");
    }

    #[test]
    fn fields_of_the_event_itself_are_not_shown() {
        let mut strings = StringPool::default();
        let mut paths = MessagePaths::new(&mut strings);
        let event = paths.track_event();
        for (number, shown) in [(9, false), (11, false), (24, true), (50, true), (1000, true)] {
            let field = paths.field(event, number, 0, &mut strings).unwrap();
            assert_eq!(paths.get(field).shown, shown, "{number}");
        }
        // An event as the value of an annotation is a message like any other.
        let debug = paths.debug();
        let event = paths.message(debug, ".perfetto.protos.TrackEvent").unwrap();
        let kind = paths.field(event, 9, 0, &mut strings).unwrap();
        assert!(paths.get(kind).shown);
        assert_eq!(keys(&paths, kind, &strings).1, "debug.type");
    }

    #[test]
    fn names_in_annotations_do_not_look_like_nesting() {
        let mut strings = StringPool::default();
        let mut paths = MessagePaths::new(&mut strings);
        let name = strings.intern("a.b[0]");
        let debug = paths.debug();
        let key = paths.member(debug, name, &mut strings).unwrap();
        assert_eq!(strings.get(key.full), "debug.a_b_0_");
        let element = paths.element(key, 3, &mut strings).unwrap();
        assert_eq!(paths.element(key, 3, &mut strings).unwrap(), element);
        assert_eq!(strings.get(element.full), "debug.a_b_0_[3]");
        let first = paths.element(key, 0, &mut strings).unwrap();
        assert_eq!(strings.get(first.full), "debug.a_b_0_[0]", "asked for after a later one");
        assert_eq!((first.flat, element.flat), (key.flat, key.flat));
        assert_eq!(paths.element(key, 3, &mut strings).unwrap(), element);
        let member = paths.member(element, name, &mut strings).unwrap();
        assert_eq!(strings.get(member.flat), "debug.a_b_0_.a_b_0_");
        assert_eq!(strings.get(member.full), "debug.a_b_0_[3].a_b_0_");
    }

    #[test]
    fn keys_end_somewhere() {
        let mut strings = StringPool::default();
        let mut paths = MessagePaths::new(&mut strings);
        let name = strings.intern(&"n".repeat(1000));
        let mut key = paths.debug();
        let mut depth = 0;
        while let Ok(member) = paths.member(key, name, &mut strings) {
            key = member;
            depth += 1;
        }
        assert_eq!(depth, 4);
    }
}
