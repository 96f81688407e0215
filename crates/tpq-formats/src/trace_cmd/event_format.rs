//! Formats of events, as the kernel writes them:
//!
//! ```text
//! name: sched_waking
//! ID: 317
//! format:
//!     field:unsigned short common_type; offset:0; size:2; signed:0;
//!     field:char comm[16]; offset:8; size:16; signed:0;
//!     field:__data_loc char[] name; offset:24; size:4; signed:0;
//! ```

use crate::text::number;

/// A field of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FormatField<'a> {
    pub(super) name: &'a [u8],
    /// Type as C has it, with the brackets of an array.
    pub(super) c_type: &'a [u8],
    pub(super) offset: usize,
    pub(super) size: usize,
    pub(super) is_signed: bool,
    /// Number of elements of an array; 0 if it is not known, 1 of no array.
    pub(super) elements: usize,
    pub(super) place: Place,
}

/// Where the value of a field lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// At its offset.
    Here,
    /// The field has the offset and the length of the value.
    Elsewhere,
    /// The same, with an offset that counts from the end of the field.
    Relative,
}

impl FormatField<'_> {
    /// Whether it is an array of characters.
    pub(super) fn is_text(&self) -> bool {
        let has = |word: &[u8]| memchr::memmem::find(self.c_type, word).is_some();
        has(b"char") && !has(b"*") && (self.elements != 1 || self.place != Place::Here)
    }

    /// Whether it is an address of a text that the event does not have.
    pub(super) fn is_text_elsewhere(&self) -> bool {
        let has = |word: &[u8]| memchr::memmem::find(self.c_type, word).is_some();
        has(b"char") && has(b"*")
    }
}

/// The format of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EventFormat<'a> {
    pub(super) name: &'a [u8],
    pub(super) id: u16,
    pub(super) fields: Vec<FormatField<'a>>,
}

impl<'a> EventFormat<'a> {
    pub(super) fn read(text: &'a [u8]) -> Option<Self> {
        let lines = || text.split(|&byte| byte == b'\n');
        let value = |key: &[u8]| lines().find_map(|line| line.strip_prefix(key));
        let name = value(b"name:")?.trim_ascii();
        let id = number(value(b"ID:")?.trim_ascii())?;
        // The text to print an event may look like anything.
        let fields = lines().take_while(|line| !line.starts_with(b"print fmt"));
        Some(Self { name, id, fields: fields.filter_map(field_of_line).collect() })
    }

    /// The field of that name.
    pub(super) fn field(&self, name: &[u8]) -> Option<&FormatField<'a>> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// Reads a line with a field.
pub(super) fn field_of_line(line: &[u8]) -> Option<FormatField<'_>> {
    let line = line.trim_ascii().strip_prefix(b"field:")?;
    let mut parts = line.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
    let declaration = parts.next()?;
    let (mut offset, mut size, mut is_signed) = (None, None, false);
    for part in parts {
        if let Some(value) = part.strip_prefix(b"offset:") {
            offset = number(value);
        } else if let Some(value) = part.strip_prefix(b"size:") {
            size = number(value);
        } else if let Some(value) = part.strip_prefix(b"signed:") {
            is_signed = value == b"1";
        }
    }
    let (offset, size) = (offset?, size?);
    let (declared, elements) = match memchr::memrchr(b'[', declaration) {
        // The brackets of `__data_loc char[] name` are part of the type.
        Some(open) if declaration.ends_with(b"]") => {
            let inside = declaration.get(open + 1..declaration.len() - 1)?;
            (declaration.get(..open)?, number(inside.trim_ascii()).unwrap_or(0))
        }
        _ => (declaration, 1),
    };
    let declared = declared.trim_ascii_end();
    let start = declared.iter().rposition(|&byte| byte == b' ' || byte == b'*')? + 1;
    let (c_type, name) = declared.split_at_checked(start)?;
    let place = match c_type {
        _ if c_type.starts_with(b"__data_loc ") => Place::Elsewhere,
        _ if c_type.starts_with(b"__rel_loc ") => Place::Relative,
        _ => Place::Here,
    };
    Some(FormatField { name, c_type, offset, size, is_signed, elements, place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        let text =
            b"name: a_b\nID: 317\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n
\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;
\tfield:unsigned long args[6];\toffset:24;\tsize:48;\tsigned:0;
\tfield:__data_loc char[] name;\toffset:72;\tsize:4;\tsigned:0;
\tfield:const char * str;\toffset:80;\tsize:8;\tsigned:0;
\tfield:char buf[];\toffset:88;\tsize:0;\tsigned:0;

print fmt: \"field:%s\", REC->name\n";
        let format = EventFormat::read(text).unwrap();
        assert_eq!((format.name, format.id), (&b"a_b"[..], 317));
        let field = |name: &[u8]| {
            let field = format.field(name).unwrap();
            let is_text = (field.is_text(), field.is_text_elsewhere());
            (field.offset, field.size, field.is_signed, field.elements, field.place, is_text)
        };
        let no_text = (false, false);
        assert_eq!(field(b"common_pid"), (4, 4, true, 1, Place::Here, no_text));
        assert_eq!(field(b"comm"), (8, 16, false, 16, Place::Here, (true, false)));
        assert_eq!(field(b"args"), (24, 48, false, 6, Place::Here, no_text));
        assert_eq!(field(b"name"), (72, 4, false, 1, Place::Elsewhere, (true, false)));
        assert_eq!(field(b"str"), (80, 8, false, 1, Place::Here, (false, true)));
        assert_eq!(field(b"buf"), (88, 0, false, 0, Place::Here, (true, false)));
        assert_eq!(EventFormat::read(b"name: x\n"), None);
        assert_eq!(EventFormat::read(b"name: x\nID: 99999\n"), None);
    }
}
