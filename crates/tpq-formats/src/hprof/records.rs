//! Records of a dump. Numbers are big endian; ids have 4 or 8 bytes.
//!
//! ```text
//! header | texts and names of classes | sections of the heap: roots, classes, objects | …
//! ```

/// The type of a field, or of the elements of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Object,
    Boolean,
    Char,
    Float,
    Double,
    Byte,
    Short,
    Int,
    Long,
}

impl Type {
    fn of(code: u8) -> Option<Self> {
        Some(match code {
            2 => Self::Object,
            4 => Self::Boolean,
            5 => Self::Char,
            6 => Self::Float,
            7 => Self::Double,
            8 => Self::Byte,
            9 => Self::Short,
            10 => Self::Int,
            11 => Self::Long,
            _ => return None,
        })
    }

    /// Bytes of a value.
    pub(super) fn size(self, id_size: usize) -> usize {
        match self {
            Self::Object => id_size,
            Self::Boolean | Self::Byte => 1,
            Self::Char | Self::Short => 2,
            Self::Float | Self::Int => 4,
            Self::Double | Self::Long => 8,
        }
    }

    /// The name in Java.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Boolean => "boolean",
            Self::Char => "char",
            Self::Float => "float",
            Self::Double => "double",
            Self::Byte => "byte",
            Self::Short => "short",
            Self::Int => "int",
            Self::Long => "long",
        }
    }
}

/// The header of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) id_size: usize,
    /// Time of the dump, ms since the epoch.
    pub(super) time_ms: u64,
    /// The offset of the first record.
    end: usize,
}

impl Header {
    /// Reads the header: a text, the size of ids and the time.
    pub(super) fn read(file: &[u8]) -> Option<Self> {
        let text = memchr::memchr(0, file.get(..64).unwrap_or(file))?;
        let mut reader = Reader { file, at: text + 1, end: file.len(), id_size: 4 };
        let id_size = reader.u32()? as usize;
        let time_ms = reader.u64()?;
        matches!(id_size, 4 | 8).then_some(Self { id_size, time_ms, end: reader.at })
    }
}

/// A record, or one within a section of the heap.
#[derive(Clone, Debug)]
pub(super) enum Record<'a> {
    /// A text and its id.
    Text(u64, &'a [u8]),
    /// A class and the id of its name.
    ClassName(u64, u64),
    /// A section of the heap begins.
    Section,
    /// The heap of the objects that follow, by the id of its name.
    HeapName(u64),
    /// An object that is a root, and the kind of root.
    Root(u64, u8),
    /// A class.
    Class(ClassDump),
    /// An object other than a class.
    Object(ObjectDump<'a>),
    /// A record of a kind that is not read.
    Other(u8),
}

/// A class with its fields.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassDump {
    pub(super) id: u64,
    pub(super) superclass: u64,
    pub(super) loader: u64,
    /// Bytes of an object; of an array without its elements.
    pub(super) instance_size: u32,
    /// Static fields: id of the name, type and value.
    pub(super) statics: Vec<(u64, Type, u64)>,
    /// Fields of objects: id of the name, and type. Those of superclasses are not among them.
    pub(super) fields: Vec<(u64, Type)>,
}

/// An object.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectDump<'a> {
    pub(super) id: u64,
    /// Class; 0 for arrays of primitive values.
    pub(super) class: u64,
    pub(super) kind: ObjectKind,
    /// Number of elements of an array.
    pub(super) count: u32,
    /// Fields or elements; empty if they were left out.
    pub(super) data: &'a [u8],
}

/// The kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ObjectKind {
    Instance,
    ObjectArray,
    PrimitiveArray(Type),
}

/// Kinds of records.
mod tag {
    pub(super) const TEXT: u8 = 0x01;
    pub(super) const CLASS_NAME: u8 = 0x02;
    pub(super) const HEAP: u8 = 0x0c;
    pub(super) const HEAP_SEGMENT: u8 = 0x1c;
    pub(super) const HEAP_END: u8 = 0x2c;
}

