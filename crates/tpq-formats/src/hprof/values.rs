//! Values of fields, texts of strings, and elements of arrays.

use tpq_tables::table::{HeapGraphObjectDataRow, HeapGraphPrimitiveRow};
use tpq_tables::{StringId, Tables};

use super::heap::{Heap, NONE, Object};
use super::names::Names;
use super::records::{ObjectDump, ObjectKind, Type};

const STRING: &str = "java.lang.String";
/// The value of `java.lang.String.coder` for text in UTF-16.
const UTF16: u64 = 1;

/// Writes the contents of objects.
pub(super) struct Values {
    /// The class of strings.
    string: u32,
    value: Option<StringId>,
    offset: Option<StringId>,
    count: Option<StringId>,
    coder: Option<StringId>,
    /// Bytes of text that may still be written. Many strings can have the same characters.
    budget: usize,
    /// Strings without their text.
    pub(super) without_text: i64,
}

impl Values {
    pub(super) fn new(names: &Names, file_len: usize, tables: &Tables) -> Self {
        let field = |name: &str| tables.strings.find(&format!("{STRING}.{name}"));
        Self {
            string: names.class(STRING, tables).unwrap_or(NONE),
            value: field("value"),
            offset: field("offset"),
            count: field("count"),
            coder: field("coder"),
            budget: file_len.saturating_mul(4),
            without_text: 0,
        }
    }

    /// Writes the contents of an object of a class. Returns the row, if it has any.
    pub(super) fn write(
        &mut self,
        (object, class): (&Object, u32),
        heap: &Heap<'_>,
        names: &Names,
        tables: &mut Tables,
    ) -> Option<u32> {
        let field_set = tables.heap_graph_primitive.len();
        let mut row = HeapGraphObjectDataRow::default();
        if object.class_object != NONE {
            write_statics(object.class_object, heap, names, tables);
        } else {
            let contents = heap.contents(object)?;
            match contents.kind {
                ObjectKind::Instance => {
                    write_fields(class, &contents, heap, names, tables);
                    if class == self.string {
                        row.value_string = self.text(&contents, heap, names, tables);
                    }
                }
                ObjectKind::PrimitiveArray(element) if !contents.data.is_empty() => {
                    row.array_element_type = tables.strings.intern(element.name());
                    row.array_element_count = Some(contents.count);
                    row.array_data_hash = Some(hash(contents.data, element).cast_signed());
                }
                _ => {}
            }
        }
        row.field_set_id = (tables.heap_graph_primitive.len() > field_set).then_some(field_set);
        let has_contents = row.field_set_id.is_some()
            || !row.value_string.is_null()
            || row.array_element_count.is_some();
        has_contents.then(|| tables.heap_graph_object_data.push(row))
    }

    /// The text of a string; NULL if it has none.
    fn text(
        &mut self,
        string: &ObjectDump<'_>,
        heap: &Heap<'_>,
        names: &Names,
        tables: &mut Tables,
    ) -> StringId {
        let (mut value, mut offset, mut count, mut is_utf16) = (0, None, None, false);
        heap.fields(self.string, string.data, |class, place, _, found| {
            let name = Some(names.field(class, place));
            match name {
                _ if name == self.value => value = found,
                _ if name == self.offset => offset = usize::try_from(found).ok(),
                _ if name == self.count => count = usize::try_from(found).ok(),
                _ if name == self.coder => is_utf16 = found == UTF16,
                _ => {}
            }
        });
        let array = heap.object_number(value).and_then(|array| heap.objects.get(array as usize));
        let array = array.filter(|array| array.class_object == NONE);
        let Some(array) = array.and_then(|array| heap.contents(array)) else {
            return StringId::NULL;
        };
        // Only strings with an offset are a part of their array.
        let part = offset.map(|offset| (offset, count.unwrap_or_default()));
        let width = match array.kind {
            ObjectKind::PrimitiveArray(Type::Char) => 2,
            ObjectKind::PrimitiveArray(Type::Byte) => 1,
            _ => return StringId::NULL,
        };
        let data = match part {
            Some((offset, count)) => part_of(array.data, offset, count, width),
            None => Some(array.data),
        };
        let Some(data) = data else { return StringId::NULL };
        let Some(rest) = self.budget.checked_sub(data.len()) else {
            self.without_text += 1;
            return StringId::NULL;
        };
        self.budget = rest;
        let has_coder = self.coder.is_some();
        let text = match width {
            2 => utf16(data, u16::from_be_bytes),
            // Virtual machines store characters as the machine does, nearly always little endian.
            _ if is_utf16 => utf16(data, u16::from_le_bytes),
            _ if has_coder => data.iter().map(|&byte| char::from(byte)).collect(),
            _ => String::from_utf8_lossy(data).into_owned(),
        };
        tables.strings.intern(&text)
    }
}

