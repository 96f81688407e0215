//! Rows of rectangles and transforms, one for each distinct value.

use rustc_hash::FxHashMap;
use tpq_tables::table::{WinscopeRectRow, WinscopeTransformRow};

use super::context::DecodeContext;
use super::geometry::{Rect, Transform};

/// The rows so far, by the bits of the values.
#[derive(Default)]
struct KnownRects {
    rects: FxHashMap<[u64; 4], u32>,
    transforms: FxHashMap<[u64; 6], u32>,
}

impl DecodeContext<'_, '_> {
    /// The row of a rectangle.
    pub(super) fn rect_row(&mut self, rect: &Rect) -> u32 {
        let known: &mut KnownRects = self.trackers.states.get();
        let &Rect { x, y, w, h } = rect;
        let rows = &mut self.tables.winscope_rect;
        *known
            .rects
            .entry([x, y, w, h].map(bits))
            .or_insert_with(|| rows.push(WinscopeRectRow { x, y, w, h }))
    }

    /// The row of a transform.
    pub(super) fn transform_row(&mut self, transform: &Transform) -> u32 {
        let known: &mut KnownRects = self.trackers.states.get();
        let &Transform { dsdx, dtdx, tx, dtdy, dsdy, ty } = transform;
        let rows = &mut self.tables.winscope_transform;
        *known
            .transforms
            .entry([dsdx, dtdx, tx, dtdy, dsdy, ty].map(bits))
            .or_insert_with(|| rows.push(WinscopeTransformRow { dsdx, dtdx, tx, dtdy, dsdy, ty }))
    }
}

/// The bits of a number; both zeros are one.
fn bits(value: f64) -> u64 {
    if value == 0.0 { 0 } else { value.to_bits() }
}