/// Kinds of records in sections of the heap.
pub(super) mod heap_tag {
    pub(in crate::hprof) const JNI_GLOBAL: u8 = 0x01;
    pub(in crate::hprof) const JNI_LOCAL: u8 = 0x02;
    pub(in crate::hprof) const JAVA_FRAME: u8 = 0x03;
    pub(in crate::hprof) const NATIVE_STACK: u8 = 0x04;
    pub(in crate::hprof) const STICKY_CLASS: u8 = 0x05;
    pub(in crate::hprof) const THREAD_BLOCK: u8 = 0x06;
    pub(in crate::hprof) const MONITOR_USED: u8 = 0x07;
    pub(in crate::hprof) const THREAD_OBJECT: u8 = 0x08;
    pub(super) const CLASS: u8 = 0x20;
    pub(super) const INSTANCE: u8 = 0x21;
    pub(super) const OBJECT_ARRAY: u8 = 0x22;
    pub(super) const PRIMITIVE_ARRAY: u8 = 0x23;
    pub(in crate::hprof) const INTERNED_STRING: u8 = 0x89;
    pub(in crate::hprof) const FINALIZING: u8 = 0x8a;
    pub(in crate::hprof) const DEBUGGER: u8 = 0x8b;
    pub(in crate::hprof) const REFERENCE_CLEANUP: u8 = 0x8c;
    pub(in crate::hprof) const VM_INTERNAL: u8 = 0x8d;
    pub(in crate::hprof) const JNI_MONITOR: u8 = 0x8e;
    pub(super) const UNREACHABLE: u8 = 0x90;
    pub(super) const PRIMITIVE_ARRAY_WITHOUT_DATA: u8 = 0xc3;
    pub(super) const HEAP_NAME: u8 = 0xfe;
    pub(in crate::hprof) const UNKNOWN: u8 = 0xff;
}

/// Calls a function with each record and its offset. Returns what is damaged, and where.
pub(super) fn walk<'a>(
    file: &'a [u8],
    header: Header,
    mut visit: impl FnMut(usize, Record<'a>),
) -> Vec<(usize, &'static str)> {
    const CUT: &str = "the file ends within this record";
    let mut problems = Vec::new();
    let mut at = header.end;
    while at < file.len() {
        let mut reader = Reader { file, at, end: file.len(), id_size: header.id_size };
        let Some((tag, len)) = reader.record_header() else {
            problems.push((at, CUT));
            break;
        };
        let end = reader.at.saturating_add(len);
        reader.end = end.min(file.len());
        let damage = match tag {
            tag::HEAP | tag::HEAP_SEGMENT => {
                visit(at, Record::Section);
                walk_section(&mut reader, &mut visit)
            }
            tag::HEAP_END => None,
            tag => match reader.record(tag) {
                Some(record) => {
                    visit(at, record);
                    None
                }
                None => Some((at, "this record is shorter than its contents")),
            },
        };
        if end > file.len() {
            problems.push((at, CUT));
            break;
        }
        problems.extend(damage);
        at = end;
    }
    problems
}

/// Walks a section of the heap. After a record that cannot be read, nothing more of it is found.
fn walk_section<'a>(
    reader: &mut Reader<'a>,
    visit: &mut impl FnMut(usize, Record<'a>),
) -> Option<(usize, &'static str)> {
    while reader.at < reader.end {
        let at = reader.at;
        match reader.heap_record() {
            Some(record) => visit(at, record),
            None => return Some((at, "from here on this section of the heap cannot be read")),
        }
    }
    None
}

/// Reads the object at an offset again.
pub(super) fn object_at(file: &[u8], at: usize, id_size: usize) -> Option<ObjectDump<'_>> {
    match (Reader { file, at, end: file.len(), id_size }).heap_record()? {
        Record::Object(object) => Some(object),
        _ => None,
    }
}

/// Reads numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    file: &'a [u8],
    at: usize,
    end: usize,
    id_size: usize,
}

