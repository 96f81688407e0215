//! The state that decoding a snapshot reads and writes.

use rustc_hash::FxHashMap;
use tpq_proto::wire::Fields;
use tpq_tables::{ArgSetNumber, Stat, Stats, Tables};
use tpq_trackers::args::{ArgKey, ArgSet, MAX_DEPTH, MessageArgs};
use tpq_trackers::fingerprint::hash_128;
use tpq_trackers::track::Trackers;

use crate::decode::Packet;

/// Everything a snapshot is decoded into, and the packet it came in.
pub(super) struct DecodeContext<'a, 'p> {
    pub(super) packet: &'a Packet<'p>,
    pub(super) trackers: &'a mut Trackers,
    pub(super) tables: &'a mut Tables,
    pub(super) stats: &'a mut Stats,
}

/// Numbers of recorded messages: equal messages have equal numbers.
#[derive(Default)]
struct MessageNumbers(FxHashMap<u128, u32>);

impl DecodeContext<'_, '_> {
    /// The number of a message, for `base64_proto_id`.
    pub(super) fn number(&mut self, message: &[u8]) -> u32 {
        let MessageNumbers(numbers) = self.trackers.states.get();
        let next = numbers.len() as u32;
        *numbers.entry(hash_128(message)).or_insert(next)
    }

    /// Adds the fields of a message as args, by the descriptor of its type. A message that cannot
    /// be read whole, or with fields that no descriptor describes, is counted in `errors`.
    pub(super) fn add_args(
        &mut self,
        message: &[u8],
        type_name: &str,
        errors: Stat,
        args: &mut ArgSet,
    ) {
        if message.is_empty() {
            return;
        }
        let mut counts = Stats::default();
        let strings = &mut self.tables.strings;
        let paths = &mut self.trackers.file.messages;
        let Some(at) = paths.message(ArgKey::default(), type_name) else {
            debug_assert!(false, "{type_name} is described in protos/winscope/");
            return;
        };
        let (interned, generation) = (self.packet.interned, self.packet.generation);
        let stats = &mut counts;
        let mut reader =
            MessageArgs { interned, generation, paths, strings, stats, args, tables: None };
        let read = reader.message(message, at, MAX_DEPTH);
        let unknown = counts.get(Stat::UnknownExtensionFields);
        counts.set(Stat::UnknownExtensionFields, 0);
        self.stats.merge(&counts);
        if read.is_err() || unknown > 0 || is_damaged(message) {
            self.stats.increment(errors);
        }
    }

    /// The fields of a message as a set of args.
    pub(super) fn arg_set(
        &mut self,
        message: &[u8],
        type_name: &str,
        errors: Stat,
    ) -> Option<ArgSetNumber> {
        let mut args = ArgSet::default();
        self.add_args(message, type_name, errors, &mut args);
        self.trackers.deferred.intern(&args)
    }
}

/// The messages of a repeated field.
pub(super) fn messages(message: &[u8], field: u32) -> impl Iterator<Item = &[u8]> {
    Fields::new(message).filter(move |it| it.number == field).map(|it| it.as_bytes())
}

/// Whether a message ends in the middle of a field.
fn is_damaged(message: &[u8]) -> bool {
    let mut fields = Fields::new(message);
    fields.by_ref().for_each(drop);
    fields.is_damaged()
}
