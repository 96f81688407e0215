//! Frames of a profile, and their merging.

use std::sync::Arc;

use datafusion::common::Result;
use rustc_hash::FxHashMap;

use crate::functions::steps::Steps;

/// Number and bytes, and number and bytes of all allocations.
pub(super) type Values = [i64; 4];

/// A frame with what was measured in it, without the frames below.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// The position of the frame above; `None` for a root.
    pub(super) parent: Option<usize>,
    pub(super) name: Arc<str>,
    pub(super) map_name: Arc<str>,
    pub(super) source_file: Option<Arc<str>>,
    pub(super) line_number: Option<i64>,
    /// Time of the last sample.
    pub(super) ts: Option<i64>,
    pub(super) values: Values,
}

/// Frames with the same name and mapping below the same node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The sums of the frames. Its parent is a frame: see `parent`.
    pub(super) frame: Frame,
    /// The position of the node above.
    pub(super) parent: Option<usize>,
    pub(super) depth: usize,
    pub(super) cumulative: Values,
}

/// What merged frames share: the node of their parent, their name, and the name of their mapping.
type NodeKey = (Option<usize>, Arc<str>, Arc<str>);

/// Merges frames. Nodes are after their parents. Nodes without any value are left out.
pub(super) fn merge(frames: Vec<Frame>) -> Result<Vec<Node>> {
    let mut steps = Steps::default();
    let order = from_roots(&frames, &mut steps)?;
    let mut nodes: Vec<Node> = Vec::new();
    let mut node_of = vec![usize::MAX; frames.len()];
    let mut found: FxHashMap<NodeKey, usize> = FxHashMap::default();
    for position in order {
        steps.take(1)?;
        let frame = &frames[position];
        let parent = frame.parent.map(|parent| node_of[parent]);
        let key = (parent, Arc::clone(&frame.name), Arc::clone(&frame.map_name));
        let node = *found.entry(key).or_insert(nodes.len());
        node_of[position] = node;
        match nodes.get_mut(node) {
            Some(node) => node.add(frame),
            None => {
                let depth = parent.map_or(0, |parent| nodes[parent].depth + 1);
                nodes.push(Node { frame: frame.clone(), parent, depth, cumulative: frame.values });
            }
        }
    }
    add_up(&mut nodes);
    let wanted: Vec<bool> = nodes.iter().map(|node| node.cumulative != [0; 4]).collect();
    Ok(keep(nodes, &wanted))
}

impl Node {
    fn add(&mut self, frame: &Frame) {
        let own = &mut self.frame;
        for (sum, value) in own.values.iter_mut().zip(frame.values) {
            *sum = sum.saturating_add(value);
        }
        self.cumulative = own.values;
        // Several places in the source have none in common.
        if own.source_file != frame.source_file {
            own.source_file = None;
        }
        if own.line_number != frame.line_number {
            own.line_number = None;
        }
        own.ts = own.ts.max(frame.ts);
    }
}

/// The positions of frames, each after its parent.
fn from_roots(frames: &[Frame], steps: &mut Steps) -> Result<Vec<usize>> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); frames.len()];
    let mut order = Vec::with_capacity(frames.len());
    for (position, frame) in frames.iter().enumerate() {
        match frame.parent.and_then(|parent| below.get_mut(parent)) {
            Some(siblings) => siblings.push(position),
            None => order.push(position),
        }
    }
    let mut next = 0;
    while let Some(&position) = order.get(next) {
        steps.take(1)?;
        next += 1;
        order.append(&mut below[position]);
    }
    Ok(order)
}

/// Adds the values of nodes to those above.
fn add_up(nodes: &mut [Node]) {
    for position in (0..nodes.len()).rev() {
        let Some(parent) = nodes[position].parent else { continue };
        let cumulative = nodes[position].cumulative;
        for (sum, value) in nodes[parent].cumulative.iter_mut().zip(cumulative) {
            *sum = sum.saturating_add(value);
        }
    }
}

