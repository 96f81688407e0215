//! Queues and stages as the trace specifies them: interned, or in an event.

use rustc_hash::FxHashMap;
use tpq_proto::fields::{
    gpu_render_stage_event::{
        self,
        specifications::{self, context_spec, description},
    },
    interned_data, interned_gpu_render_stage_specification as specification,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stats, Tables};

use super::Event;
use crate::decode::{Packet, text};
use tpq_trackers::track::{Description, Trackers};

/// An interned queue or stage.
#[derive(Clone, Copy)]
pub(super) struct Specification {
    pub(super) description: Description,
    /// The kind of work of a stage, by its number.
    pub(super) category: i64,
}

/// Interned queues and stages that were read, by scope and id: each is of many events.
#[derive(Default)]
struct Known(FxHashMap<(u32, u64), Specification>);

/// The interned queue or stage of an id. A missing one is counted.
pub(super) fn interned(
    packet: &Packet<'_>,
    iid: u64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<Specification> {
    let key = (packet.interned_scope(), iid);
    let Known(known) = trackers.source.states.get::<Known>();
    if let Some(&specification) = known.get(&key) {
        return Some(specification);
    }
    let message = packet.interned_message(interned_data::GPU_SPECIFICATIONS, iid, stats)?;
    let fields = LastFields::<5>::new(message);
    let name = text(&fields, specification::NAME, tables);
    let description = text(&fields, specification::DESCRIPTION, tables);
    let category = fields.int(specification::CATEGORY);
    let description = Description { name, text: description };
    let specification = Specification { description, category };
    known.insert(key, specification);
    Some(specification)
}

/// The number of an event's stage; 0 where the event states none.
pub(super) fn stage_id(event: &Event<'_>) -> u64 {
    event.int(gpu_render_stage_event::STAGE_ID) as u64
}

/// Adds the queues and stages that an event specifies. Returns the process of its context, if it
/// states that.
pub(super) fn add(
    gpu: u32,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Option<i32> {
    let (mut queues, mut pid) = (0, None);
    for field in Fields::new(message) {
        match field.number {
            specifications::HW_QUEUE => {
                if let Some(queue) = described(field.as_bytes(), tables) {
                    trackers.specify_queue(gpu, queues, queue, tables);
                }
                queues += 1;
            }
            specifications::STAGE => {
                if let Some(stage) = described(field.as_bytes(), tables) {
                    trackers.source.render_stages.add_stage(stage);
                }
            }
            specifications::CONTEXT_SPEC => {
                let context = LastFields::<3>::new(field.as_bytes());
                pid = context.get(context_spec::PID).map(|pid| pid.as_i32());
            }
            _ => {}
        }
    }
    pid
}

/// A queue or a stage; `None` for one without a name.
fn described(message: &[u8], tables: &mut Tables) -> Option<Description> {
    let fields = LastFields::<3>::new(message);
    let name = fields.get(description::NAME)?.as_bytes();
    let name = tables.strings.intern_bytes(name);
    Some(Description { name, text: text(&fields, description::DESCRIPTION, tables) })
}
