//! Displays of a snapshot of layers.

use tpq_proto::fields::{display_proto, size_proto, transform_proto};
use tpq_proto::wire::LastFields;
use tpq_tables::table::{SurfaceFlingerDisplayRow, WinscopeTraceRectRow};

use super::layer::TransformType;
use crate::decode::winscope::context::DecodeContext;
use crate::decode::winscope::geometry::{Rect, Transform};

/// The layer stack of displays that are off.
const NO_LAYER_STACK: u32 = u32::MAX;

/// A display of a snapshot.
pub(super) struct Display {
    id: u64,
    name: Option<Vec<u8>>,
    pub(super) layer_stack: u32,
    is_virtual: bool,
    /// The area in the coordinates of layers.
    pub(super) area: Rect,
    pub(super) has_area: bool,
    /// Width and height, as the display is turned.
    pub(super) size: (f64, f64),
    /// From the coordinates of the display to those of layers.
    pub(super) transform: Transform,
}

impl Display {
    pub(super) fn read(message: &[u8]) -> Self {
        let fields = LastFields::<8>::new(message);
        let area = fields.get(display_proto::LAYER_STACK_SPACE_RECT);
        let transform = fields.get(display_proto::TRANSFORM).map(|field| field.as_bytes());
        let rect = area.map(|field| Rect::read(field.as_bytes()));
        let name = fields.get(display_proto::NAME).map(|field| field.as_bytes().to_vec());
        Self {
            id: fields.uint(display_proto::ID),
            name,
            layer_stack: fields.uint(display_proto::LAYER_STACK) as u32,
            is_virtual: fields.uint(display_proto::IS_VIRTUAL) != 0,
            area: rect.unwrap_or_default(),
            has_area: area.is_some(),
            size: size_of(fields.bytes(display_proto::SIZE), transform),
            transform: transform.map_or(Transform::IDENTITY, |it| transform_of(it, rect)),
        }
    }

    pub(super) fn add_row(
        &self,
        snapshot_id: u32,
        depth: usize,
        context: &mut DecodeContext<'_, '_>,
    ) {
        let (w, h) = self.size;
        let area = if self.area.is_empty() { Rect { x: 0.0, y: 0.0, w, h } } else { self.area };
        let rect = WinscopeTraceRectRow {
            rect_id: context.rect_row(&area),
            group_id: self.layer_stack,
            depth: depth as u32,
            ..WinscopeTraceRectRow::default()
        };
        let row = SurfaceFlingerDisplayRow {
            snapshot_id,
            is_on: u32::from(self.layer_stack != NO_LAYER_STACK),
            is_virtual: u32::from(self.is_virtual),
            trace_rect_id: context.tables.winscope_trace_rect.push(rect),
            display_id: self.id as i64,
            display_name: match &self.name {
                Some(name) => context.tables.strings.intern_bytes(name),
                None => tpq_tables::StringId::NULL,
            },
        };
        context.tables.surfaceflinger_display.push(row);
    }
}

fn size_of(size: &[u8], transform: Option<&[u8]>) -> (f64, f64) {
    let size = LastFields::<3>::new(size);
    let [w, h] = [size_proto::W, size_proto::H].map(|number| f64::from(size.int(number) as i32));
    let turns = transform.map_or(0, |it| TransformType::read(it).quarter_turns());
    if turns % 2 == 1 { (h, w) } else { (w, h) }
}

fn transform_of(message: &[u8], area: Option<Rect>) -> Transform {
    let fields = LastFields::<6>::new(message);
    let kind = TransformType::read(message);
    let transform = match kind.is_simple() {
        true => kind.turned(0.0, 0.0),
        false => Transform {
            dsdx: fields.real(transform_proto::DSDX),
            dtdx: fields.real(transform_proto::DTDX),
            tx: 0.0,
            dtdy: fields.real(transform_proto::DTDY),
            dsdy: fields.real(transform_proto::DSDY),
            ty: 0.0,
        },
    };
    // What was turned is shifted back to where it began.
    match (fields.has(transform_proto::TYPE), area, kind.quarter_turns()) {
        (true, Some(Rect { h, .. }), 1) => Transform { ty: h, ..transform },
        (true, Some(Rect { w, h, .. }), 2) => Transform { tx: w, ty: h, ..transform },
        (true, Some(Rect { w, .. }), 3) => Transform { tx: w, ..transform },
        _ => transform,
    }
}
