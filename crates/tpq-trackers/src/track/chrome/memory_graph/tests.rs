use super::*;

fn node(id: u64, size: u64) -> DumpedNode {
    DumpedNode { id, values: vec![("size".to_owned(), MemoryValue::Bytes(size))] }
}

/// The dump of a process: nodes with ids and sizes, and ownerships.
fn dump(nodes: &[(&str, u64, Option<u64>)], edges: &[(u64, u64, i32)]) -> ProcessDump {
    let mut dump = ProcessDump::default();
    for &(path, id, size) in nodes {
        let dumped = match size {
            Some(size) => node(id, size),
            None => DumpedNode { id, values: Vec::new() },
        };
        dump.add_node(path.to_owned(), dumped);
    }
    edges
        .iter()
        .for_each(|&(source, target, importance)| dump.add_edge(source, target, importance));
    dump
}

/// Size and effective size of every node, by pid and path; pid 0 is that of global nodes.
fn sizes(graph: &MemoryGraph) -> Vec<(u32, String, Option<u64>, Option<u64>)> {
    let mut all = Vec::new();
    let roots = [(0, GLOBAL_ROOT)].into_iter().chain(graph.processes.iter().copied());
    for (pid, root) in roots {
        let mut open = vec![(root, String::new())];
        while let Some((at, path)) = open.pop() {
            let node = &graph.nodes[at];
            if !path.is_empty() {
                all.push((pid, path.clone(), node.size, node.effective_size));
            }
            open.extend(
                node.children.iter().map(|(name, &child)| (child, format!("{path}/{name}"))),
            );
        }
    }
    all.sort();
    all
}

fn effective(graph: &MemoryGraph, pid: u32, path: &str) -> Option<u64> {
    let found = sizes(graph).into_iter().find(|it| (it.0, &*it.1) == (pid, path));
    found.and_then(|it| it.3)
}

#[test]
fn what_children_do_not_explain_is_a_child() {
    let nodes = [("malloc", 0, Some(10)), ("malloc/a", 0, Some(3)), ("malloc/b/c", 0, Some(4))];
    let graph = MemoryGraph::new(&BTreeMap::from([(5, dump(&nodes, &[]))]));
    let of = |path: &str, size| (5, path.to_owned(), Some(size), Some(size));
    let expected = [
        of("/malloc", 10),
        of("/malloc/<unspecified>", 3),
        of("/malloc/a", 3),
        of("/malloc/b", 4),
        of("/malloc/b/c", 4),
    ];
    assert_eq!(sizes(&graph), expected);
}

/// Owners of 6, 7, 5 and 8 bytes of 10. The first two share 6 bytes, the second has one more alone.
/// The third has nothing that they do not have, the fourth one byte. 2 bytes remain.
#[test]
fn owners_share_by_importance() {
    let owned = dump(&[("global/owned", 9, Some(10))], &[]);
    let owner = |id, size, importance| dump(&[("o", id, Some(size))], &[(id, 9, importance)]);
    let dumps = BTreeMap::from([
        (1, owned),
        (11, owner(1, 6, 2)),
        (12, owner(2, 7, 2)),
        (13, owner(3, 5, 1)),
        (14, owner(4, 8, 0)),
    ]);
    let graph = MemoryGraph::new(&dumps);
    let of_owners = [11, 12, 13, 14].map(|pid| effective(&graph, pid, "/o"));
    assert_eq!(of_owners, [Some(3), Some(4), Some(0), Some(1)]);
    assert_eq!(effective(&graph, 0, "/global/owned"), Some(2));
    assert_eq!(graph.left_out, 0);
}

/// A node is as large as its largest owner, and an owner below the same node counts once.
#[test]
fn sizes_follow_owners() {
    let nodes = [("gpu/a", 1, Some(8)), ("gpu/b", 2, None), ("gpu/c", 3, None)];
    let graph = MemoryGraph::new(&BTreeMap::from([(5, dump(&nodes, &[(1, 2, 0)]))]));
    let expected = [
        (5, "/gpu".to_owned(), Some(8), Some(8)),
        (5, "/gpu/a".to_owned(), Some(8), Some(8)),
        (5, "/gpu/b".to_owned(), Some(8), Some(0)),
        (5, "/gpu/c".to_owned(), None, None),
    ];
    assert_eq!(sizes(&graph), expected);
}

#[test]
fn ownerships_in_a_circle_are_left_out() {
    let nodes = [("a", 1, Some(4)), ("a/b", 2, Some(2)), ("c", 3, Some(6)), ("d", 4, Some(1))];
    let edges = [(1, 2, 0), (3, 3, 0), (4, 3, 0)];
    let graph = MemoryGraph::new(&BTreeMap::from([(5, dump(&nodes, &edges))]));
    assert_eq!(graph.left_out, 2);
    assert_eq!(effective(&graph, 5, "/a"), Some(4));
    assert_eq!(effective(&graph, 5, "/c"), Some(5), "that of d remains");
    assert_eq!(effective(&graph, 5, "/d"), Some(1));
}

#[test]
fn paths_are_bounded() {
    let deep = "a/".repeat(MAX_LEVELS + 1);
    let nodes = [(&*deep, 1, Some(4)), ("", 2, Some(2)), ("///", 3, Some(2)), ("a", 4, Some(1))];
    let graph = MemoryGraph::new(&BTreeMap::from([(5, dump(&nodes, &[]))]));
    assert_eq!((graph.left_out, sizes(&graph).len()), (3, 1));
}

/// Byte by byte: each byte of the owned node counts for the owners of the greatest importance that
/// reach it, in equal parts, and for the node itself if none does.
#[test]
fn shares_are_those_of_each_byte() {
    let mut seed = 7_u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for _ in 0..500 {
        let owners: Vec<(u64, i32)> =
            (0..=random(5)).map(|_| (random(40), random(3) as i32)).collect();
        let size = owners.iter().map(|owner| owner.0).max().unwrap_or_default() + random(10);
        let mut expected = vec![0.0; owners.len()];
        let mut rest = 0.0;
        for byte in 0..size {
            let reach = || (0..owners.len()).filter(|&at| owners[at].0 > byte);
            let greatest = reach().map(|at| owners[at].1).max();
            let winners: Vec<usize> =
                reach().filter(|&at| Some(owners[at].1) == greatest).collect();
            winners.iter().for_each(|&at| expected[at] += 1.0 / winners.len() as f64);
            rest += f64::from(u8::from(winners.is_empty()));
        }
        let mut dumps = BTreeMap::from([(1, dump(&[("global/x", 99, Some(size))], &[]))]);
        for (pid, (size, importance)) in (2..).zip(&owners) {
            let id = u64::from(pid);
            dumps.insert(pid, dump(&[("o", id, Some(*size))], &[(id, 99, *importance)]));
        }
        let graph = MemoryGraph::new(&dumps);
        for (pid, expected) in (2..).zip(&expected) {
            let found = effective(&graph, pid, "/o").unwrap() as f64;
            assert!((found - expected).abs() < 1.001, "{owners:?} of {size}: {found}, {expected}");
        }
        let found = effective(&graph, 0, "/global/x").unwrap() as f64;
        assert!((found - rest).abs() < 1.001, "{owners:?} of {size}: {found}, {rest}");
    }
}
