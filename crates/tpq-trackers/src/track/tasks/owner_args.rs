//! Args of threads and processes, which several packets may give.

use rustc_hash::FxHashMap;
use tpq_tables::{StringId, Tables};

use crate::args::{ArgSet, ArgValue};
use crate::track::{Trackers, Upid, Utid};

/// The facts so far.
#[derive(Debug, Default)]
pub struct OwnerArgs {
    processes: FxHashMap<Upid, ArgSet>,
    threads: FxHashMap<Utid, ArgSet>,
}

impl OwnerArgs {
    /// Gives a process an arg; a later value under one key replaces an earlier one.
    pub fn put_of_process(&mut self, upid: Upid, key: StringId, value: ArgValue) {
        self.processes.entry(upid).or_default().put(key, value);
    }

    /// The same of an element of a list.
    pub fn put_element_of_process(
        &mut self,
        upid: Upid,
        (flat_key, key): (StringId, StringId),
        value: ArgValue,
    ) {
        self.processes.entry(upid).or_default().put_keyed(flat_key, key, value);
    }

    /// Gives a thread an arg.
    pub fn put_of_thread(&mut self, utid: Utid, key: StringId, value: ArgValue) {
        self.threads.entry(utid).or_default().put(key, value);
    }
}

impl Trackers {
    /// Writes the args of threads and processes.
    pub fn write_owner_args(&mut self, tables: &mut Tables) {
        let OwnerArgs { processes, threads } = std::mem::take(&mut self.owner_args);
        for (upid, args) in sorted(processes) {
            let set = self.deferred.intern(&args);
            tables.process.arg_set_id.set(upid, set);
        }
        for (utid, args) in sorted(threads) {
            let set = self.deferred.intern(&args);
            tables.thread.arg_set_id.set(utid, set);
        }
    }
}

fn sorted(args: FxHashMap<u32, ArgSet>) -> Vec<(u32, ArgSet)> {
    let mut args: Vec<_> = args.into_iter().collect();
    args.sort_unstable_by_key(|&(owner, _)| owner);
    args
}
