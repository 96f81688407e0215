//! Debug annotations: named values of any shape, flattened into args.

use tpq_proto::fields::{
    debug_annotation::{self, nested_value},
    interned_data, track_event,
};
use tpq_proto::wire::{Field, Fields, LastFields};
use tpq_tables::{Stat, StringId};

use super::json::add_json;
use super::message_paths::{DEBUG, MAX_KEY};
use super::{ArgKey, ArgValue, MAX_DEPTH, MessageArgs, Unreadable};

/// Adds one annotation under a key.
pub fn add(
    args: &mut MessageArgs<'_>,
    annotation: &[u8],
    under: ArgKey,
    depth: usize,
) -> Result<(), Unreadable> {
    let annotation = Annotation::read(annotation);
    let name = annotation.name(args)?;
    let key = args.paths.member(under, name, args.strings)?;
    value(args, &annotation, key, depth).map(drop)
}

/// The field of a track event in which its annotations lie.
pub const ANNOTATIONS: u32 = track_event::DEBUG_ANNOTATIONS;

/// Adds the annotations of an event.
pub fn add_annotations_of_event(args: &mut MessageArgs<'_>, event: &[u8]) {
    let debug = args.paths.debug();
    for field in Fields::new(event).filter(|field| field.number == ANNOTATIONS) {
        if add(args, field.as_bytes(), debug, MAX_DEPTH).is_err() {
            args.stats.increment(Stat::TrackEventParserErrors);
        }
    }
}

/// Counts what [`add_annotations_of_event`] counts, for args that are not written. The set of `args`
/// is scratch memory.
pub fn check_annotations_of_event(args: &mut MessageArgs<'_>, event: &[u8]) {
    let mut annotations = Fields::new(event).filter(|field| field.number == ANNOTATIONS);
    let left = MAX_KEY - DEBUG.len();
    if !annotations.all(|field| is_readable(args, field.as_bytes(), left, MAX_DEPTH)) {
        add_annotations_of_event(args, event);
    }
}

/// Whether it is certain that an annotation can be read and that nothing is counted for it. `left`
/// is the length that is left for keys, in bytes.
fn is_readable(args: &MessageArgs<'_>, annotation: &[u8], left: usize, depth: usize) -> bool {
    let annotation = Annotation::read(annotation);
    let name = match (annotation.name_iid, annotation.name) {
        (0, name) => name.map(<[u8]>::len),
        // The message is not shorter than the name in it.
        (iid, _) => args.len_of(interned_data::DEBUG_ANNOTATION_NAMES, iid),
    };
    let left = name.and_then(|name| left_after(name, left));
    left.is_some_and(|left| has_readable_value(args, &annotation, left, depth))
}

/// The length that is left for keys after a name of `name` bytes; `None` if it may be too long.
fn left_after(name: usize, left: usize) -> Option<usize> {
    left.checked_sub(name.saturating_mul(LONGEST_CHAR).saturating_add(DOT))
}

/// Bytes of the text that replaces a byte that is not UTF-8.
const LONGEST_CHAR: usize = char::REPLACEMENT_CHARACTER.len_utf8();
/// Bytes before a name in a key.
const DOT: usize = 1;
/// Largest length of the position of an element in a key: brackets and 20 digits.
const LONGEST_POSITION: usize = 22;

/// The same for the value of an annotation under its key. JSON and messages are left to [`value`].
fn has_readable_value(
    args: &MessageArgs<'_>,
    annotation: &Annotation<'_>,
    left: usize,
    depth: usize,
) -> bool {
    if depth == 0 {
        return false;
    }
    let Some(field) = annotation.value else { return true };
    match field.number {
        debug_annotation::DICT_ENTRIES => annotation
            .fields(debug_annotation::DICT_ENTRIES)
            .all(|entry| is_readable(args, entry, left, depth - 1)),
        debug_annotation::ARRAY_VALUES => {
            let Some(left) = left.checked_sub(LONGEST_POSITION) else { return false };
            annotation
                .fields(debug_annotation::ARRAY_VALUES)
                .all(|it| has_readable_value(args, &Annotation::read(it), left, depth - 1))
        }
        debug_annotation::LEGACY_JSON_VALUE | debug_annotation::PROTO_VALUE => false,
        debug_annotation::NESTED_VALUE => is_nested_readable(field.as_bytes(), left, depth - 1),
        debug_annotation::STRING_VALUE_IID => {
            let kind = interned_data::DEBUG_ANNOTATION_STRING_VALUES;
            args.len_of(kind, field.as_u64()).is_some()
        }
        _ => true,
    }
}

