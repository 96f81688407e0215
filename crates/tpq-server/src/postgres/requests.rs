//! What clients send: the message before a session begins, and requests.
//!
//! Every length and count comes from the client, so each is compared with the bytes that are there.

use std::collections::BTreeMap;

use bytes::{Buf, Bytes};

/// Codes that stand in place of a version of the protocol.
const CANCEL: u32 = 80_877_102;
const SSL: u32 = 80_877_103;
const GSS: u32 = 80_877_104;

/// Bytes that are no message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum ProtocolError {
    #[error("a message of {length} bytes; the most is {limit}")]
    Length { length: u32, limit: usize },
    #[error("a message ends before its last field")]
    Truncated,
    #[error("a message has bytes after its last field")]
    Trailing,
    #[error("a text is not UTF-8")]
    NotUtf8,
    #[error("`{0}` names neither a statement nor a portal")]
    Target(char),
    #[error("a message of the unknown type {0:?}")]
    Unknown(char),
    #[error("version {0}.{1} of the protocol is not supported, 3.0 is")]
    Version(u16, u16),
    #[error("expected a password")]
    NoPassword,
}

/// The first message of a connection.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Opening {
    /// Asks for encryption by TLS.
    Ssl,
    /// Asks for encryption by GSSAPI.
    Gss,
    /// Asks to stop the query of another connection.
    Cancel(CancelKey),
    /// Begins a session.
    Startup { minor_version: u16, parameters: BTreeMap<String, String> },
}

/// The key by which a query can be stopped from another connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct CancelKey {
    pub(super) process: i32,
    pub(super) secret: i32,
}

/// A message of a session.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Request {
    /// Statements; their rows are wanted as text.
    Query(String),
    /// A statement to prepare; a type of 0 is not given.
    Parse {
        name: String,
        sql: String,
        types: Vec<u32>,
    },
    Bind(Bind),
    Describe(Target),
    Close(Target),
    /// Runs a portal; 0 rows stand for all.
    Execute {
        portal: String,
        max_rows: usize,
    },
    Flush,
    Sync,
    Terminate,
    Password(String),
    /// Data for a `COPY` that was refused.
    CopyData,
}

/// Values for a prepared statement, which make it a portal.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Bind {
    pub(super) portal: String,
    pub(super) statement: String,
    pub(super) formats: Vec<i16>,
    pub(super) values: Vec<Option<Bytes>>,
    pub(super) result_formats: Vec<i16>,
}

/// What a request is about. The empty name is one as well.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Target {
    Statement(String),
    Portal(String),
}

impl Opening {
    /// Reads the first message, without its length.
    pub(super) fn read(body: Bytes) -> Result<Self, ProtocolError> {
        let mut fields = Fields(body);
        match fields.u32()? {
            SSL => Ok(Self::Ssl),
            GSS => Ok(Self::Gss),
            CANCEL => {
                let (process, secret) = (fields.i32()?, fields.i32()?);
                fields.end()?;
                Ok(Self::Cancel(CancelKey { process, secret }))
            }
            version => {
                let (major, minor) = ((version >> 16) as u16, version as u16);
                if major != 3 {
                    return Err(ProtocolError::Version(major, minor));
                }
                let mut parameters = BTreeMap::new();
                loop {
                    let name = fields.text()?;
                    if name.is_empty() {
                        fields.end()?;
                        return Ok(Self::Startup { minor_version: minor, parameters });
                    }
                    parameters.insert(name, fields.text()?);
                }
            }
        }
    }
}

impl Request {
    /// Reads a message of this type, without type and length.
    pub(super) fn read(kind: u8, body: Bytes) -> Result<Self, ProtocolError> {
        let mut fields = Fields(body);
        let request = match kind {
            b'Q' => Self::Query(fields.text()?),
            b'P' => {
                let (name, sql) = (fields.text()?, fields.text()?);
                Self::Parse { name, sql, types: fields.list(4, Fields::u32)? }
            }
            b'B' => Self::Bind(Bind {
                portal: fields.text()?,
                statement: fields.text()?,
                formats: fields.list(2, Fields::i16)?,
                values: fields.list(4, Fields::value)?,
                result_formats: fields.list(2, Fields::i16)?,
            }),
            b'D' => Self::Describe(fields.target()?),
            b'C' => Self::Close(fields.target()?),
            b'E' => {
                let portal = fields.text()?;
                Self::Execute { portal, max_rows: usize::try_from(fields.i32()?).unwrap_or(0) }
            }
            b'H' => Self::Flush,
            b'S' => Self::Sync,
            b'X' => Self::Terminate,
            b'p' => Self::Password(fields.text()?),
            b'd' | b'c' | b'f' => return Ok(Self::CopyData),
            other => return Err(ProtocolError::Unknown(char::from(other))),
        };
        fields.end()?;
        Ok(request)
    }
}

/// The fields of a message that are not read yet.
struct Fields(Bytes);

impl Fields {
    /// The next bytes.
    fn take(&mut self, length: usize) -> Result<Bytes, ProtocolError> {
        match length <= self.0.len() {
            true => Ok(self.0.split_to(length)),
            false => Err(ProtocolError::Truncated),
        }
    }

    fn u32(&mut self) -> Result<u32, ProtocolError> {
        Ok(self.take(4)?.get_u32())
    }

