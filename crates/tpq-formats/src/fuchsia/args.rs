//! Arguments of records.

use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::args::{ArgSet, ArgValue};

use super::records::{Header, Words};
use super::tables::Definitions;

/// An argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arg {
    pub(super) name: StringId,
    pub(super) value: ArgKind,
}

/// The value of an argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum ArgKind {
    Null,
    Int(i64),
    Uint(u64),
    Real(f64),
    Text(StringId),
    Pointer(u64),
    Koid(u64),
    Bool(bool),
    Unknown,
}

impl Arg {
    /// The number that it is.
    pub(super) fn number(&self) -> Option<f64> {
        match self.value {
            ArgKind::Int(value) => Some(value as f64),
            ArgKind::Uint(value) => Some(value as f64),
            ArgKind::Real(value) => Some(value),
            _ => None,
        }
    }
}

/// Reads the arguments of a record at `offset`; `None` if they are damaged.
pub(super) fn read_args(
    count: u64,
    offset: usize,
    words: &mut Words<'_>,
    definitions: &Definitions,
    tables: &mut Tables,
) -> Option<Vec<Arg>> {
    let mut args = Vec::new();
    for _ in 0..count {
        let start = words.0;
        let header = Header::read(start)?;
        let len = usize::try_from(header.bits(4, 15)).ok()? * 8;
        let arg = start.get(..len).filter(|arg| !arg.is_empty())?;
        let mut inside = Words::behind_header(arg);
        let name = definitions.string(offset, header.bits(16, 31), &mut inside, tables)?;
        let half = header.bits(32, 63) as u32;
        let value = match header.kind() {
            0 => ArgKind::Null,
            1 => ArgKind::Int(i64::from(half.cast_signed())),
            2 => ArgKind::Uint(u64::from(half)),
            3 => ArgKind::Int(inside.u64()?.cast_signed()),
            4 => ArgKind::Uint(inside.u64()?),
            5 => ArgKind::Real(f64::from_bits(inside.u64()?)),
            6 => {
                let reference = header.bits(32, 47);
                ArgKind::Text(definitions.string(offset, reference, &mut inside, tables)?)
            }
            7 => ArgKind::Pointer(inside.u64()?),
            8 => ArgKind::Koid(inside.u64()?),
            9 => ArgKind::Bool(half & 1 == 1),
            _ => ArgKind::Unknown,
        };
        args.push(Arg { name, value });
        words.0 = start.get(len..)?;
    }
    Some(args)
}

/// The arguments as a set. Those of unknown types are counted.
pub(super) fn arg_set(args: &[Arg], stats: &mut Stats) -> ArgSet {
    let mut set = ArgSet::default();
    for arg in args {
        let value = match arg.value {
            ArgKind::Null => continue,
            ArgKind::Int(value) => ArgValue::Int(value),
            ArgKind::Uint(value) | ArgKind::Koid(value) => ArgValue::Uint(value),
            ArgKind::Real(value) => ArgValue::Real(value),
            ArgKind::Text(value) => ArgValue::String(value),
            ArgKind::Pointer(value) => ArgValue::Pointer(value),
            ArgKind::Bool(value) => ArgValue::Bool(value),
            ArgKind::Unknown => {
                stats.increment(Stat::FuchsiaUnknownEventArg);
                continue;
            }
        };
        set.add(arg.name, value);
    }
    set
}