/// The same for a nested value of the older form; see [`nested`].
fn is_nested_readable(value: &[u8], left: usize, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    let all = |number| Fields::new(value).filter(move |field| field.number == number);
    match all(nested_value::NESTED_TYPE).last().map_or(0, |field| field.as_u64()) {
        DICT => {
            let (keys, values) = (all(nested_value::DICT_KEYS), all(nested_value::DICT_VALUES));
            keys.clone().count() == values.clone().count()
                && keys.zip(values).all(|(name, value)| {
                    let left = left_after(name.as_bytes().len(), left);
                    left.is_some_and(|left| is_nested_readable(value.as_bytes(), left, depth - 1))
                })
        }
        ARRAY => left.checked_sub(LONGEST_POSITION).is_some_and(|left| {
            let mut elements = all(nested_value::ARRAY_VALUES);
            elements.all(|element| is_nested_readable(element.as_bytes(), left, depth - 1))
        }),
        _ => true,
    }
}

/// An annotation, read in one pass.
struct Annotation<'a> {
    data: &'a [u8],
    name: Option<&'a [u8]>,
    name_iid: u64,
    /// The value that counts, if there is one.
    value: Option<Field<'a>>,
}

/// The fields that hold values. Where an annotation has several, which no program writes, the first
/// of these counts.
const VALUES: [u32; 12] = [
    debug_annotation::DICT_ENTRIES,
    debug_annotation::ARRAY_VALUES,
    debug_annotation::BOOL_VALUE,
    debug_annotation::UINT_VALUE,
    debug_annotation::INT_VALUE,
    debug_annotation::DOUBLE_VALUE,
    debug_annotation::STRING_VALUE,
    debug_annotation::STRING_VALUE_IID,
    debug_annotation::POINTER_VALUE,
    debug_annotation::LEGACY_JSON_VALUE,
    debug_annotation::PROTO_VALUE,
    debug_annotation::NESTED_VALUE,
];

/// The rank of a field that holds no value.
const NO_VALUE: u8 = u8::MAX;

/// The rank of each field by its number: its position in [`VALUES`].
const RANKS: [u8; 32] = {
    let mut ranks = [NO_VALUE; 32];
    let mut rank = 0;
    while rank < VALUES.len() {
        ranks[VALUES[rank] as usize] = rank as u8;
        rank += 1;
    }
    ranks
};

impl<'a> Annotation<'a> {
    fn read(data: &'a [u8]) -> Self {
        let mut annotation = Self { data, name: None, name_iid: 0, value: None };
        let mut first = NO_VALUE;
        for field in Fields::new(data) {
            match field.number {
                debug_annotation::NAME_IID => annotation.name_iid = field.as_u64(),
                debug_annotation::NAME => annotation.name = Some(field.as_bytes()),
                number => {
                    let rank = RANKS.get(number as usize).copied().unwrap_or(NO_VALUE);
                    if rank != NO_VALUE && rank <= first {
                        (annotation.value, first) = (Some(field), rank);
                    }
                }
            }
        }
        annotation
    }

    fn name(&self, args: &mut MessageArgs<'_>) -> Result<StringId, Unreadable> {
        match (self.name_iid, self.name) {
            (0, None) => Err(Unreadable),
            (0, Some(name)) => Ok(args.strings.intern_bytes(name)),
            (iid, _) => args.text(interned_data::DEBUG_ANNOTATION_NAMES, iid),
        }
    }

    fn fields(&self, number: u32) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let fields = Fields::new(self.data).filter(move |field| field.number == number);
        fields.map(|field| field.as_bytes())
    }
}

/// Adds the value of an annotation; returns whether it counts as an element of an array.
fn value(
    args: &mut MessageArgs<'_>,
    annotation: &Annotation<'_>,
    key: ArgKey,
    depth: usize,
) -> Result<bool, Unreadable> {
    if depth == 0 {
        return Err(Unreadable);
    }
    let Some(field) = annotation.value else { return Ok(false) };
    let value = match field.number {
        debug_annotation::DICT_ENTRIES => {
            for entry in annotation.fields(debug_annotation::DICT_ENTRIES) {
                add(args, entry, key, depth - 1)?;
            }
            return Ok(true);
        }
        debug_annotation::ARRAY_VALUES => return array(args, annotation, key, depth),
        debug_annotation::LEGACY_JSON_VALUE => {
            json(args, field.as_bytes(), key);
            return Ok(true);
        }
        debug_annotation::PROTO_VALUE => {
            return proto(args, annotation, field.as_bytes(), key, depth);
        }
        debug_annotation::NESTED_VALUE => return nested(args, field.as_bytes(), key, depth - 1),
        debug_annotation::BOOL_VALUE => ArgValue::Bool(field.as_bool()),
        debug_annotation::UINT_VALUE => ArgValue::Uint(field.as_u64()),
        debug_annotation::INT_VALUE => ArgValue::Int(field.as_i64()),
        debug_annotation::DOUBLE_VALUE => ArgValue::Real(field.as_f64()),
        debug_annotation::STRING_VALUE => {
            ArgValue::String(args.strings.intern_bytes(field.as_bytes()))
        }
        debug_annotation::POINTER_VALUE => ArgValue::Pointer(field.as_u64()),
        _ => ArgValue::String(
            args.text(interned_data::DEBUG_ANNOTATION_STRING_VALUES, field.as_u64())?,
        ),
    };
    args.push(key, value);
    Ok(true)
}