    fn i32(&mut self) -> Result<i32, ProtocolError> {
        Ok(self.take(4)?.get_i32())
    }

    fn i16(&mut self) -> Result<i16, ProtocolError> {
        Ok(self.take(2)?.get_i16())
    }

    /// A text that a zero ends.
    fn text(&mut self) -> Result<String, ProtocolError> {
        let end = self.0.iter().position(|&byte| byte == 0).ok_or(ProtocolError::Truncated)?;
        let text = self.take(end)?;
        self.take(1)?;
        let text = std::str::from_utf8(&text).map_err(|_| ProtocolError::NotUtf8)?;
        Ok(text.to_owned())
    }

    /// A count, and as many fields of at least `size` bytes.
    fn list<T>(
        &mut self,
        size: usize,
        read: fn(&mut Self) -> Result<T, ProtocolError>,
    ) -> Result<Vec<T>, ProtocolError> {
        let count = usize::from(self.take(2)?.get_u16());
        if count * size > self.0.len() {
            return Err(ProtocolError::Truncated);
        }
        (0..count).map(|_| read(self)).collect()
    }

    /// A value with its length; a negative length stands for NULL.
    fn value(&mut self) -> Result<Option<Bytes>, ProtocolError> {
        match usize::try_from(self.i32()?) {
            Ok(length) => self.take(length).map(Some),
            Err(_) => Ok(None),
        }
    }

    fn target(&mut self) -> Result<Target, ProtocolError> {
        let kind = self.take(1)?.get_u8();
        let name = self.text()?;
        match kind {
            b'S' => Ok(Target::Statement(name)),
            b'P' => Ok(Target::Portal(name)),
            other => Err(ProtocolError::Target(char::from(other))),
        }
    }

    fn end(&self) -> Result<(), ProtocolError> {
        if self.0.is_empty() { Ok(()) } else { Err(ProtocolError::Trailing) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn openings_are_read() {
        let opening = |bytes: &[u8]| Opening::read(Bytes::copy_from_slice(bytes));
        assert_eq!(opening(&SSL.to_be_bytes()), Ok(Opening::Ssl));
        assert_eq!(opening(&GSS.to_be_bytes()), Ok(Opening::Gss));
        let startup = opening(b"\0\x03\0\0user\0me\0database\0tpq\0\0");
        let expected = [("user", "me"), ("database", "tpq")];
        let parameters = expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        assert_eq!(startup, Ok(Opening::Startup { minor_version: 0, parameters }));
        let cancel = opening(b"\x04\xd2\x16\x2e\0\0\0\x05\xff\xff\xff\xff");
        assert_eq!(cancel, Ok(Opening::Cancel(CancelKey { process: 5, secret: -1 })));
        assert_eq!(opening(b"\0\x02\0\0"), Err(ProtocolError::Version(2, 0)));
        for wrong in [&b""[..], b"\0\x03\0\0", b"\0\x03\0\0user\0", b"\x04\xd2\x16\x2e\0"] {
            assert_eq!(opening(wrong), Err(ProtocolError::Truncated), "{wrong:?}");
        }
    }

    #[test]
    fn requests_are_read() {
        let request = |kind, bytes: &'static [u8]| Request::read(kind, Bytes::from_static(bytes));
        assert_eq!(request(b'Q', b"SELECT 1\0"), Ok(Request::Query("SELECT 1".into())));
        let (name, sql) = ("s".into(), "SELECT $1".into());
        let parse = request(b'P', b"s\0SELECT $1\0\0\x01\0\0\0\x14");
        assert_eq!(parse, Ok(Request::Parse { name, sql, types: vec![20] }));
        let bind = request(b'B', b"\0s\0\0\x01\0\x01\0\x02\0\0\0\x01a\xff\xff\xff\xff\0\0");
        let values = vec![Some(Bytes::from_static(b"a")), None];
        let (portal, statement) = (String::new(), "s".into());
        let expected =
            Bind { portal, statement, formats: vec![1], values, result_formats: Vec::new() };
        assert_eq!(bind, Ok(Request::Bind(expected)));
        let execute = request(b'E', b"p\0\xff\xff\xff\xff");
        assert_eq!(execute, Ok(Request::Execute { portal: "p".into(), max_rows: 0 }));
        let target = Target::Portal("p".into());
        assert_eq!(request(b'D', b"Pp\0"), Ok(Request::Describe(target)));
        assert_eq!(request(b'D', b"?p\0"), Err(ProtocolError::Target('?')));
        assert_eq!(request(b'Q', b"SELECT 1"), Err(ProtocolError::Truncated));
        assert_eq!(request(b'Q', b"a\0b"), Err(ProtocolError::Trailing));
        assert_eq!(request(b'Q', b"\xff\0"), Err(ProtocolError::NotUtf8));
        assert_eq!(request(b'P', b"\0\0\xff\xff\0\0"), Err(ProtocolError::Truncated));
        assert_eq!(request(b'?', b""), Err(ProtocolError::Unknown('?')));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_an_error(kind: u8, body: Vec<u8>) {
            let body = Bytes::from(body);
            let _ = Request::read(kind, body.clone());
            let _ = Opening::read(body);
        }
    }
}
