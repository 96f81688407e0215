//! Modules on Java heap dumps and heap profiles, on dumps with known trees.

use tpq_testkit::random::Random;
use tpq_testkit::{Message, Packet};

use super::lines;
use crate::heap_packets::*;
use crate::imported::{Imported, recording};

fn trace(packets: Vec<Packet>) -> Imported {
    Imported::trace(recording().packets(packets))
}

/// `root` refers to `a` and `b`, both to `c`, and that to `d`. Sizes are powers of 2. Objects 0 to 4
/// in the order of the letters; the last is garbage.
fn diamond() -> Imported {
    trace(vec![dump(
        10,
        0,
        false,
        vec![
            owner(1, 1, 1, &[2, 3]),
            owner(2, 2, 2, &[4]),
            owner(3, 2, 4, &[4]),
            owner(4, 3, 8, &[5]),
            object(5, 4, 16),
            owner(6, 3, 32, &[5]),
            (9, class(1, "a.Root[]", ARRAY)),
            (9, class(2, "a.Side[]", ARRAY)),
            (9, class(3, "a.Middle[]", ARRAY)),
            (9, class(4, "a.Leaf[]", ARRAY)),
            root(JNI_GLOBAL, &[1]),
        ],
    )])
}

#[test]
fn dominators_of_a_diamond() {
    let sql = "SELECT id, idom_id, dominated_obj_count, dominated_size_bytes, depth \
        FROM heap_graph_dominator_tree ORDER BY id";
    assert_eq!(
        lines(&diamond(), "memory.heap_graph.dominator_tree", sql),
        ["0 NULL 5 31 1", "1 0 1 2 2", "2 0 1 4 2", "3 0 2 24 2", "4 3 1 16 3"]
    );
}

/// The middle lies below the side with the lower id.
#[test]
fn shortest_paths_of_a_diamond() {
    let sql = "SELECT id, cumulative_size, cumulative_count \
        FROM _heap_graph_object_tree_aggregation ORDER BY id";
    assert_eq!(
        lines(&diamond(), "memory.heap_graph.object_tree", sql),
        ["0 31 5", "1 26 3", "2 4 1", "3 24 2", "4 16 1", "5 32 1"]
    );
}

#[test]
fn trees_of_classes() {
    let tree = |table: &str| {
        format!(
            "WITH RECURSIVE path(id, name, count, size) AS (\
                SELECT id, name, self_count, self_size FROM {table} WHERE parent_id IS NULL \
                UNION ALL SELECT t.id, path.name || '/' || t.name, t.self_count, t.self_size \
                FROM path JOIN {table} t ON t.parent_id = path.id) \
            SELECT name, count, size FROM path ORDER BY name"
        )
    };
    let trace = diamond();
    assert_eq!(
        lines(&trace, "memory.heap_graph.class_tree", &tree("_heap_graph_class_tree")),
        [
            "a.Root[] 1 1",
            "a.Root[]/a.Side[] 2 6",
            "a.Root[]/a.Side[]/a.Middle[] 1 8",
            "a.Root[]/a.Side[]/a.Middle[]/a.Leaf[] 1 16"
        ]
    );
    assert_eq!(
        lines(
            &trace,
            "memory.heap_graph.dominator_class_tree",
            &tree("_heap_graph_dominator_class_tree")
        ),
        [
            "a.Root[] 1 1",
            "a.Root[]/a.Middle[] 1 8",
            "a.Root[]/a.Middle[]/a.Leaf[] 1 16",
            "a.Root[]/a.Side[] 2 6"
        ]
    );
}

#[test]
fn sums_of_a_dump() {
    let sql = "SELECT graph_sample_ts, total_heap_size, total_obj_count, reachable_heap_size, \
        reachable_obj_count, art_bytes_allocated, is_out_of_memory_error \
        FROM android_heap_graph_stats";
    assert_eq!(
        lines(&diamond(), "memory.heap_graph.heap_graph_stats", sql),
        ["10 63 6 31 5 NULL 0"]
    );
}

/// References of each object of a random dump, by its number; the first ones are roots.
struct RandomDump {
    references: Vec<Vec<usize>>,
    roots: usize,
}

impl RandomDump {
    fn new(random: &mut Random) -> Self {
        let objects = 1 + random.below(14);
        let references = (0..objects)
            .map(|_| (0..random.below(4)).map(|_| random.below(objects)).collect())
            .collect();
        Self { references, roots: 1 + random.below(objects.min(3)) }
    }

    fn size(number: usize) -> u64 {
        1 << number
    }

