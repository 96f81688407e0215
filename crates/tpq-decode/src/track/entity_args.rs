//! Args of processes and threads, to which several sources add.

use std::collections::BTreeMap;

use tpq_tables::Tables;

use super::{ArgSet, ArgValue, Trackers, Upid, Utid};

/// What args are of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Entity {
    Process(Upid),
    Thread(Utid),
}

/// The args of each, until all sources have been heard.
#[derive(Debug, Default)]
pub(crate) struct EntityArgs(BTreeMap<Entity, ArgSet>);

impl EntityArgs {
    fn add<'a>(
        &mut self,
        entity: Entity,
        values: impl IntoIterator<Item = (&'a str, ArgValue)>,
        tables: &mut Tables,
    ) {
        let added = ArgSet::of(values, &mut tables.strings);
        self.0.entry(entity).or_default().append(&added);
    }
}

impl Trackers {
    /// Adds args to a process; of two under one key the later one counts.
    pub(crate) fn add_process_args<'a>(
        &mut self,
        upid: Upid,
        values: impl IntoIterator<Item = (&'a str, ArgValue)>,
        tables: &mut Tables,
    ) {
        self.entity_args.add(Entity::Process(upid), values, tables);
    }

    /// Adds args to a thread; of two under one key the later one counts.
    pub(crate) fn add_thread_args<'a>(
        &mut self,
        utid: Utid,
        values: impl IntoIterator<Item = (&'a str, ArgValue)>,
        tables: &mut Tables,
    ) {
        self.entity_args.add(Entity::Thread(utid), values, tables);
    }

    /// Writes the args of all of them.
    pub(crate) fn close_entity_args(&mut self, tables: &mut Tables) {
        for (entity, set) in std::mem::take(&mut self.entity_args).0 {
            let set = self.args.intern(&set, tables);
            match entity {
                Entity::Process(upid) => tables.process.arg_set_id.set(upid, set),
                Entity::Thread(utid) => tables.thread.arg_set_id.set(utid, set),
            }
        }
    }
}
