//! A profile in the format of pprof: samples, each with a stack and with values.

use datafusion::common::{Result, exec_err};
use rustc_hash::FxHashMap;

use super::wire::{Content, fields, push_bytes, push_number, push_varint};
use super::{ENTRY_NAME, STACK_ENTRY};

/// The fields of the messages of a profile.
mod field {
    pub(super) const SAMPLE_TYPE: u64 = 1;
    pub(super) const SAMPLE: u64 = 2;
    pub(super) const LOCATION: u64 = 4;
    pub(super) const FUNCTION: u64 = 5;
    pub(super) const STRING_TABLE: u64 = 6;
    /// Of a type of values.
    pub(super) const TYPE: u64 = 1;
    pub(super) const UNIT: u64 = 2;
    /// Of a sample.
    pub(super) const LOCATION_ID: u64 = 1;
    pub(super) const VALUE: u64 = 2;
    /// Of a location or a function.
    pub(super) const ID: u64 = 1;
    /// Of a location.
    pub(super) const LINE: u64 = 4;
    /// Of a line of a location.
    pub(super) const FUNCTION_ID: u64 = 1;
    /// Of a function.
    pub(super) const NAME: u64 = 2;
}

/// Collects the parts of a profile.
pub(super) struct Profile {
    /// The types of values and the samples.
    message: Vec<u8>,
    strings: Vec<String>,
    /// The position of each string in `strings`.
    string_ids: FxHashMap<String, u64>,
    /// The names of all frames, as positions in `strings`. A frame has one location and one
    /// function, with its position here plus 1 as the id of both.
    frames: Vec<u64>,
    /// The id of the frame with a name.
    frame_ids: FxHashMap<u64, u64>,
}

impl Profile {
    /// A profile with values of these types and units.
    pub(super) fn new<'a>(types: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut profile = Self {
            message: Vec::new(),
            strings: Vec::new(),
            string_ids: FxHashMap::default(),
            frames: Vec::new(),
            frame_ids: FxHashMap::default(),
        };
        // The first string is always empty.
        profile.string("");
        for (kind, unit) in types {
            let mut value_type = Vec::new();
            push_number(&mut value_type, field::TYPE, profile.string(kind));
            push_number(&mut value_type, field::UNIT, profile.string(unit));
            push_bytes(&mut profile.message, field::SAMPLE_TYPE, &value_type);
        }
        profile
    }

    /// Adds a sample, if its stack has frames.
    ///
    /// # Errors
    /// When the stack is damaged, or has frames without a name.
    pub(super) fn add(&mut self, stack: &[u8], values: &[i64]) -> Result<()> {
        let mut locations = Vec::new();
        for entry in fields(stack) {
            match entry {
                Some((STACK_ENTRY, Content::Bytes(entry))) => {
                    let frame = self.frame(frame_name(entry)?);
                    push_varint(&mut locations, frame);
                }
                Some(_) => {}
                None => return exec_err!("experimental_profile(): this is not a stack"),
            }
        }
        if locations.is_empty() {
            return Ok(());
        }
        let mut amounts = Vec::new();
        for value in values {
            push_varint(&mut amounts, value.cast_unsigned());
        }
        let mut sample = Vec::new();
        push_bytes(&mut sample, field::LOCATION_ID, &locations);
        push_bytes(&mut sample, field::VALUE, &amounts);
        push_bytes(&mut self.message, field::SAMPLE, &sample);
        Ok(())
    }

    /// The message.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut message = self.message;
        for (id, name) in (1..).zip(&self.frames) {
            let (mut line, mut location, mut function) = (Vec::new(), Vec::new(), Vec::new());
            push_number(&mut line, field::FUNCTION_ID, id);
            push_number(&mut location, field::ID, id);
            push_bytes(&mut location, field::LINE, &line);
            push_bytes(&mut message, field::LOCATION, &location);
            push_number(&mut function, field::ID, id);
            push_number(&mut function, field::NAME, *name);
            push_bytes(&mut message, field::FUNCTION, &function);
        }
        for text in &self.strings {
            push_bytes(&mut message, field::STRING_TABLE, text.as_bytes());
        }
        message
    }

    /// The position of a string.
    fn string(&mut self, text: &str) -> u64 {
        if let Some(&known) = self.string_ids.get(text) {
            return known;
        }
        let id = self.strings.len() as u64;
        self.strings.push(text.to_owned());
        self.string_ids.insert(text.to_owned(), id);
        id
    }

    /// The id of the frame with a name.
    fn frame(&mut self, name: &[u8]) -> u64 {
        let name = self.string(&String::from_utf8_lossy(name));
        let frames = &mut self.frames;
        *self.frame_ids.entry(name).or_insert_with(|| {
            frames.push(name);
            frames.len() as u64
        })
    }
}

/// The name of a frame.
fn frame_name(entry: &[u8]) -> Result<&[u8]> {
    for field in fields(entry) {
        match field {
            Some((ENTRY_NAME, Content::Bytes(name))) => return Ok(name),
            Some((_, Content::Bytes(_))) => {}
            Some((_, Content::Number(_))) => {
                return exec_err!("experimental_profile(): tpq has no call stacks yet");
            }
            None => break,
        }
    }
    exec_err!("experimental_profile(): this is not a stack")
}

#[cfg(test)]
mod tests {
    use super::super::push_frame;
    use super::*;

    /// A profile as text: each field with its number, messages in brackets.
    fn shown(message: &[u8], messages: &[u64]) -> String {
        let field = |field: Option<(u64, Content)>| match field.unwrap() {
            (field, Content::Number(value)) => format!("{field}={value}"),
            (field, Content::Bytes(bytes)) if messages.contains(&field) => {
                format!("{field}({})", shown(bytes, if field == 4 { &[4] } else { &[] }))
            }
            (field, Content::Bytes(bytes)) => match std::str::from_utf8(bytes) {
                Ok(text) if text.bytes().all(|byte| byte >= b' ') => format!("{field}='{text}'"),
                _ => format!("{field}={bytes:?}"),
            },
        };
        fields(message).map(field).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_profile_has_samples_locations_functions_and_strings() {
        let mut stack = Vec::new();
        push_frame(&mut stack, "leaf");
        push_frame(&mut stack, "root");
        let mut profile = Profile::new([("time", "ns")].into_iter());
        profile.add(&stack, &[300]).unwrap();
        profile.add(&[], &[1]).unwrap();
        push_frame(&mut stack, "root");
        profile.add(&stack, &[5]).unwrap();
        let expected = "1(1=1 2=2) 2(1=[1, 2] 2=[172, 2]) 2(1=[1, 2, 2] 2=[5]) \
                        4(1=1 4(1=1)) 5(1=1 2=3) 4(1=2 4(1=2)) 5(1=2 2=4) \
                        6='' 6='time' 6='ns' 6='leaf' 6='root'";
        assert_eq!(shown(&profile.finish(), &[1, 2, 4, 5]), expected);
    }

    #[test]
    fn what_is_not_a_stack_is_an_error() {
        let mut profile = Profile::new(std::iter::empty());
        // Cut short; a frame without a name; a frame of a table.
        for stack in [&[0x0a, 5, 1][..], &[0x0a, 0], &[0x0a, 2, 0x10, 7]] {
            assert!(profile.add(stack, &[]).is_err(), "{stack:?}");
        }
    }
}
