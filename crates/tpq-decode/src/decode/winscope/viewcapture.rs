//! Snapshots of the views of a window.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_proto::fields::{
    interned_data,
    view_capture::{self, view},
};
use tpq_proto::wire::{Field, LastFields};
use tpq_tables::table::{
    ViewCaptureInternedRow, ViewCaptureRow, ViewCaptureViewRow, WinscopeTraceRectRow,
};
use tpq_tables::{Stat, StringId};

use super::context::{DecodeContext, messages};
use super::geometry::Rect;

const SNAPSHOT: &str = "com.android.internal.ViewCapture";
const VIEW: &str = "com.android.internal.ViewCapture.View";
const ERRORS: Stat = Stat::WinscopeViewcaptureParseErrors;
/// The parent of the outermost view.
const NO_PARENT: i32 = -1;
/// Winscope draws each level of views that much above the one before.
const DEPTH_OF_LEVEL: u32 = 4;

/// The fields of a view.
struct View<'a> {
    message: &'a [u8],
    fields: LastFields<'a, 23>,
    id: i32,
    parent: i32,
}

impl<'a> View<'a> {
    fn read(message: &'a [u8]) -> Self {
        let fields = LastFields::new(message);
        let int = |number| LastFields::int(&fields, number) as i32;
        let (id, parent) = (int(view::ID), int(view::PARENT_ID));
        Self { message, fields, id, parent }
    }

    fn int(&self, number: u32) -> f64 {
        f64::from(self.fields.int(number) as i32)
    }

    fn real(&self, number: u32) -> f64 {
        self.fields.real(number)
    }

    fn has_area(&self) -> bool {
        self.int(view::WIDTH) > 0.0 && self.int(view::HEIGHT) > 0.0
    }
}

/// What is computed of a view from the views around it.
#[derive(Clone, Copy)]
struct Placed {
    /// Whether the view and those around it are set to be visible.
    is_shown: bool,
    is_visible: bool,
    rect: Rect,
    level: u32,
    /// Scale of the views within.
    scale: (f64, f64),
    scroll: (f64, f64),
}

pub(super) fn decode(message: &[u8], context: &mut DecodeContext<'_, '_>) {
    let number = context.number(message);
    let fields = LastFields::<3>::new(message);
    let package = fields.get(view_capture::PACKAGE_NAME_IID);
    let package = interned(package, PACKAGE, number, context);
    let window = interned(fields.get(view_capture::WINDOW_NAME_IID), WINDOW, number, context);
    let row = ViewCaptureRow {
        ts: context.packet.ts(),
        arg_set_id: context.arg_set(message, SNAPSHOT, ERRORS),
        base64_proto_id: Some(number),
        package_name: package,
        window_name: window,
    };
    let snapshot_id = context.tables.viewcapture.push(row);
    let views: Vec<View<'_>> = messages(message, view_capture::VIEWS).map(View::read).collect();
    let placed = place(&views);
    let mut rects = FxHashMap::default();
    for (view, placed) in &placed {
        let rect = add_rect(view, placed, context);
        rects.insert(view.id, (rect, placed.is_visible));
    }
    for view in &views {
        let placed = rects.get(&view.id).copied();
        add_view(snapshot_id, view, placed, context);
    }
}

/// The views that the outermost one leads to, each after the one around it.
fn place<'s, 'a>(views: &'s [View<'a>]) -> Vec<(&'s View<'a>, Placed)> {
    let mut root = 0;
    let mut by_id: FxHashMap<i32, &View<'_>> = FxHashMap::default();
    let mut children: FxHashMap<i32, Vec<i32>> = FxHashMap::default();
    for view in views {
        match view.parent {
            NO_PARENT => root = view.id,
            parent => children.entry(parent).or_default().push(view.id),
        }
        by_id.entry(view.id).or_insert(view);
    }
    let mut placed = Vec::new();
    let mut seen = FxHashSet::default();
    let mut next = vec![(root, None)];
    while let Some((id, around)) = next.pop() {
        let Some(view) = by_id.get(&id).copied().filter(|_| seen.insert(id)) else { continue };
        let own = place_within(view, around.as_ref());
        placed.push((view, own));
        let within = children.get(&id).map_or(&[][..], Vec::as_slice);
        next.extend(within.iter().rev().map(|&child| (child, Some(own))));
    }
    placed
}

