//! Frames of Java heap dumps: the shortest path from a root to each object.

use std::sync::Arc;

use datafusion::common::Result;
use rustc_hash::FxHashMap;
use tpq_tables::TraceTables;

use super::cells::{integer, text};
use super::frames::{Frame, Node};
use crate::functions::steps::Steps;
use crate::functions::stored_rows::StoredRows;

/// Kinds of classes with objects that do not keep their referents alive.
const WEAK: [&str; 3] =
    ["KIND_WEAK_REFERENCE", "KIND_FINALIZER_REFERENCE", "KIND_PHANTOM_REFERENCE"];
/// The field of the referent.
const REFERENT: &str = "java.lang.ref.Reference.referent";
/// The mapping of all frames.
const MAPPING: &str = "JAVA";

/// The tables of heap dumps.
pub(super) struct HeapDumps {
    dumps: StoredRows,
    objects: StoredRows,
    classes: StoredRows,
    references: StoredRows,
}

/// An object of a dump.
struct Object {
    id: i64,
    class: usize,
    size: i64,
    native_size: i64,
    root_type: Option<Arc<str>>,
}

struct Class {
    name: Arc<str>,
    /// The name in the source code, if it is known.
    shown: Arc<str>,
    is_weak: bool,
}

/// What stands for a dump that is incomplete and has no roots.
pub(super) fn incomplete() -> Node {
    let name = "ERROR: INCOMPLETE GRAPH (try increasing buffer size)".into();
    let values = [1, 1, 0, 0];
    let frame = Frame { name, map_name: MAPPING.into(), values, ..Frame::default() };
    Node { frame, parent: None, depth: 0, cumulative: values }
}

impl HeapDumps {
    pub(super) fn new(tables: &TraceTables) -> Option<Self> {
        let rows = |table: &str, columns: &[&str]| StoredRows::new(tables, table, columns);
        let object =
            ["upid", "graph_sample_ts", "type_id", "self_size", "native_size", "root_type"];
        Some(Self {
            dumps: rows("heap_graph", &["upid", "ts", "truncated"])?,
            objects: rows("heap_graph_object", &object)?,
            classes: rows("heap_graph_class", &["name", "deobfuscated_name", "kind"])?,
            references: rows("heap_graph_reference", &["owner_id", "owned_id", "field_name"])?,
        })
    }

    /// Whether a dump is incomplete.
    pub(super) fn is_truncated(&self, upid: i64, ts: i64) -> Result<bool> {
        let mut truncated = false;
        self.dumps.each(|_, columns, row| {
            let of = |column: usize| integer(columns, column, row);
            truncated |= of(0) == Some(upid) && of(1) == Some(ts) && of(2) == Some(1);
            Ok(())
        })?;
        Ok(truncated)
    }

    /// The frames of the objects of a dump, and of their native memory.
    pub(super) fn frames(&self, upid: i64, ts: i64) -> Result<Vec<Frame>> {
        let objects = self.objects_of(upid, ts)?;
        let classes = self.classes()?;
        let references = self.references_among(&objects, &classes)?;
        let mut roots: Vec<usize> =
            (0..objects.len()).filter(|&object| objects[object].root_type.is_some()).collect();
        let name = |object: usize| classes.get(objects[object].class).map(|class| &class.name);
        // Of equally short paths, the first counts, with roots in the order of their classes.
        roots.sort_by(|&one, &other| name(one).cmp(&name(other)).then(one.cmp(&other)));
        let mut steps = Steps::default();
        let (mut frame_of, mut reached) = (vec![None; objects.len()], Vec::new());
        let mut frames = Vec::new();
        for root in roots {
            frame_of[root] = Some(frames.len());
            frames.push(frame(&objects[root], &classes, None));
            reached.push(root);
        }
        let mut next = 0;
        while let Some(&owner) = reached.get(next) {
            steps.take(1)?;
            next += 1;
            let first = references.partition_point(|&(of, _)| of < owner);
            for &(_, owned) in references[first..].iter().take_while(|&&(of, _)| of == owner) {
                if frame_of[owned].is_none() {
                    let parent = frame_of[owner];
                    frame_of[owned] = Some(frames.len());
                    frames.push(frame(&objects[owned], &classes, parent));
                    reached.push(owned);
                }
            }
        }
        for (object, parent) in objects.iter().zip(&frame_of) {
            if let Some(parent) = parent.filter(|_| object.native_size != 0) {
                let name = format!("[native] {}", frames[parent].name).into();
                let values = [1, object.native_size, 0, 0];
                let map_name = MAPPING.into();
                frames.push(Frame {
                    parent: Some(parent),
                    name,
                    map_name,
                    values,
                    ..Frame::default()
                });
            }
        }
        Ok(frames)
    }

    fn objects_of(&self, upid: i64, ts: i64) -> Result<Vec<Object>> {
        let mut objects = Vec::new();
        self.objects.each(|id, columns, row| {
            let of = |column: usize| integer(columns, column, row);
            if of(0) == Some(upid) && of(1) == Some(ts) {
                objects.push(Object {
                    id: id as i64,
                    class: of(2).and_then(|class| usize::try_from(class).ok()).unwrap_or_default(),
                    size: of(3).unwrap_or_default(),
                    native_size: of(4).unwrap_or_default(),
                    root_type: text(columns, 5, row),
                });
            }
            Ok(())
        })?;
        Ok(objects)
    }

    fn classes(&self) -> Result<Vec<Class>> {
        let mut classes = Vec::with_capacity(self.classes.count());
        self.classes.each(|_, columns, row| {
            let name = text(columns, 0, row).unwrap_or_default();
            let kind = text(columns, 2, row).unwrap_or_default();
            classes.push(Class {
                shown: text(columns, 1, row).unwrap_or_else(|| Arc::clone(&name)),
                name,
                is_weak: WEAK.contains(&&*kind),
            });
            Ok(())
        })?;
        Ok(classes)
    }

    /// References between objects by their positions, sorted; without those that keep nothing
    /// alive.
    fn references_among(
        &self,
        objects: &[Object],
        classes: &[Class],
    ) -> Result<Vec<(usize, usize)>> {
        let positions: FxHashMap<i64, usize> =
            objects.iter().enumerate().map(|(position, object)| (object.id, position)).collect();
        let mut references = Vec::new();
        self.references.each(|_, columns, row| {
            let of = |column: usize| positions.get(&integer(columns, column, row)?).copied();
            let (Some(owner), Some(owned)) = (of(0), of(1)) else { return Ok(()) };
            let is_weak = classes.get(objects[owner].class).is_some_and(|class| class.is_weak);
            if !(is_weak && text(columns, 2, row).as_deref() == Some(REFERENT)) {
                references.push((owner, owned));
            }
            Ok(())
        })?;
        references.sort_unstable();
        Ok(references)
    }
}

/// The frame of an object.
fn frame(object: &Object, classes: &[Class], parent: Option<usize>) -> Frame {
    let name = classes.get(object.class).map(|class| Arc::clone(&class.shown)).unwrap_or_default();
    let name = match &object.root_type {
        Some(root_type) => format!("{name} [{root_type}]").into(),
        None => name,
    };
    let values = [1, object.size, 0, 0];
    Frame { parent, name, map_name: MAPPING.into(), values, ..Frame::default() }
}
