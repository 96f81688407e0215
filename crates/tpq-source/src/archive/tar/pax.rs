//! Extended headers: records of the form `LENGTH KEY=VALUE
//! `, with attributes of a file that do not fit into its header.

/// The length in bytes at which names are cut. Names of files are hardly ever longer.
pub(super) const MAX_NAME_LEN: usize = 4 << 10;

/// The attributes of a member from headers before its own header.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    pub(super) name: Option<Vec<u8>>,
    /// The target of a link.
    pub(super) link: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
    sparse: bool,
    sparse_name: Option<Vec<u8>>,
    damaged: bool,
    /// Whether a name was cut.
    cut: bool,
}

impl Attributes {
    /// Whether the member is stored without its ranges of zeros.
    pub(super) fn is_sparse(&self) -> bool {
        self.sparse
    }

    /// The real name of a sparse member, which has a generated name in its header.
    pub(super) fn sparse_name(&self) -> Option<String> {
        let name = self.sparse_name.as_ref()?;
        Some(String::from_utf8_lossy(name).into_owned())
    }

    /// The reason why the attributes may be wrong, if some could not be read.
    pub(super) fn damage(&self) -> Option<&'static str> {
        match self {
            Self { damaged: true, .. } => {
                Some("its extended header is damaged, so its name and size may be wrong")
            }
            Self { cut: true, .. } => Some("its name is too long, and only its beginning is kept"),
            _ => None,
        }
    }

    /// Sets the name of the member.
    pub(super) fn set_name(&mut self, name: &[u8]) {
        self.name = Some(self.cut_name(name));
    }

    /// Sets the target of the member if it is a link.
    pub(super) fn set_link(&mut self, link: &[u8]) {
        self.link = Some(self.cut_name(link));
    }

    fn cut_name(&mut self, name: &[u8]) -> Vec<u8> {
        self.cut |= name.len() > MAX_NAME_LEN;
        name[..name.len().min(MAX_NAME_LEN)].to_vec()
    }

    /// Reads the records of a header that applies to all members that follow. Names are ignored: no
    /// name is that of all members, and each member would have a copy.
    pub(super) fn read_global(&mut self, records: &[u8]) {
        let mut global = Self::default();
        global.read(records);
        self.size = global.size.or(self.size);
        self.sparse |= global.sparse;
        self.damaged |= global.damaged;
    }

    /// Reads the records of an extended header.
    pub(super) fn read(&mut self, mut records: &[u8]) {
        while records.first().is_some_and(|byte| *byte != 0) {
            let Some((key, value, rest)) = record(records) else {
                self.damaged = true;
                return;
            };
            self.set(key, value);
            records = rest;
        }
    }

    fn set(&mut self, key: &[u8], value: &[u8]) {
        match key {
            b"path" => self.set_name(value),
            b"linkpath" => self.set_link(value),
            b"size" => {
                self.size = std::str::from_utf8(value).ok().and_then(|size| size.parse().ok());
                self.damaged |= self.size.is_none();
            }
            b"GNU.sparse.name" => {
                self.sparse = true;
                self.sparse_name = Some(self.cut_name(value));
            }
            _ => self.sparse |= key.starts_with(b"GNU.sparse."),
        }
    }
}

/// Returns the key and value of the first record, and the bytes after it. A value may contain line
/// feeds.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let digits = records.iter().position(|byte| *byte == b' ')?;
    let length: usize = std::str::from_utf8(&records[..digits]).ok()?.parse().ok()?;
    let record = records.get(digits + 1..length)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((&record[..equals], &record[equals + 1..], &records[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_contain_line_feeds() {
        let mut attributes = Attributes::default();
        attributes.read(b"12 path=a\nb\n9 size=7\n\0\0\0");
        assert_eq!(attributes.name.as_deref(), Some(b"a\nb".as_slice()));
        assert_eq!(attributes.size, Some(7));
        assert_eq!(attributes.damage(), None);
    }

    #[test]
    fn damaged_records_are_noted() {
        for records in [&b"99 path=a\n"[..], b"9 size=x\n", b"path=a\n", b"4 a\n", b"3 =", b"0 "] {
            let mut attributes = Attributes::default();
            attributes.read(records);
            assert!(attributes.damage().is_some(), "{}", records.escape_ascii());
        }
    }

    #[test]
    fn names_of_all_members_are_not_taken() {
        let mut attributes = Attributes::default();
        attributes.read_global(b"9 path=a\n14 linkpath=b\n9 size=7\n21 GNU.sparse.name=c\n");
        assert_eq!((&attributes.name, &attributes.link), (&None, &None));
        assert_eq!((attributes.sparse_name(), attributes.is_sparse()), (None, true));
        assert_eq!((attributes.size, attributes.damage()), (Some(7), None));
        attributes.read_global(b"9 size=x\n");
        assert!(attributes.damage().is_some());
    }

    #[test]
    fn long_names_are_cut() {
        for (key, len) in [("path", 0), ("path", 1), ("linkpath", 1), ("GNU.sparse.name", 1)] {
            let value = "a".repeat(MAX_NAME_LEN + len);
            let record = format!(" {key}={value}\n");
            let record = format!("{}{record}", record.len() + 4);
            let mut attributes = Attributes::default();
            attributes.read(record.as_bytes());
            assert_eq!(attributes.damage().is_some(), len > 0, "{key}");
            let names = [&attributes.name, &attributes.link, &attributes.sparse_name];
            let names = names.into_iter().flatten().map(Vec::len);
            assert_eq!(names.collect::<Vec<_>>(), [MAX_NAME_LEN], "{key}");
        }
    }
}