fn place_within(view: &View<'_>, around: Option<&Placed>) -> Placed {
    let (left, top) = around.map_or((0.0, 0.0), |around| {
        (around.rect.x - around.scroll.0, around.rect.y - around.scroll.1)
    });
    let (scale_x, scale_y) = around.map_or((1.0, 1.0), |around| around.scale);
    let own_x = scale_x * view.real(view::SCALE_X);
    let own_y = scale_y * view.real(view::SCALE_Y);
    let (width, height) = (view.int(view::WIDTH), view.int(view::HEIGHT));
    // A view is scaled around its center.
    let x = left
        + (view.int(view::LEFT) + view.real(view::TRANSLATION_X)) * scale_x
        + width * (scale_x - own_x) / 2.0;
    let y = top
        + (view.int(view::TOP) + view.real(view::TRANSLATION_Y)) * scale_y
        + height * (scale_y - own_y) / 2.0;
    let is_set_visible = view.fields.int(view::VISIBILITY) == 0;
    let is_shown = is_set_visible && around.is_none_or(|around| around.is_shown);
    Placed {
        is_shown,
        is_visible: is_shown && view.has_area(),
        rect: Rect { x, y, w: width * own_x, h: height * own_y },
        level: around.map_or(0, |around| around.level.saturating_add(1)),
        scale: (own_x, own_y),
        scroll: (view.int(view::SCROLL_X), view.int(view::SCROLL_Y)),
    }
}

fn add_rect(view: &View<'_>, placed: &Placed, context: &mut DecodeContext<'_, '_>) -> u32 {
    let row = WinscopeTraceRectRow {
        rect_id: context.rect_row(&placed.rect),
        depth: placed.level.saturating_mul(DEPTH_OF_LEVEL),
        is_visible: u32::from(placed.is_visible),
        opacity: Some(view.real(view::ALPHA)),
        ..WinscopeTraceRectRow::default()
    };
    context.tables.winscope_trace_rect.push(row)
}

fn add_view(
    snapshot_id: u32,
    view: &View<'_>,
    placed: Option<(u32, bool)>,
    context: &mut DecodeContext<'_, '_>,
) {
    let number = context.number(view.message);
    let text = |number| view.fields.get(number);
    let view_id = interned(text(view::VIEW_ID_IID), VIEW_ID, number, context);
    let class_name = interned(text(view::CLASS_NAME_IID), CLASS, number, context);
    interned(text(view::CONTENT_DESCRIPTION_IID), DESCRIPTION, number, context);
    interned(text(view::TEXT_IID), TEXT, number, context);
    let row = ViewCaptureViewRow {
        snapshot_id,
        arg_set_id: context.arg_set(view.message, VIEW, ERRORS),
        base64_proto_id: Some(number),
        node_id: view.id as u32,
        hashcode: view.fields.int(view::HASHCODE) as i32 as u32,
        is_visible: u32::from(placed.is_some_and(|(_, is_visible)| is_visible)),
        parent_id: view.parent as u32,
        view_id,
        class_name,
        trace_rect_id: placed.map(|(rect, _)| rect),
    };
    context.tables.viewcapture_view.push(row);
}

/// A kind of interned text, with the key of the field that refers to it.
type InternedKind = (u32, &'static str);

const PACKAGE: InternedKind = (interned_data::VIEWCAPTURE_PACKAGE_NAME, "package_name_iid");
const WINDOW: InternedKind = (interned_data::VIEWCAPTURE_WINDOW_NAME, "window_name_iid");
const VIEW_ID: InternedKind = (interned_data::VIEWCAPTURE_VIEW_ID, "view_id_iid");
const CLASS: InternedKind = (interned_data::VIEWCAPTURE_CLASS_NAME, "class_name_iid");
const DESCRIPTION: InternedKind =
    (interned_data::VIEWCAPTURE_CONTENT_DESCRIPTION, "content_description_iid");
const TEXT: InternedKind = (interned_data::VIEWCAPTURE_TEXT, "text_iid");

/// The text that a field refers to; NULL if it was never sent, which the args count.
fn interned(
    iid: Option<Field<'_>>,
    (kind, key): InternedKind,
    base64_proto_id: u32,
    context: &mut DecodeContext<'_, '_>,
) -> StringId {
    let Some(iid) = iid.map(|field| field.as_u64()) else { return StringId::NULL };
    let packet = context.packet;
    if packet.interned.message(packet.generation, kind, iid).is_none() {
        return StringId::NULL;
    }
    let strings = &mut context.tables.strings;
    let text = packet.interned.text(packet.generation, kind, iid, strings, context.stats);
    let deinterned_value = text.unwrap_or(StringId::NULL);
    let flat_key = strings.intern(key);
    let row =
        ViewCaptureInternedRow { base64_proto_id, flat_key, iid: iid as i64, deinterned_value };
    context.tables.viewcapture_interned_data.push(row);
    deinterned_value
}
