//! How large a machine's pages of memory are.

/// The usual size, for machines of which it is not known.
const USUAL: u32 = 4096;

/// The size of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageSize(u32);

impl Default for PageSize {
    fn default() -> Self {
        Self(USUAL)
    }
}

impl PageSize {
    /// In bytes.
    pub fn get(self) -> u32 {
        self.0
    }

    /// Notes the size in bytes; 0 where the machine did not say.
    pub fn set(&mut self, bytes: u32) {
        self.0 = if bytes == 0 { USUAL } else { bytes };
    }
}