/// The nodes that are `wanted`, by position, unless one above is not.
fn keep(nodes: Vec<Node>, wanted: &[bool]) -> Vec<Node> {
    let mut positions = vec![None; nodes.len()];
    let mut kept = Vec::new();
    for (position, mut node) in nodes.into_iter().enumerate() {
        let above = node.parent.map(|parent| positions[parent]);
        if !wanted[position] || above == Some(None) {
            continue;
        }
        node.parent = above.flatten();
        positions[position] = Some(kept.len());
        kept.push(node);
    }
    kept
}

/// Whether a node is in focus.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Focus {
    Outside,
    /// Above a node with the text in its name.
    Above,
    /// A node with the text in its name, or below one.
    Within,
}

/// The nodes with `text` in their names, in any case, with the nodes above and below them.
pub(super) fn focus(mut nodes: Vec<Node>, text: Option<&str>) -> Result<Vec<Node>> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(nodes) };
    let text = text.to_lowercase();
    let mut steps = Steps::default();
    let mut states = vec![Focus::Outside; nodes.len()];
    for (position, node) in nodes.iter().enumerate() {
        steps.take(1)?;
        if node.frame.name.to_lowercase().contains(&text) {
            states[position] = Focus::Within;
            let mut above = node.parent;
            while let Some(parent) = above.filter(|&parent| states[parent] == Focus::Outside) {
                steps.take(1)?;
                states[parent] = Focus::Above;
                above = nodes[parent].parent;
            }
        } else if node.parent.is_some_and(|parent| states[parent] == Focus::Within) {
            states[position] = Focus::Within;
        }
    }
    for (node, state) in nodes.iter_mut().zip(&states) {
        node.cumulative = if *state == Focus::Outside { [0; 4] } else { node.frame.values };
    }
    add_up(&mut nodes);
    let wanted: Vec<bool> = states.iter().map(|&state| state != Focus::Outside).collect();
    Ok(keep(nodes, &wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(parent: Option<usize>, name: &str, size: i64) -> Frame {
        Frame { parent, name: name.into(), values: [1, size, 0, 0], ..Frame::default() }
    }

    fn rows(nodes: &[Node]) -> Vec<String> {
        let row = |node: &Node| {
            let parent = node.parent.map_or("-".to_owned(), |parent| parent.to_string());
            let (own, all) = (node.frame.values[1], node.cumulative[1]);
            format!("{} {parent} {} {own} {all}", node.frame.name, node.depth)
        };
        nodes.iter().map(row).collect()
    }

    /// A frame before its parent, and two frames of one name.
    fn tree() -> Vec<Frame> {
        vec![
            frame(Some(1), "f", 2),
            frame(None, "main", 1),
            frame(Some(1), "f", 4),
            frame(Some(2), "g", 8),
            frame(None, "main", 16),
            frame(Some(4), "h", 0),
        ]
    }

    #[test]
    fn frames_of_one_name_are_one_node() -> Result<()> {
        let nodes = merge(tree())?;
        assert_eq!(rows(&nodes), ["main - 0 17 31", "f 0 1 6 14", "h 0 1 0 0", "g 1 2 8 8"]);
        Ok(())
    }

    #[test]
    fn nodes_without_values_are_left_out() -> Result<()> {
        let mut frames = tree();
        frames.iter_mut().for_each(|frame| frame.values[0] = 0);
        assert_eq!(rows(&merge(frames)?), ["main - 0 17 31", "f 0 1 6 14", "g 1 2 8 8"]);
        Ok(())
    }

    #[test]
    fn a_focus_keeps_what_is_above_and_below() -> Result<()> {
        assert_eq!(
            rows(&focus(merge(tree())?, Some("F"))?),
            ["main - 0 17 31", "f 0 1 6 14", "g 1 2 8 8"]
        );
        assert_eq!(rows(&focus(merge(tree())?, Some("H"))?), ["main - 0 17 17", "h 0 1 0 0"]);
        assert_eq!(rows(&focus(merge(tree())?, Some("x"))?), [""; 0]);
        assert_eq!(focus(merge(tree())?, Some(""))?.len(), 4);
        Ok(())
    }
}
