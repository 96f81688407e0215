//! The order in which layers are drawn.

use rustc_hash::FxHashMap;

use super::Snapshot;
use super::layer::Layer;

/// A step of the walk over the tree of layers.
enum Step {
    /// To draw a layer with everything that it holds.
    Tree(usize),
    /// To draw the layer itself.
    Layer(usize),
}

/// The places of all layers that are drawn, the topmost first. A layer is drawn above its parent,
/// or above the layer it is ordered relative to, except where its z is negative. Layers that no
/// root leads to are left out.
pub(super) fn top_to_bottom(snapshot: &Snapshot<'_>) -> Vec<usize> {
    let mut roots = Vec::new();
    let mut children: FxHashMap<i32, Vec<usize>> = FxHashMap::default();
    for (at, layer) in snapshot.layers.iter().enumerate() {
        let is_first = layer.id.is_some_and(|id| snapshot.by_id.get(&id) == Some(&at));
        match (is_first, holder(layer)) {
            (true, Some(holder)) if holder > 0 => children.entry(holder).or_default().push(at),
            (true, None) => roots.push(at),
            _ => {}
        }
    }
    let sort = |places: &mut Vec<usize>| {
        places.sort_by_key(|&at| snapshot.layers.get(at).map(|layer| (layer.z, layer.id)));
    };
    sort(&mut roots);
    children.values_mut().for_each(sort);
    let mut drawn = Vec::new();
    let mut steps: Vec<Step> = roots.into_iter().rev().map(Step::Tree).collect();
    while let Some(step) = steps.pop() {
        let at = match step {
            Step::Layer(at) => {
                drawn.push(at);
                continue;
            }
            Step::Tree(at) => at,
        };
        let layer = snapshot.layers.get(at);
        let held = layer.and_then(|layer| children.get(&layer.id?)).map_or(&[][..], Vec::as_slice);
        let is_below = |at: &usize| snapshot.layers.get(*at).is_some_and(|layer| layer.z < 0);
        let (below, above) = held.split_at(held.partition_point(is_below));
        steps.extend(above.iter().rev().map(|&at| Step::Tree(at)));
        steps.push(Step::Layer(at));
        steps.extend(below.iter().rev().map(|&at| Step::Tree(at)));
    }
    drawn.reverse();
    drawn
}

/// The id of the layer that holds another; `None` for roots.
fn holder(layer: &Layer<'_>) -> Option<i32> {
    match layer.relative_to.filter(|&id| id > 0) {
        Some(id) => Some(id),
        None if layer.is_root() => None,
        None => layer.parent,
    }
}
