//! Which layers are visible, and which layers are above them.

use rustc_hash::FxHashMap;
use tpq_tables::{StringId, StringPool};

use super::Snapshot;
use super::display::Display;
use super::layer::{Color, Layer};
use crate::decode::winscope::geometry::Rect;

/// Most layers of each kind that are listed above a layer.
const MAX_ABOVE: usize = 64;
/// Pairs of layers that are compared for each byte of a snapshot. Each visible layer is compared
/// with those above it; layers of a usual size are compared with thousands.
const PAIRS_PER_BYTE: usize = 16;

/// Whether a layer is visible, and why.
#[derive(Default)]
pub(super) struct Visibility {
    pub(super) is_visible: bool,
    /// Why it is not visible.
    pub(super) reasons: Vec<StringId>,
    /// Ids of opaque layers that hide it.
    pub(super) occluded_by: Vec<i32>,
    /// Ids of opaque layers that hide a part of it.
    pub(super) partially_occluded_by: Vec<i32>,
    /// Ids of other layers above it.
    pub(super) covered_by: Vec<i32>,
}

/// The visibility of the layers that are drawn, by their places. `left_out` counts layers that were
/// not compared with all layers above them.
pub(super) fn compute(
    snapshot: &Snapshot<'_>,
    top_to_bottom: &[usize],
    left_out: &mut i64,
    strings: &mut StringPool,
) -> FxHashMap<usize, Visibility> {
    let mut parents = HiddenParents::default();
    let pairs_left = snapshot.size.saturating_mul(PAIRS_PER_BYTE);
    let mut above = Above { opaque: Vec::new(), translucent: Vec::new(), pairs_left };
    let mut computed = FxHashMap::default();
    for &at in top_to_bottom {
        let Some(layer) = snapshot.layers.get(at) else { continue };
        let is_parent_hidden = parents.is_parent_hidden(layer, snapshot);
        let mut visibility = Visibility::default();
        if !is_parent_hidden && is_visible_alone(layer, snapshot) {
            *left_out += i64::from(!above.place(layer, snapshot, &mut visibility));
        }
        if !visibility.is_visible {
            let is_occluded = !visibility.occluded_by.is_empty();
            let excludes = snapshot.excludes_composition;
            visibility.reasons = reasons(layer, is_parent_hidden, excludes, is_occluded)
                .iter()
                .map(|reason| strings.intern(reason))
                .collect();
        }
        computed.insert(at, visibility);
    }
    computed
}

/// The visible layers above the ones that come next.
struct Above<'s, 'a> {
    opaque: Vec<&'s Layer<'a>>,
    translucent: Vec<&'s Layer<'a>>,
    /// How many pairs of layers may still be compared.
    pairs_left: usize,
}

impl<'s, 'a> Above<'s, 'a> {
    /// Finds the layers above one that is visible if nothing hides it, and adds it to them. Returns
    /// false if it was not compared with all of them.
    fn place(
        &mut self,
        layer: &'s Layer<'a>,
        snapshot: &Snapshot<'_>,
        visibility: &mut Visibility,
    ) -> bool {
        let count = self.opaque.len() + self.translucent.len();
        let compared = count.min(self.pairs_left);
        self.pairs_left -= compared;
        let display = display_of(layer, snapshot);
        let display = display.as_ref();
        visibility.is_visible = true;
        let is_of_stack = |other: &&&Layer<'a>| other.layer_stack == layer.layer_stack;
        for opaque in self.opaque.iter().take(compared).filter(is_of_stack) {
            if opaque.hides(layer, display) {
                visibility.is_visible = false;
                list(&mut visibility.occluded_by, opaque);
            } else if opaque.overlaps(layer, display) {
                list(&mut visibility.partially_occluded_by, opaque);
            }
        }
        let compared_translucent = compared.saturating_sub(self.opaque.len());
        for translucent in self.translucent.iter().take(compared_translucent).filter(is_of_stack) {
            if visibility.covered_by.len() >= MAX_ABOVE {
                break;
            }
            if translucent.overlaps(layer, display) {
                list(&mut visibility.covered_by, translucent);
            }
        }
        match layer.is_opaque && layer.color.is_some_and(|color| color.a >= 1.0) {
            true => self.opaque.push(layer),
            false => self.translucent.push(layer),
        }
        compared == count
    }
}