impl<'a> Reader<'a> {
    /// Reads the fields or elements of an object.
    pub(super) fn of_data(file: &'a [u8], id_size: usize) -> Self {
        Self { file, at: 0, end: file.len(), id_size }
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(len).filter(|&end| end <= self.end)?;
        let taken = self.file.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_be_bytes)
    }

    pub(super) fn id(&mut self) -> Option<u64> {
        match self.id_size {
            8 => self.u64(),
            _ => self.u32().map(u64::from),
        }
    }

    /// A value, as its bits.
    pub(super) fn value(&mut self, value_type: Type) -> Option<u64> {
        match value_type {
            Type::Object => self.id(),
            Type::Boolean | Type::Byte => self.u8().map(u64::from),
            Type::Char | Type::Short => self.u16().map(u64::from),
            Type::Float | Type::Int => self.u32().map(u64::from),
            Type::Double | Type::Long => self.u64(),
        }
    }

    fn record_header(&mut self) -> Option<(u8, usize)> {
        let tag = self.u8()?;
        let _time = self.u32()?;
        Some((tag, self.u32()? as usize))
    }

    fn record(&mut self, tag: u8) -> Option<Record<'a>> {
        Some(match tag {
            tag::TEXT => Record::Text(self.id()?, self.take(self.end - self.at)?),
            tag::CLASS_NAME => {
                let _serial = self.u32()?;
                let class = self.id()?;
                let _stack = self.u32()?;
                Record::ClassName(class, self.id()?)
            }
            other => Record::Other(other),
        })
    }

    fn heap_record(&mut self) -> Option<Record<'a>> {
        let tag = self.u8()?;
        Some(match tag {
            heap_tag::CLASS => Record::Class(self.class()?),
            heap_tag::INSTANCE => {
                let (id, _stack, class) = (self.id()?, self.u32()?, self.id()?);
                let len = self.u32()? as usize;
                let (kind, data) = (ObjectKind::Instance, self.take(len)?);
                Record::Object(ObjectDump { id, class, kind, count: 0, data })
            }
            heap_tag::OBJECT_ARRAY => {
                let (id, _stack, count, class) = (self.id()?, self.u32()?, self.u32()?, self.id()?);
                let data = self.take((count as usize).checked_mul(self.id_size)?)?;
                Record::Object(ObjectDump { id, class, kind: ObjectKind::ObjectArray, count, data })
            }
            heap_tag::PRIMITIVE_ARRAY => self.primitive_array(true)?,
            heap_tag::PRIMITIVE_ARRAY_WITHOUT_DATA => self.primitive_array(false)?,
            heap_tag::HEAP_NAME => {
                self.u32()?;
                Record::HeapName(self.id()?)
            }
            root => {
                let object = self.id()?;
                self.take(self.root_len(root)?)?;
                match root {
                    heap_tag::UNREACHABLE => Record::Other(root),
                    _ => Record::Root(object, root),
                }
            }
        })
    }

    /// Bytes of a root behind its object; `None` if it is none.
    fn root_len(&self, tag: u8) -> Option<usize> {
        use heap_tag::*;
        Some(match tag {
            JNI_GLOBAL => self.id_size,
            JNI_LOCAL | JAVA_FRAME | THREAD_OBJECT | JNI_MONITOR => 8,
            NATIVE_STACK | THREAD_BLOCK => 4,
            STICKY_CLASS | MONITOR_USED | INTERNED_STRING | FINALIZING | DEBUGGER
            | REFERENCE_CLEANUP | VM_INTERNAL | UNREACHABLE | UNKNOWN => 0,
            _ => return None,
        })
    }

    fn primitive_array(&mut self, has_data: bool) -> Option<Record<'a>> {
        let (id, _stack, count) = (self.id()?, self.u32()?, self.u32()?);
        let element = Type::of(self.u8()?).filter(|&element| element != Type::Object)?;
        let len = (count as usize).checked_mul(element.size(self.id_size))?;
        let data = if has_data { self.take(len)? } else { &[] };
        let kind = ObjectKind::PrimitiveArray(element);
        Some(Record::Object(ObjectDump { id, class: 0, kind, count, data }))
    }

    fn class(&mut self) -> Option<ClassDump> {
        let (id, _stack) = (self.id()?, self.u32()?);
        let (superclass, loader) = (self.id()?, self.id()?);
        for _signers_domain_reserved in 0..4 {
            self.id()?;
        }
        let instance_size = self.u32()?;
        for _ in 0..self.u16()? {
            let (_index, constant) = (self.u16()?, Type::of(self.u8()?)?);
            self.value(constant)?;
        }
        let mut class = ClassDump { id, superclass, loader, instance_size, ..ClassDump::default() };
        for _ in 0..self.u16()? {
            let (name, field) = (self.id()?, Type::of(self.u8()?)?);
            class.statics.push((name, field, self.value(field)?));
        }
        for _ in 0..self.u16()? {
            class.fields.push((self.id()?, Type::of(self.u8()?)?));
        }
        Some(class)
    }
}
