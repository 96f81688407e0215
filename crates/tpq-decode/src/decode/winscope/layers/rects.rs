//! The rectangles of layers: their bounds, and the areas in which they receive input.

use rustc_hash::FxHashMap;
use tpq_proto::fields::{input_window_info_proto, region_proto};
use tpq_proto::wire::LastFields;
use tpq_tables::table::{WinscopeFillRegionRow, WinscopeTraceRectRow};

use super::Snapshot;
use super::display::Display;
use super::layer::Layer;
use super::visibility::Visibility;
use crate::decode::winscope::context::{DecodeContext, messages};
use crate::decode::winscope::geometry::{Rect, Transform};

/// Bits of the configuration of a window that receives input.
mod input_config {
    pub(super) const NOT_TOUCHABLE: u32 = 1 << 3;
    pub(super) const IS_WALLPAPER: u32 = 1 << 6;
    pub(super) const SPY: u32 = 1 << 14;
}

/// The bounds of layers without bounds on systems that do not derive them from displays.
const NO_BOUNDS: Rect = Rect { x: -50_000.0, y: -50_000.0, w: 100_000.0, h: 100_000.0 };

/// The rows of a layer's rectangles in `__intrinsic_winscope_trace_rect`.
#[derive(Clone, Copy, Default)]
pub(super) struct LayerRects {
    pub(super) bounds: Option<u32>,
    pub(super) input: Option<u32>,
}

/// Rectangles of a layer stack so far, by its number.
struct Depths(FxHashMap<u32, u32>);

impl Depths {
    /// Depth 0 of a stack is its display.
    fn new(displays: &[Display]) -> Self {
        Self(displays.iter().map(|display| (display.layer_stack, 1)).collect())
    }

    /// The depth of the next rectangle.
    fn next(&mut self, layer_stack: u32) -> u32 {
        let depth = self.0.entry(layer_stack).or_default();
        *depth += 1;
        *depth - 1
    }
}

/// What the rectangles of all layers of a snapshot have in common.
struct Rects<'s, 'a> {
    snapshot: &'s Snapshot<'a>,
    /// Bounds that stand for none.
    no_bounds: Vec<Rect>,
    bounds_depths: Depths,
    input_depths: Depths,
}

/// Adds the rectangles of layers, from the lowest up, and returns them by the places of the layers.
pub(super) fn add_rows(
    snapshot: &Snapshot<'_>,
    top_to_bottom: &[usize],
    visibility: &FxHashMap<usize, Visibility>,
    context: &mut DecodeContext<'_, '_>,
) -> FxHashMap<usize, LayerRects> {
    let mut rects = Rects {
        snapshot,
        no_bounds: no_bounds(&snapshot.displays),
        bounds_depths: Depths::new(&snapshot.displays),
        input_depths: Depths::new(&snapshot.displays),
    };
    let mut rows = FxHashMap::default();
    for &at in top_to_bottom.iter().rev() {
        let Some(layer) = snapshot.layers.get(at) else { continue };
        let is_visible = visibility.get(&at).is_some_and(|it| it.is_visible);
        let bounds = rects.add_bounds(layer, is_visible, context);
        let input = rects.add_input(layer, is_visible, context);
        rows.insert(at, LayerRects { bounds, input });
    }
    rows
}

/// Layers without bounds have ten times those of the largest display, as it was when the layer was
/// made, in one of two orientations.
fn no_bounds(displays: &[Display]) -> Vec<Rect> {
    let largest = displays
        .iter()
        .fold((0.0_f64, 0.0_f64), |(w, h), display| (w.max(display.size.0), h.max(display.size.1)));
    let sizes = displays.iter().map(|display| display.size);
    let sizes = sizes.chain((!displays.is_empty()).then_some(largest));
    let around = |x: f64, y: f64| Rect::from_edges(-x, -y, x, y);
    sizes.flat_map(|(w, h)| [around(w * 10.0, h * 10.0), around(h * 10.0, w * 10.0)]).collect()
}

impl Rects<'_, '_> {
    fn stands_for_none(&self, rect: &Rect) -> bool {
        self.no_bounds.iter().any(|none| rect.is_almost(none))
    }