    /// The dump as a packet. Ids of objects are one more than their numbers.
    fn packet(&self, at: u64) -> Packet {
        let objects = self.references.iter().enumerate().map(|(number, references)| {
            let ids: Vec<i64> = references.iter().map(|&owned| owned as i64 + 1).collect();
            owner(number as u64 + 1, 1, Self::size(number), &ids)
        });
        let roots: Vec<i64> = (1..=self.roots as i64).collect();
        let rest = [(9, class(1, "a.A[]", ARRAY)), root(JNI_GLOBAL, &roots)];
        dump(at, 0, false, objects.chain(rest).collect())
    }

    /// The distance of each object from the roots without passing through `without`.
    fn distances(&self, without: Option<usize>) -> Vec<Option<usize>> {
        let mut distances = vec![None; self.references.len()];
        let mut level: Vec<usize> = (0..self.roots).collect();
        let mut distance = 0;
        loop {
            level.retain(|&object| distances[object].is_none() && Some(object) != without);
            if level.is_empty() {
                return distances;
            }
            level.iter().for_each(|&object| distances[object] = Some(distance));
            level = level.iter().flat_map(|&object| self.references[object].clone()).collect();
            distance += 1;
        }
    }

    /// The objects that each object dominates: those that are unreachable without it.
    fn dominated(&self) -> Vec<Vec<usize>> {
        let reached = self.distances(None);
        let of = |object: usize| {
            let without = self.distances(Some(object));
            let lost = |&other: &usize| reached[other].is_some() && without[other].is_none();
            (0..reached.len()).filter(lost).collect()
        };
        (0..reached.len()).map(of).collect()
    }
}

/// 200 random dumps in one trace: dominators, retained sizes and distances are those that trying
/// without each object gives.
#[test]
fn random_dumps_agree_with_trying_each_object() {
    let mut random = Random::new(7);
    let dumps: Vec<RandomDump> = (0..200).map(|_| RandomDump::new(&mut random)).collect();
    let packets = (1..).zip(&dumps).map(|(at, dump)| dump.packet(at * 10));
    let trace = trace(packets.collect());
    let mut expected = Vec::new();
    let mut distances = Vec::new();
    let mut first_of_dump = 0;
    for dump in &dumps {
        // Rows are in the order in which objects are first named.
        let mut order: Vec<usize> = Vec::new();
        for (object, references) in dump.references.iter().enumerate() {
            for &named in [object].iter().chain(references) {
                if !order.contains(&named) {
                    order.push(named);
                }
            }
        }
        let row =
            |object: usize| first_of_dump + order.iter().position(|&it| it == object).unwrap();
        let dominated = dump.dominated();
        let reached = dump.distances(None);
        for &object in &order {
            distances.push(reached[object].map_or("0 -1".to_owned(), |it| format!("1 {it}")));
            if reached[object].is_none() {
                continue;
            }
            let above =
                (0..order.len()).filter(|&it| it != object && dominated[it].contains(&object));
            // The nearest dominator dominates the fewest objects.
            let nearest = above.min_by_key(|&it| dominated[it].len());
            let nearest = nearest.map_or("NULL".to_owned(), |it| row(it).to_string());
            let size: u64 = dominated[object].iter().map(|&it| RandomDump::size(it)).sum();
            let count = dominated[object].len();
            expected.push(format!("{} {nearest} {count} {size}", row(object)));
        }
        first_of_dump += order.len();
    }
    let sql = "SELECT id, idom_id, dominated_obj_count, dominated_size_bytes \
        FROM heap_graph_dominator_tree ORDER BY id";
    assert_eq!(lines(&trace, "memory.heap_graph.dominator_tree", sql), expected);
    let sql = "SELECT reachable, root_distance FROM heap_graph_object ORDER BY id";
    assert_eq!(lines(&trace, "memory.heap_graph.dominator_tree", sql), distances);
}

/// Of `f`, called by `main`, 150 bytes were allocated and 40 freed; of `main` itself 8.
fn profile() -> Imported {
    let first = vec![sample(1, [100, 40], [10, 4]), sample(2, [8, 0], [1, 0])];
    let second = vec![sample(1, [150, 40], [12, 4])];
    trace(vec![
        clocks(),
        interned(6000, last(0, vec![heap_dump(4500, "libc.malloc", first)])),
        profile_packet(7000, last(1, vec![heap_dump(5500, "libc.malloc", second)])),
    ])
}

#[test]
fn a_heap_profile_as_a_tree() {
    let sql = "SELECT name, mapping_name, self_size, cumulative_size, self_alloc_size, \
        cumulative_alloc_size FROM android_heap_profile_summary_tree ORDER BY id";
    assert_eq!(
        lines(&profile(), "memory.heap_profile.summary_tree", sql),
        ["main /system/a.so 8 118 8 158", "f /system/a.so 110 110 150 150"]
    );
}

