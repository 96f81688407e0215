//! Numbers in the byte order of the machine that recorded.

/// Reads numbers and texts one after another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) order: ByteOrder,
}

/// The byte order of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// A number of up to 8 bytes.
    pub(super) fn number(self, bytes: &[u8]) -> u64 {
        let add = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
        match self {
            Self::Little => bytes.iter().rev().fold(0, add),
            Self::Big => bytes.iter().fold(0, add),
        }
    }
}

impl<'a> Numbers<'a> {
    pub(super) fn new(bytes: &'a [u8], order: ByteOrder) -> Self {
        Self { bytes, at: 0, order }
    }

    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(len)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    /// A number of that many bytes.
    fn number(&mut self, len: usize) -> Option<u64> {
        Some(self.order.number(self.take(len)?))
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.number(2).map(|number| number as u16)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.number(4).map(|number| number as u32)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.number(8)
    }

    /// The text up to the next zero byte.
    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let len = memchr::memchr(0, rest)?;
        self.at += len + 1;
        rest.get(..len)
    }

    /// Data with its size before it, a number of `width` bytes.
    pub(super) fn sized(&mut self, width: usize) -> Option<&'a [u8]> {
        let len = usize::try_from(self.number(width)?).ok()?;
        self.take(len)
    }
}
