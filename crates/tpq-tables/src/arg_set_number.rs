//! Temporary numbers of arg sets.

/// The number of an arg set while tables are being built. Arg sets are numbered in the order in
/// which decoders create them; after deduplication each number becomes the `arg_set_id` of its set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArgSetNumber(pub u32);