fn list(layers: &mut Vec<i32>, layer: &Layer<'_>) {
    if layers.len() < MAX_ABOVE {
        layers.extend(layer.id);
    }
}

/// The area of the display that shows a layer.
fn display_of(layer: &Layer<'_>, snapshot: &Snapshot<'_>) -> Option<Rect> {
    let shows = |it: &&Display| it.layer_stack == layer.layer_stack && it.has_area;
    snapshot.displays.iter().rfind(shows).map(|display| display.area)
}

/// Whether a layer without a hidden parent is visible where nothing lies above it.
fn is_visible_alone(layer: &Layer<'_>, snapshot: &Snapshot<'_>) -> bool {
    let is_drawn = layer.has_buffer || layer.has_effects();
    let has_area = match snapshot.excludes_composition {
        true => layer.bounds.is_some_and(|bounds| !bounds.is_empty()),
        false => layer.visible_region == Some(true),
    };
    !layer.is_hidden() && layer.color.is_some_and(|color| color.a > 0.0) && is_drawn && has_area
}

/// The words of Winscope for what makes a layer invisible.
fn reasons(
    layer: &Layer<'_>,
    is_parent_hidden: bool,
    excludes_composition: bool,
    is_occluded: bool,
) -> Vec<String> {
    let has_no_area = layer.bounds.is_none_or(|bounds| bounds.is_empty());
    let is_transparent = layer.color.is_none_or(|color| color.is_transparent());
    let is_colorless = is_transparent || !layer.color.as_ref().is_some_and(Color::is_valid);
    let draws_nothing = !layer.has_buffer && !layer.has_effects() && !layer.has_blur;
    let by_parent = format!("hidden by parent {}", layer.parent.unwrap_or_default());
    [
        (layer.is_hidden(), "flag is hidden"),
        (is_parent_hidden, &by_parent),
        (!layer.has_buffer, "buffer is empty"),
        (is_transparent, "alpha is 0"),
        (has_no_area, "bounds is 0x0"),
        (has_no_area && is_colorless, "crop is 0x0"),
        (!layer.transform.is_invertible(), "transform is invalid"),
        (draws_nothing, "does not have color fill, shadow or blur"),
        (
            layer.visible_region == Some(false),
            "visible region calculated by Composition Engine is empty",
        ),
        (layer.visible_region.is_none() && !excludes_composition, "null visible region"),
        (is_occluded, "occluded"),
    ]
    .into_iter()
    .filter(|&(holds, _)| holds)
    .map(|(_, reason)| reason.to_owned())
    .collect()
}

/// Layers that are known to have a hidden parent or not, by id.
#[derive(Default)]
struct HiddenParents(FxHashMap<i32, bool>);

impl HiddenParents {
    /// Whether the parent of a layer, or one of its parents, is hidden.
    fn is_parent_hidden(&mut self, layer: &Layer<'_>, snapshot: &Snapshot<'_>) -> bool {
        let Self(known) = self;
        let mut passed = Vec::new();
        let mut current = layer;
        let is_hidden = loop {
            let Some(id) = current.id else { break false };
            if let Some(&is_hidden) = known.get(&id) {
                break is_hidden;
            }
            // Layers that are each other's parents are hidden by none.
            known.insert(id, false);
            passed.push(id);
            let parent = current.parent.filter(|_| !current.is_root());
            let Some(parent) = parent.and_then(|id| snapshot.layer(id)) else { break false };
            if parent.is_hidden() {
                break true;
            }
            current = parent;
        };
        known.extend(passed.into_iter().map(|id| (id, is_hidden)));
        is_hidden
    }
}
