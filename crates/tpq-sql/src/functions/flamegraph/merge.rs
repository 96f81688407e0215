//! Frames of the same name and with the same callers become one node.

use datafusion::common::{Result, exec_err};
use rustc_hash::FxHashMap;

use super::amount::Amount;
use super::config::View;
use super::filters::Kept;
use super::frames::{Frames, NONE};
use crate::functions::reserved::Reserved;
use crate::functions::steps::Steps;

/// Bytes of an entry in the index of nodes.
const INDEX: usize = 16;

/// A box of the flamegraph.
pub(super) struct Node<A> {
    /// The node next to the root that this one touches, or `NONE`.
    pub parent: u32,
    /// 1, 2, 3… from the root to what is called; -1, -2, -3… from the root to callers.
    pub depth: i64,
    /// One of its frames.
    pub frame: u32,
    /// The sum of the samples that end in its frames.
    pub own: A,
    /// The sum of the samples that the box is as wide as.
    pub total: A,
}

/// The nodes of a flamegraph, parents before children.
pub(super) struct Nodes<A> {
    pub nodes: Vec<Node<A>>,
    /// Pairs of a node and one of its frames, perhaps more than once. Empty if they are not needed.
    pub members: Vec<(u32, u32)>,
}

/// Merges the frames that a view shows. `keys` has a number for each frame; frames with different
/// numbers are not merged.
pub(super) fn merge<A: Amount>(
    frames: &Frames,
    kept: &Kept<A>,
    keys: &[u32],
    view: View,
    members: bool,
    memory: &Reserved,
) -> Result<Nodes<A>> {
    let mut merger = Merger::new(frames, kept, keys, members, memory);
    match view {
        View::TopDown | View::FromFrame => merger.downwards()?,
        View::BottomUp => {
            let has_own = |frame: &u32| kept.own[*frame as usize] != A::default();
            let ends = frames.order.iter().copied().filter(has_own);
            merger.upwards(ends, |frame| kept.own[frame as usize])?;
        }
        View::Pivot => {
            merger.downwards()?;
            let is_root = |frame: &u32| {
                kept.is_shown[*frame as usize]
                    && kept.has_samples[*frame as usize]
                    && kept.shown_caller(*frame) == NONE
            };
            let roots = frames.order.iter().copied().filter(is_root);
            merger.upwards(roots, |frame| kept.total[frame as usize])?;
        }
    }
    Ok(merger.made)
}

struct Merger<'a, A> {
    frames: &'a Frames,
    kept: &'a Kept<A>,
    keys: &'a [u32],
    /// Whether the frames of each node are listed.
    lists_members: bool,
    memory: &'a Reserved,
    steps: Steps,
    made: Nodes<A>,
    /// The node with a parent and a key, in one direction.
    index: FxHashMap<(u32, u32), u32>,
}

impl<'a, A: Amount> Merger<'a, A> {
    fn new(
        frames: &'a Frames,
        kept: &'a Kept<A>,
        keys: &'a [u32],
        lists_members: bool,
        memory: &'a Reserved,
    ) -> Self {
        let made = Nodes { nodes: Vec::new(), members: Vec::new() };
        let (steps, index) = (Steps::default(), FxHashMap::default());
        Self { frames, kept, keys, lists_members, memory, steps, made, index }
    }

    /// Makes the nodes of the shown frames, from callers to what they call.
    fn downwards(&mut self) -> Result<()> {
        self.index.clear();
        let mut node_of = vec![NONE; self.frames.len()];
        for &frame in &self.frames.order {
            self.steps.take(1)?;
            let at = frame as usize;
            if !(self.kept.is_shown[at] && self.kept.has_samples[at]) {
                continue;
            }
            let parent = match self.kept.shown_caller(frame) {
                NONE => NONE,
                caller => node_of[caller as usize],
            };
            let (own, total) = (self.kept.own[at], self.kept.total[at]);
            node_of[at] = self.add(parent, frame, 1, own, total)?;
        }
        Ok(())
    }

    /// Makes the nodes of some frames and their callers, those outside of the view too. `total`
    /// gives the width of each of the frames.
    fn upwards(
        &mut self,
        starts: impl Iterator<Item = u32>,
        total: impl Fn(u32) -> A,
    ) -> Result<()> {
        self.index.clear();
        for start in starts {
            let total = total(start);
            let own = self.kept.own[start as usize];
            let mut node = self.add(NONE, start, -1, own, total)?;
            let mut caller = self.kept.callers[start as usize];
            while caller != NONE {
                self.steps.take(1)?;
                // The samples of the caller itself are those of another start.
                node = self.add(node, caller, -1, A::default(), total)?;
                caller = self.kept.callers[caller as usize];
            }
        }
        Ok(())
    }

    /// Adds a frame to the node of its key under `parent`; returns the node.
    fn add(&mut self, parent: u32, frame: u32, direction: i64, own: A, total: A) -> Result<u32> {
        let nodes = &mut self.made.nodes;
        let next = match u32::try_from(nodes.len()) {
            Ok(next) if next != NONE => next,
            _ => return exec_err!("a flamegraph has at most {NONE} nodes"),
        };
        let key = (parent, self.keys[frame as usize]);
        let node = *self.index.entry(key).or_insert(next);
        if node == next {
            let depth = match parent {
                NONE => direction,
                parent => nodes[parent as usize].depth + direction,
            };
            nodes.push(Node { parent, depth, frame, own: A::default(), total: A::default() });
        }
        let found = &mut nodes[node as usize];
        found.own = found.own.plus(own)?;
        found.total = found.total.plus(total)?;
        if self.lists_members {
            self.made.members.push((node, frame));
        }
        let nodes = self.made.nodes.len().saturating_mul(size_of::<Node<A>>() + INDEX);
        let members = self.made.members.len().saturating_mul(size_of::<(u32, u32)>());
        self.memory.at_least(nodes.saturating_add(members))?;
        Ok(node)
    }
}
