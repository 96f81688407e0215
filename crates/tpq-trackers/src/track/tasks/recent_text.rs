//! Texts that were lately interned, by where they lie: the events of a bundle refer to the same few
//! again and again.

use tpq_ingest::{Span, TraceBytes};
use tpq_tables::{StringId, StringPool};

/// A power of two; what is remembered fits into the nearest cache.
const PLACES: usize = 1024;

/// A slot for each text, by the last bits of its address.
pub struct RecentTexts(Vec<(Span, StringId)>);

impl Default for RecentTexts {
    fn default() -> Self {
        // Nothing of this length is interned, so that it stands for no text.
        let nothing = Span { addr: 0, len: u32::MAX };
        Self(vec![(nothing, StringId::NULL); PLACES])
    }
}

impl RecentTexts {
    /// The id of a text, as [`StringPool::intern_bytes`] gives it.
    pub fn intern(
        &mut self,
        span: Span,
        bytes: &TraceBytes<'_>,
        strings: &mut StringPool,
    ) -> StringId {
        let source = &mut self.0[span.addr as usize % PLACES];
        if source.0 != span {
            *source = (span, strings.intern_bytes(bytes.get(span)));
        }
        source.1
    }
}
