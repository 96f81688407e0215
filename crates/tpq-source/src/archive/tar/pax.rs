//! Extended headers: records of the form `LENGTH KEY=VALUE\n`, that say more of a file than fits
//! into its header.

/// Names are cut behind so many bytes: those of files are hardly ever longer.
pub(super) const LONGEST_NAME: usize = 4 << 10;

/// What headers before the one of a member say of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    pub(super) name: Option<Vec<u8>>,
    /// Where a link leads.
    pub(super) link: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
    sparse: bool,
    sparse_name: Option<Vec<u8>>,
    damaged: bool,
    /// A name was cut.
    cut: bool,
}

impl Attributes {
    /// Whether the member is stored without its stretches of zeros.
    pub(super) fn is_sparse(&self) -> bool {
        self.sparse
    }

    /// Its name, where the one in its header is made up.
    pub(super) fn sparse_name(&self) -> Option<String> {
        let name = self.sparse_name.as_ref()?;
        Some(String::from_utf8_lossy(name).into_owned())
    }

    /// Why what was said of it may not be so, if not all of it could be read.
    pub(super) fn damage(&self) -> Option<&'static str> {
        match self {
            Self { damaged: true, .. } => {
                Some("its extended header is damaged, so its name and size may be wrong")
            }
            Self { cut: true, .. } => Some("its name is too long, and only its beginning is kept"),
            _ => None,
        }
    }

    /// Notes the name of the member.
    pub(super) fn set_name(&mut self, name: &[u8]) {
        self.name = Some(self.name_of(name));
    }

    /// Notes where it leads if it is a link.
    pub(super) fn set_link(&mut self, link: &[u8]) {
        self.link = Some(self.name_of(link));
    }

    fn name_of(&mut self, name: &[u8]) -> Vec<u8> {
        self.cut |= name.len() > LONGEST_NAME;
        name[..name.len().min(LONGEST_NAME)].to_vec()
    }

    /// Reads the records of a header that is about all members that follow. No name is of all of
    /// them, and each would have a copy.
    pub(super) fn read_global(&mut self, records: &[u8]) {
        let mut said = Self::default();
        said.read(records);
        self.size = said.size.or(self.size);
        self.sparse |= said.sparse;
        self.damaged |= said.damaged;
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
                self.sparse_name = Some(self.name_of(value));
            }
            _ => self.sparse |= key.starts_with(b"GNU.sparse."),
        }
    }
}

/// The key and value of the first record, and what follows it. A value may contain line feeds.
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
            let value = "a".repeat(LONGEST_NAME + len);
            let record = format!(" {key}={value}\n");
            let record = format!("{}{record}", record.len() + 4);
            let mut attributes = Attributes::default();
            attributes.read(record.as_bytes());
            assert_eq!(attributes.damage().is_some(), len > 0, "{key}");
            let names = [&attributes.name, &attributes.link, &attributes.sparse_name];
            let names = names.into_iter().flatten().map(Vec::len);
            assert_eq!(names.collect::<Vec<_>>(), [LONGEST_NAME], "{key}");
        }
    }
}
