//! Dumps of Java heaps, written byte by byte, with ids of 4 bytes.

/// A dump at 1,000 ms after the epoch.
#[derive(Clone, Debug)]
pub struct Hprof {
    records: Vec<u8>,
    heap: Vec<u8>,
    texts: u32,
}

/// The type of a field: an object, `boolean`, `byte`, `int` or `long`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names of Java")]
pub enum JavaType {
    Object = 2,
    Boolean = 4,
    Char = 5,
    Byte = 8,
    Int = 10,
    Long = 11,
}

/// A class in the heap.
#[derive(Clone, Debug, Default)]
pub struct JavaClass<'a> {
    /// Id of the class.
    pub id: u32,
    /// Superclass; 0 for none.
    pub superclass: u32,
    /// Class loader; 0 for none.
    pub loader: u32,
    /// Bytes of an object.
    pub size: u32,
    /// Static fields: name, type and the bytes of the value.
    pub statics: &'a [(&'a str, JavaType, &'a [u8])],
    /// Fields of objects.
    pub fields: &'a [(&'a str, JavaType)],
}

fn word(value: u32) -> [u8; 4] {
    value.to_be_bytes()
}

impl Default for Hprof {
    fn default() -> Self {
        Self::new()
    }
}

impl Hprof {
    /// A dump without objects.
    pub fn new() -> Self {
        Self { records: Vec::new(), heap: Vec::new(), texts: 0x9000 }
    }

    /// Adds a record outside of the heap.
    #[must_use]
    pub fn record(mut self, tag: u8, contents: &[u8]) -> Self {
        self.push_record(tag, contents);
        self
    }

    fn push_record(&mut self, tag: u8, contents: &[u8]) {
        self.records.push(tag);
        self.records.extend(word(0));
        self.records.extend(word(contents.len() as u32));
        self.records.extend(contents);
    }

    fn text(&mut self, text: &str) -> [u8; 4] {
        self.texts += 1;
        let id = word(self.texts);
        self.push_record(1, &[&id, text.as_bytes()].concat());
        id
    }

    /// Names a class.
    #[must_use]
    pub fn class_name(mut self, id: u32, name: &str) -> Self {
        let name = self.text(name);
        self.push_record(2, &[word(1), word(id), word(0), name].concat());
        self
    }

    /// Adds bytes to the section of the heap.
    #[must_use]
    pub fn in_heap(mut self, bytes: &[u8]) -> Self {
        self.heap.extend(bytes);
        self
    }

    /// Objects that follow are on the heap of that name.
    #[must_use]
    pub fn heap(mut self, name: &str) -> Self {
        let name = self.text(name);
        self.in_heap(&[&[0xfe][..], &word(7), &name].concat())
    }

    /// An object is a root, with `more` bytes behind it.
    #[must_use]
    pub fn root(self, tag: u8, object: u32, more: &[u8]) -> Self {
        self.in_heap(&[&[tag][..], &word(object), more].concat())
    }

    /// Adds a class, which must have a name.
    #[must_use]
    pub fn class(mut self, class: &JavaClass<'_>) -> Self {
        let JavaClass { id, superclass, loader, size, statics, fields } = *class;
        let words = [id, 0, superclass, loader, 0, 0, 0, 0, size];
        let mut bytes = vec![0x20];
        words.iter().for_each(|&value| bytes.extend(word(value)));
        // A constant: number 3, an int.
        bytes.extend([0, 1, 0, 3, JavaType::Int as u8, 0, 0, 0, 9]);
        bytes.extend((statics.len() as u16).to_be_bytes());
        for &(name, of_type, value) in statics {
            bytes.extend(self.text(name));
            bytes.push(of_type as u8);
            bytes.extend(value);
        }
        bytes.extend((fields.len() as u16).to_be_bytes());
        for &(name, of_type) in fields {
            bytes.extend(self.text(name));
            bytes.push(of_type as u8);
        }
        self.in_heap(&bytes)
    }

    /// Adds an object with the bytes of its fields, those of its own class first.
    #[must_use]
    pub fn instance(self, id: u32, class: u32, fields: &[u8]) -> Self {
        let head = [word(id), word(0), word(class), word(fields.len() as u32)].concat();
        self.in_heap(&[&[0x21][..], &head, fields].concat())
    }

    /// Adds an array of objects.
    #[must_use]
    pub fn object_array(self, id: u32, class: u32, elements: &[u32]) -> Self {
        let head = [word(id), word(0), word(elements.len() as u32), word(class)].concat();
        let elements: Vec<u8> = elements.iter().flat_map(|&element| word(element)).collect();
        self.in_heap(&[&[0x22][..], &head, &elements].concat())
    }

    /// Adds an array of primitive values with `count` elements.
    #[must_use]
    pub fn primitive_array(self, id: u32, of: JavaType, count: u32, elements: &[u8]) -> Self {
        let head = [word(id), word(0), word(count)].concat();
        self.in_heap(&[&[0x23][..], &head, &[of as u8], elements].concat())
    }

    /// The bytes of the file.
    #[must_use]
    pub fn build(mut self) -> Vec<u8> {
        let heap = std::mem::take(&mut self.heap);
        self.push_record(0x1c, &heap);
        self.push_record(0x2c, &[]);
        let header = [&b"JAVA PROFILE 1.0.3\0"[..], &word(4), &1000_u64.to_be_bytes()].concat();
        [header, self.records].concat()
    }
}