#[test]
fn intervals_of_a_heap_profile() {
    let sql = "SELECT heap_name, ts, dur, retained, allocated, delta \
        FROM _android_heap_profile_intervals ORDER BY ts";
    assert_eq!(
        lines(&profile(), "memory.heap_profile.intervals", sql),
        ["libc.malloc 5500 0 68 108 68", "libc.malloc 5501 999 50 50 50"]
    );
}

/// Stacks of a random profile sum up to their samples.
#[test]
fn sums_of_a_summary_tree_are_those_of_the_samples() {
    let mut random = Random::new(11);
    let functions = 6;
    let mut data = Message::new()
        .message(17, interned_string(1, "a.so"))
        .message(19, Message::new().uint(1, 1).uint(5, 100).uint(7, 1));
    for number in 1..=functions {
        data = data
            .message(5, interned_string(number, format!("f{number}")))
            .message(6, stack_frame(number, number, 1, number * 10));
    }
    let mut samples = Vec::new();
    let (mut total, mut all) = (0, 0);
    for stack in 1..=40 {
        let depth = 1 + random.below(6);
        let frames: Vec<u64> =
            (0..depth).map(|_| 1 + random.below(functions as usize) as u64).collect();
        data = data.message(7, callstack(stack, &frames));
        let allocated = 1 + random.below(1000) as u64;
        let freed = random.below(allocated as usize) as u64;
        (total, all) = (total + allocated - freed, all + allocated);
        samples.push(sample(stack, [allocated, freed], [1, 0]));
    }
    let packet = profile_packet(6000, last(0, vec![heap_dump(4500, "libc.malloc", samples)]));
    let trace = trace(vec![clocks(), packet.flags(1).payload(INTERNED_DATA, data)]);
    let sql = "SELECT sum(self_size), sum(self_alloc_size), \
        sum(CASE WHEN parent_id IS NULL THEN cumulative_size ELSE 0 END), \
        sum(CASE WHEN parent_id IS NULL THEN cumulative_alloc_size ELSE 0 END) \
        FROM android_heap_profile_summary_tree";
    assert_eq!(
        lines(&trace, "memory.heap_profile.summary_tree", sql),
        [format!("{total} {all} {total} {all}")]
    );
}

/// The rows of a call of `experimental_flamegraph` for process 7.
fn flamegraph(trace: &Imported, call: &str) -> Vec<String> {
    let upid = trace.cell("SELECT upid FROM process WHERE pid = 7");
    let call = call.replace("$upid", &upid);
    let sql = format!(
        "SELECT name, map_name, parent_id, depth, count, cumulative_count, size, cumulative_size, \
            alloc_size, cumulative_alloc_size FROM experimental_flamegraph({call}) ORDER BY id"
    );
    trace.cells(&sql).iter().map(|row| row.join(" ")).collect()
}

#[test]
fn flamegraphs_of_heaps() {
    let dump = diamond();
    assert_eq!(
        flamegraph(&dump, "'graph', 10, NULL, $upid, NULL, NULL"),
        [
            "a.Root[] [ROOT_JNI_GLOBAL] JAVA NULL 0 1 5 1 31 0 0",
            "a.Side[] JAVA 0 1 2 4 6 30 0 0",
            "a.Middle[] JAVA 1 2 1 2 8 24 0 0",
            "a.Leaf[] JAVA 2 3 1 1 16 16 0 0"
        ]
    );
    assert_eq!(
        flamegraph(&dump, "'graph', 10, NULL, $upid, NULL, 'middle'"),
        [
            "a.Root[] [ROOT_JNI_GLOBAL] JAVA NULL 0 1 5 1 31 0 0",
            "a.Side[] JAVA 0 1 2 4 6 30 0 0",
            "a.Middle[] JAVA 1 2 1 2 8 24 0 0",
            "a.Leaf[] JAVA 2 3 1 1 16 16 0 0"
        ]
    );
    let profile = profile();
    assert_eq!(
        flamegraph(&profile, "'native', 5500, NULL, $upid, NULL, NULL"),
        ["main /system/a.so NULL 0 1 7 8 68 8 108", "f /system/a.so 0 1 6 6 60 60 100 100"]
    );
    assert_eq!(
        flamegraph(&profile, "'native', 6500, NULL, $upid, NULL, NULL"),
        ["main /system/a.so NULL 0 1 9 8 118 8 158", "f /system/a.so 0 1 8 8 110 110 150 150"]
    );
    assert_eq!(flamegraph(&profile, "'perf', NULL, '>0,<=9', $upid, NULL, NULL"), [""; 0]);
}