    fn add_bounds(
        &mut self,
        layer: &Layer<'_>,
        is_visible: bool,
        context: &mut DecodeContext<'_, '_>,
    ) -> Option<u32> {
        let on_screen = layer.screen_bounds(None)?;
        if !is_visible && (self.stands_for_none(&on_screen) || on_screen.is_almost(&NO_BOUNDS)) {
            return None;
        }
        let alpha = layer.color.filter(|color| color.has_alpha).map(|color| color.a);
        let row = WinscopeTraceRectRow {
            rect_id: context.rect_row(&layer.bounds.unwrap_or_default()),
            group_id: layer.layer_stack,
            depth: self.bounds_depths.next(layer.layer_stack),
            is_spy: 0,
            is_visible: u32::from(is_visible),
            opacity: alpha.or(is_visible.then_some(0.0)),
            transform_id: Some(context.transform_row(&layer.transform)),
            border_width: layer.border.map(|(width, _)| width),
            border_color: layer.border.map(|(_, color)| color),
        };
        Some(context.tables.winscope_trace_rect.push(row))
    }

    fn add_input(
        &mut self,
        layer: &Layer<'_>,
        is_visible: bool,
        context: &mut DecodeContext<'_, '_>,
    ) -> Option<u32> {
        let message = layer.input?;
        let window = LastFields::<18>::new(message);
        let config = window.uint(input_window_info_proto::INPUT_CONFIG) as u32;
        let displays = &self.snapshot.displays;
        let display = displays.iter().rfind(|it| it.layer_stack == layer.layer_stack);
        let transforms = [display.map(|it| it.transform), Some(layer.transform.inverse())];
        let to_layer = |rect: Rect| {
            transforms.iter().flatten().fold(rect, |rect, it: &Transform| it.apply_to(&rect))
        };
        let frame = window.get(input_window_info_proto::FRAME);
        let mut frame = frame.map_or(Rect::default(), |it| to_layer(Rect::read(it.as_bytes())));
        let crop = display.map(|display| display.area).filter(|_| {
            frame.is_empty()
                || config & input_config::IS_WALLPAPER != 0
                || self.stands_for_none(&frame)
        });
        if let Some(area) = &crop {
            frame = frame.crop(area);
        }
        let stated = window.get(input_window_info_proto::VISIBLE).map(|field| field.as_bool());
        let row = WinscopeTraceRectRow {
            rect_id: context.rect_row(&frame),
            group_id: layer.layer_stack,
            depth: self.input_depths.next(layer.layer_stack),
            is_spy: u32::from(config & input_config::SPY != 0),
            is_visible: u32::from(stated.unwrap_or(is_visible)),
            transform_id: Some(context.transform_row(&layer.transform)),
            ..WinscopeTraceRectRow::default()
        };
        let trace_rect_id = context.tables.winscope_trace_rect.push(row);
        for rect in touchable(&window, config, crop.as_ref(), to_layer) {
            let rect_id = context.rect_row(&rect);
            let row = WinscopeFillRegionRow { trace_rect_id, rect_id };
            context.tables.winscope_fill_region.push(row);
        }
        Some(trace_rect_id)
    }
}

/// The rectangles in which a window is touchable: an empty one if it is nowhere, none if that was
/// not recorded.
fn touchable(
    window: &LastFields<'_, 18>,
    config: u32,
    crop: Option<&Rect>,
    to_layer: impl Fn(Rect) -> Rect,
) -> Vec<Rect> {
    if config & input_config::NOT_TOUCHABLE != 0 {
        return vec![Rect::default()];
    }
    let Some(region) = window.get(input_window_info_proto::TOUCHABLE_REGION) else {
        return Vec::new();
    };
    let rects = messages(region.as_bytes(), region_proto::RECT)
        .map(|rect| to_layer(Rect::read(rect)))
        .map(|rect| crop.map_or(rect, |crop| rect.crop(crop)));
    let mut rects: Vec<Rect> = rects.collect();
    if rects.is_empty() {
        rects.push(Rect::default());
    }
    rects
}