fn part_of(data: &[u8], offset: usize, count: usize, width: usize) -> Option<&[u8]> {
    let start = offset.checked_mul(width)?;
    data.get(start..start.checked_add(count.checked_mul(width)?)?)
}

fn utf16(data: &[u8], number: fn([u8; 2]) -> u16) -> String {
    let units = data.as_chunks().0.iter().map(|&unit| number(unit));
    char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn write_statics(class: u32, heap: &Heap<'_>, names: &Names, tables: &mut Tables) {
    let field_set = tables.heap_graph_primitive.len();
    let dump = heap.classes.get(class as usize).and_then(|class| class.dump.as_ref());
    for (place, &(_, field, value)) in dump.iter().flat_map(|dump| &dump.statics).enumerate() {
        push_value(field_set, names.static_field(class, place), field, value, tables);
    }
}

fn write_fields(
    class: u32,
    contents: &ObjectDump<'_>,
    heap: &Heap<'_>,
    names: &Names,
    tables: &mut Tables,
) {
    let field_set = tables.heap_graph_primitive.len();
    heap.fields(class, contents.data, |owner, place, field, value| {
        push_value(field_set, names.field(owner, place), field, value, tables);
    });
}

/// Writes a value, unless it is a reference.
fn push_value(
    field_set_id: u32,
    field_name: StringId,
    field: Type,
    value: u64,
    tables: &mut Tables,
) {
    let field_type = tables.strings.intern(field.name());
    let mut row =
        HeapGraphPrimitiveRow { field_set_id, field_name, field_type, ..Default::default() };
    match field {
        Type::Object => return,
        Type::Boolean => row.bool_value = Some(u32::from(value != 0)),
        Type::Byte => row.byte_value = Some(i64::from((value as u8).cast_signed())),
        Type::Char => row.char_value = Some(value.cast_signed()),
        Type::Short => row.short_value = Some(i64::from((value as u16).cast_signed())),
        Type::Int => row.int_value = Some(i64::from((value as u32).cast_signed())),
        Type::Long => row.long_value = Some(value.cast_signed()),
        Type::Float => row.float_value = Some(f64::from(f32::from_bits(value as u32))),
        Type::Double => row.double_value = Some(f64::from_bits(value)),
    }
    tables.heap_graph_primitive.push(row);
}

/// MurmurHash64A of the elements of an array as a little-endian machine stores them.
fn hash(data: &[u8], element: Type) -> u64 {
    const SEED: u64 = 0xe17a_1465;
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    const SHIFT: u32 = 47;
    let mut hash = SEED ^ (data.len() as u64).wrapping_mul(FACTOR);
    let size = element.size(0).max(1);
    let mut buffer = [0; 8];
    for block in data.chunks(8) {
        // Elements divide blocks evenly.
        for (to, from) in buffer.chunks_mut(size).zip(block.chunks(size)) {
            for (to, from) in to.iter_mut().zip(from.iter().rev()) {
                *to = *from;
            }
        }
        if let [_, _, _, _, _, _, _, _] = block {
            let mut value = u64::from_le_bytes(buffer).wrapping_mul(FACTOR);
            value = (value ^ value >> SHIFT).wrapping_mul(FACTOR);
            hash = (hash ^ value).wrapping_mul(FACTOR);
        } else {
            for (place, byte) in (0..).zip(buffer.iter().take(block.len())) {
                hash ^= u64::from(*byte) << (8 * place);
            }
            hash = hash.wrapping_mul(FACTOR);
        }
    }
    hash = (hash ^ hash >> SHIFT).wrapping_mul(FACTOR);
    hash ^ hash >> SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal elements have equal hashes, whatever their places in blocks; the order counts.
    #[test]
    fn hashes_of_elements() {
        let int = |values: &[u32]| {
            let data: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
            hash(&data, Type::Int)
        };
        let bytes = |values: &[u32]| {
            let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            hash(&data, Type::Byte)
        };
        for values in [&[][..], &[1], &[1, 2], &[1, 2, 3]] {
            assert_eq!(int(values), bytes(values), "{values:?}");
        }
        assert_ne!(int(&[1, 2]), int(&[2, 1]));
        assert_ne!(int(&[0]), int(&[0, 0]));
    }

    #[test]
    fn parts_of_arrays() {
        assert_eq!(part_of(b"abcdef", 1, 2, 2), Some(&b"cdef"[..]));
        assert_eq!(part_of(b"abcdef", 1, 3, 2), None);
        assert_eq!(part_of(b"abcdef", usize::MAX, 3, 2), None);
    }
}