fn array(
    args: &mut MessageArgs<'_>,
    annotation: &Annotation<'_>,
    key: ArgKey,
    depth: usize,
) -> Result<bool, Unreadable> {
    let first = args.args.elements(key.full);
    let mut index = first;
    for element in annotation.fields(debug_annotation::ARRAY_VALUES) {
        let at = args.paths.element(key, index, args.strings)?;
        if value(args, &Annotation::read(element), at, depth - 1)? {
            index += 1;
            args.args.set_elements(key.full, index);
        }
    }
    Ok(index > first)
}

fn json(args: &mut MessageArgs<'_>, json: &[u8], key: ArgKey) {
    let [flat, full] = [key.flat, key.full].map(|key| args.strings.get(key).to_owned());
    if add_json(json, &flat, &full, args.strings, args.args).is_err() {
        args.stats.increment(Stat::JsonParserFailure);
    }
}

/// A message with a type that the annotation names.
fn proto(
    args: &mut MessageArgs<'_>,
    annotation: &Annotation<'_>,
    message: &[u8],
    key: ArgKey,
    depth: usize,
) -> Result<bool, Unreadable> {
    let named = LastFields::<17>::new(annotation.data);
    let name = match (
        named.get(debug_annotation::PROTO_TYPE_NAME),
        named.get(debug_annotation::PROTO_TYPE_NAME_IID),
    ) {
        (Some(name), _) => args.strings.intern_bytes(name.as_bytes()),
        (None, Some(iid)) => {
            args.text(interned_data::DEBUG_ANNOTATION_VALUE_TYPE_NAMES, iid.as_u64())?
        }
        (None, None) => return Err(Unreadable),
    };
    let at = args.paths.message(key, args.strings.get(name)).ok_or(Unreadable)?;
    match args.paths.is_annotation(args.paths.get(at).kind) {
        true => add(args, message, key, depth - 1)?,
        false => args.message(message, at, depth - 1)?,
    }
    Ok(true)
}

/// The kind of a value of the older form.
const DICT: u64 = 1;
const ARRAY: u64 = 2;

/// The older form of nested values: keys and values in two lists side by side.
fn nested(
    args: &mut MessageArgs<'_>,
    nested_value: &[u8],
    key: ArgKey,
    depth: usize,
) -> Result<bool, Unreadable> {
    if depth == 0 {
        return Err(Unreadable);
    }
    let fields = LastFields::<9>::new(nested_value);
    let all = |number| Fields::new(nested_value).filter(move |field| field.number == number);
    match fields.uint(nested_value::NESTED_TYPE) {
        DICT => {
            if all(nested_value::DICT_KEYS).count() != all(nested_value::DICT_VALUES).count() {
                return Err(Unreadable);
            }
            for (name, value) in all(nested_value::DICT_KEYS).zip(all(nested_value::DICT_VALUES)) {
                let name = args.strings.intern_bytes(name.as_bytes());
                let key = args.paths.member(key, name, args.strings)?;
                nested(args, value.as_bytes(), key, depth - 1)?;
            }
            Ok(true)
        }
        ARRAY => {
            let first = args.args.elements(key.full);
            let mut index = first;
            for element in all(nested_value::ARRAY_VALUES) {
                let at = args.paths.element(key, index, args.strings)?;
                if nested(args, element.as_bytes(), at, depth - 1)? {
                    index += 1;
                    args.args.set_elements(key.full, index);
                }
            }
            Ok(index > first)
        }
        _ => {
            let Some(field) = [
                nested_value::BOOL_VALUE,
                nested_value::INT_VALUE,
                nested_value::DOUBLE_VALUE,
                nested_value::STRING_VALUE,
            ]
            .into_iter()
            .find_map(|number| fields.get(number)) else {
                return Ok(false);
            };
            let value = match field.number {
                nested_value::INT_VALUE => ArgValue::Int(field.as_i64()),
                nested_value::DOUBLE_VALUE => ArgValue::Real(field.as_f64()),
                nested_value::BOOL_VALUE => ArgValue::Bool(field.as_bool()),
                _ => ArgValue::String(args.strings.intern_bytes(field.as_bytes())),
            };
            args.push(key, value);
            Ok(true)
        }
    }
}
