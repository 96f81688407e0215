//! Programs as they are written in a trace.

use tpq_proto::fields::vm_instruction as instruction;
use tpq_proto::fields::vm_op_select::{self as select, path_component};
use tpq_proto::fields::{vm_op_merge, vm_op_reg_load};
use tpq_proto::wire::{Fields, LastFields};

use super::instructions_of;

/// Levels of instructions within instructions.
const MAX_DEPTH: usize = 32;
/// Instructions of a program.
const MAX_INSTRUCTIONS: usize = 1 << 14;
/// Components of a path.
const MAX_PATH: usize = 64;

/// A program.
#[derive(Debug)]
pub(super) struct Program(pub(super) Vec<Instruction>);

/// An instruction, and those that run if it succeeds.
#[derive(Debug)]
pub(super) struct Instruction {
    pub(super) operation: Operation,
    pub(super) on_error: OnError,
    pub(super) nested: Vec<Instruction>,
}

#[derive(Debug)]
pub(super) enum Operation {
    Select(Select),
    LoadRegister {
        from: Selected,
        register: usize,
    },
    Merge {
        skips_messages: bool,
        deletes_empty: bool,
    },
    Set,
    Delete,
    /// An operation of a newer version, or none.
    Unknown,
}

/// Moves cursors along a path.
#[derive(Debug)]
pub(super) struct Select {
    pub(super) cursor: Selected,
    pub(super) path: Vec<Component>,
    /// Whether fields of the state that are missing are made.
    pub(super) creates: bool,
}

/// The cursors that an instruction is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Selected {
    /// The patch.
    Source,
    /// The state.
    Destination,
    Both,
}

/// What follows an instruction without success.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OnError {
    /// The next one.
    Skip,
    /// The next one of those around it.
    Break,
    /// The end of the program.
    Abort,
}

/// A part of a path: a field, and how one of its values is chosen.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Component {
    pub(super) field: Option<u32>,
    pub(super) index: Option<u32>,
    /// The field of a value that is its key.
    pub(super) key_field: Option<u32>,
    /// The register with the key.
    pub(super) register: Option<usize>,
    /// Whether the rest runs for every value of the field.
    pub(super) is_repeated: bool,
}

impl Program {
    /// Reads a program; `None` if it is larger than any.
    pub(super) fn read(program: &[u8]) -> Option<Self> {
        let mut left = MAX_INSTRUCTIONS;
        let read = instructions_of(program).map(|it| Instruction::read(it, 0, &mut left));
        Some(Self(read.collect::<Option<_>>()?))
    }
}

impl Instruction {
    fn read(message: &[u8], depth: usize, left: &mut usize) -> Option<Self> {
        *left = left.checked_sub(1)?;
        if depth == MAX_DEPTH {
            return None;
        }
        let fields = LastFields::<8>::new(message);
        let nested = Fields::new(message)
            .filter(|field| field.number == instruction::NESTED_INSTRUCTIONS)
            .map(|field| Self::read(field.as_bytes(), depth + 1, left))
            .collect::<Option<_>>()?;
        let on_error = match fields.uint(instruction::ABORT_LEVEL) {
            1 => OnError::Skip,
            3 => OnError::Abort,
            _ => OnError::Break,
        };
        let operation = if let Some(select) = fields.get(instruction::SELECT) {
            Operation::Select(Select::read(select.as_bytes())?)
        } else if let Some(load) = fields.get(instruction::REG_LOAD) {
            let load = LastFields::<3>::new(load.as_bytes());
            Operation::LoadRegister {
                from: Selected::of(load.uint(vm_op_reg_load::CURSOR)),
                register: load.uint(vm_op_reg_load::DST_REGISTER) as usize,
            }
        } else if fields.has(instruction::DEL) {
            Operation::Delete
        } else if let Some(merge) = fields.get(instruction::MERGE) {
            let merge = LastFields::<3>::new(merge.as_bytes());
            Operation::Merge {
                skips_messages: merge.uint(vm_op_merge::SKIP_SUBMESSAGES) != 0,
                deletes_empty: merge.uint(vm_op_merge::DEL_IF_SRC_EMPTY) != 0,
            }
        } else if fields.has(instruction::SET) {
            Operation::Set
        } else {
            Operation::Unknown
        };
        Some(Self { operation, on_error, nested })
    }
}

impl Select {
    fn read(message: &[u8]) -> Option<Self> {
        let fields = LastFields::<4>::new(message);
        let parts = Fields::new(message).filter(|field| field.number == select::RELATIVE_PATH);
        let path: Vec<Component> = parts.map(|part| Component::read(part.as_bytes())).collect();
        (path.len() <= MAX_PATH).then(|| Self {
            cursor: Selected::of(fields.uint(select::CURSOR)),
            path,
            creates: fields.uint(select::CREATE_IF_NOT_EXIST) != 0,
        })
    }
}

impl Component {
    fn read(message: &[u8]) -> Self {
        let fields = LastFields::<8>::new(message);
        let number = |number: u32| fields.get(number).map(|field| field.as_u32());
        Self {
            field: number(path_component::FIELD_ID),
            index: number(path_component::ARRAY_INDEX),
            key_field: number(path_component::MAP_KEY_FIELD_ID),
            register: number(path_component::REGISTER_TO_MATCH).map(|register| register as usize),
            is_repeated: fields.uint(path_component::IS_REPEATED) != 0,
        }
    }
}

impl Selected {
    fn of(cursor: u64) -> Self {
        match cursor {
            2 => Self::Destination,
            3 => Self::Both,
            _ => Self::Source,
        }
    }
}
