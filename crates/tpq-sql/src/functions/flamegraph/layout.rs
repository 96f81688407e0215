//! Positions of the boxes of a flamegraph.

use datafusion::common::Result;

use super::amount::Amount;
use super::frames::{Groups, NONE};
use super::merge::Node;

/// A box with its position. Boxes are numbered in their order: level by level, from left to right.
pub(super) struct Placed<A> {
    pub node: u32,
    /// The number of the box that this one touches, towards the root.
    pub parent: Option<u32>,
    pub x_start: A,
    pub x_end: A,
}

/// Places boxes side by side within the box that they touch, the widest first. Both directions from
/// the root begin at 0.
pub(super) fn place<A: Amount>(nodes: &[Node<A>]) -> Result<Vec<Placed<A>>> {
    let parents: Vec<u32> = nodes.iter().map(|node| node.parent).collect();
    let mut children = Groups::new(&parents, nodes.len());
    let widest_first = |one: &u32, other: &u32| {
        let (a, b) = (&nodes[*one as usize], &nodes[*other as usize]);
        b.total.compared(&a.total).then(one.cmp(other))
    };
    let mut placed: Vec<Placed<A>> = Vec::with_capacity(nodes.len());
    for direction in [1, -1] {
        let roots = (0u32..).zip(nodes);
        let roots = roots.filter(|(_, node)| node.parent == NONE && node.depth == direction);
        let mut roots: Vec<u32> = roots.map(|(number, _)| number).collect();
        roots.sort_by(widest_first);
        place_row(&mut placed, &roots, nodes, None, A::default())?;
    }
    let mut next = 0;
    while let Some(parent) = placed.get(next) {
        let (node, from) = (parent.node, parent.x_start);
        children.of_mut(node).sort_by(widest_first);
        let number = u32::try_from(next).ok();
        place_row(&mut placed, children.of(node), nodes, number, from)?;
        next += 1;
    }
    Ok(placed)
}

/// Places boxes next to each other.
fn place_row<A: Amount>(
    placed: &mut Vec<Placed<A>>,
    row: &[u32],
    nodes: &[Node<A>],
    parent: Option<u32>,
    from: A,
) -> Result<()> {
    let mut x_start = from;
    for &node in row {
        let x_end = x_start.plus(nodes[node as usize].total)?;
        placed.push(Placed { node, parent, x_start, x_end });
        x_start = x_end;
    }
    Ok(())
}
