//! `LIKE '%text%'` without a pattern that is compiled.
//!
//! Arrow compiles a regular expression for it each time it evaluates the filter, which takes longer
//! than to look for the text in a thousand names.

use std::sync::Arc;

use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{Column, LikeExpr, Literal};

/// Whether a text contains another, where letters of both cases are equal. Of ASCII alone: other
/// letters may be equal to one of ASCII, as the sign of Kelvin is to `k`.
pub(super) struct AsciiContains {
    needle: Box<[u8]>,
    negated: bool,
}

impl AsciiContains {
    /// The same filter; `None` if it is no such LIKE on a column.
    pub(super) fn of(filter: &Arc<dyn PhysicalExpr>) -> Option<Self> {
        let like = filter.downcast_ref::<LikeExpr>()?;
        like.expr().downcast_ref::<Column>().filter(|_| like.case_insensitive())?;
        let pattern = like.pattern().downcast_ref::<Literal>()?.value().try_as_str()??;
        let needle = pattern.strip_prefix('%')?.strip_suffix('%')?;
        let is_plain = needle.is_ascii() && !needle.contains(['%', '_', '\\']);
        let needle = needle.as_bytes();
        (is_plain && !needle.is_empty())
            .then(|| Self { needle: needle.into(), negated: like.negated() })
    }

    /// Whether a text passes; `None` if it is not ASCII.
    pub(super) fn passes(&self, text: &str) -> Option<bool> {
        let mut parts = text.as_bytes().windows(self.needle.len());
        let mut contains = || parts.any(|part| part.eq_ignore_ascii_case(&self.needle));
        text.is_ascii().then(|| contains() != self.negated)
    }
}
