//! Runs a program on a patch and a state.

use tpq_proto::wire::{Field, Fields};

use super::program::{Component, Instruction, OnError, Operation, Program, Select, Selected};
use super::state::{Node, Scalar, Step};
use super::{Stop, Work};

const REGISTERS: usize = 32;
/// The largest state in bytes, whatever the recorder allowed.
const MAX_STATE: u64 = 64 << 20;

/// A program with its state.
#[derive(Debug)]
pub(super) struct Machine {
    program: Program,
    state: Node,
    registers: [Option<u64>; REGISTERS],
    /// The size of the state that ends the machine, bytes.
    limit: u64,
    /// Whether the state became too large. What follows would be of no use.
    has_ended: bool,
}

/// Where an instruction is in the patch.
#[derive(Clone, Copy, Debug)]
enum Source<'p> {
    Bytes(&'p [u8]),
    Scalar(Scalar),
}

impl<'p> Source<'p> {
    fn of(field: &Field<'p>) -> Self {
        Scalar::of(field).map_or(Self::Bytes(field.as_bytes()), Self::Scalar)
    }

    fn bytes(self) -> Result<&'p [u8], Stop> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Scalar(_) => Err(Stop::Abort),
        }
    }
}

/// Where an instruction is in the patch and in the state.
#[derive(Clone, Debug)]
struct Cursors<'p> {
    source: Source<'p>,
    destination: Vec<Step>,
}

impl Machine {
    /// `limit` is the size of the state that the recorder allowed, 0 if it stated none.
    pub(super) fn new(program: Program, state: &[u8], limit: u64) -> Self {
        let state = if state.is_empty() { Node::Empty } else { Node::Bytes(state.to_vec()) };
        let limit = if limit == 0 { MAX_STATE } else { limit.min(MAX_STATE) };
        Self { program, state, registers: [None; REGISTERS], limit, has_ended: false }
    }

    /// Applies a patch; returns the state as a message.
    pub(super) fn apply(&mut self, patch: &[u8], work: &mut Work) -> Result<Vec<u8>, Stop> {
        if self.has_ended {
            return Err(Stop::Abort);
        }
        let cursors = Cursors { source: Source::Bytes(patch), destination: Vec::new() };
        let Self { program, state, registers, .. } = self;
        Run { state, registers, cursors, work: &mut *work }.all(&program.0)?;
        let mut message = Vec::new();
        self.state.write(&mut message);
        if message.len() as u64 > self.limit {
            self.has_ended = true;
            return Err(Stop::Abort);
        }
        work.spend(message.len())?;
        Ok(message)
    }
}

/// A program under way.
struct Run<'r, 'p> {
    state: &'r mut Node,
    registers: &'r mut [Option<u64>; REGISTERS],
    cursors: Cursors<'p>,
    work: &'r mut Work,
}

impl Run<'_, '_> {
    fn all(&mut self, instructions: &[Instruction]) -> Result<(), Stop> {
        for instruction in instructions {
            match (self.one(instruction), instruction.on_error) {
                (Ok(()), _) | (Err(Stop::Error), OnError::Skip) => {}
                (Err(Stop::Error), OnError::Break) => return Err(Stop::Error),
                (Err(_), _) => return Err(Stop::Abort),
            }
        }
        Ok(())
    }

    fn one(&mut self, instruction: &Instruction) -> Result<(), Stop> {
        self.work.spend(self.cursors.destination.len())?;
        match &instruction.operation {
            Operation::Select(select) => {
                if select.cursor == Selected::Source && select.creates {
                    return Err(Stop::Abort);
                }
                let before = self.cursors.clone();
                let result = self.enter(select, 0, &instruction.nested);
                self.cursors = before;
                return result;
            }
            Operation::LoadRegister { from, register } => {
                let number = self.number(*from)?;
                *self.registers.get_mut(*register).ok_or(Stop::Abort)? = Some(number);
            }
            Operation::Merge { skips_messages, deletes_empty } => {
                let bytes = self.cursors.source.bytes()?;
                let node = self.state.at(&self.cursors.destination)?;
                node.merge(bytes, *skips_messages, *deletes_empty, self.work)?;
            }
            Operation::Set => {
                let node = self.state.at(&self.cursors.destination)?;
                match self.cursors.source {
                    Source::Scalar(scalar) => node.set_scalar(scalar)?,
                    Source::Bytes(bytes) => node.set_bytes(bytes, self.work)?,
                }
            }
            Operation::Delete => self.state.delete(&self.cursors.destination)?,
            Operation::Unknown => return Err(Stop::Abort),
        }
        self.all(&instruction.nested)
    }

    fn number(&mut self, from: Selected) -> Result<u64, Stop> {
        let scalar = match (from, self.cursors.source) {
            (Selected::Source, Source::Scalar(scalar)) => scalar,
            (Selected::Source, Source::Bytes(_)) => return Err(Stop::Abort),
            _ => match self.state.at(&self.cursors.destination)? {
                Node::Scalar(scalar) => *scalar,
                _ => return Err(Stop::Abort),
            },
        };
        Ok(scalar.number())
    }

    /// Follows a path from a component on, then runs instructions there.
    fn enter(&mut self, select: &Select, at: usize, nested: &[Instruction]) -> Result<(), Stop> {
        let Some(component) = select.path.get(at) else { return self.all(nested) };
        let field = component.field.ok_or(Stop::Abort)?;
        if component.is_repeated {
            return self.each(field, select, at + 1, nested);
        }
        match select.path.get(at + 1) {
            Some(&Component { index: Some(index), .. }) => {
                self.enter_element(field, index, select)?;
                self.enter(select, at + 2, nested)
            }
            Some(&Component { key_field: Some(key_field), register, .. }) => {
                let register = register.and_then(|register| self.registers.get(register).copied());
                let key = register.flatten().ok_or(Stop::Abort)?;
                self.enter_keyed(field, key_field, key, select)?;
                self.enter(select, at + 2, nested)
            }
            _ => {
                self.enter_field(field, select)?;
                self.enter(select, at + 1, nested)
            }
        }
    }

    /// Runs the rest for every value of a repeated field.
    fn each(
        &mut self,
        field: u32,
        select: &Select,
        at: usize,
        nested: &[Instruction],
    ) -> Result<(), Stop> {
        match select.cursor {
            Selected::Source => {
                let bytes = self.cursors.source.bytes()?;
                self.work.spend(bytes.len())?;
                for value in Fields::new(bytes).filter(|value| value.number == field) {
                    self.cursors.source = Source::of(&value);
                    self.enter(select, at, nested)?;
                }
            }
            Selected::Destination => {
                let above = self.cursors.destination.clone();
                let fields = self.state.at(&above)?.fields(self.work)?;
                let Some(values) = fields.get_mut(&field) else { return Ok(()) };
                let indexes: Vec<u64> = values.elements()?.keys().copied().collect();
                self.work.spend(indexes.len())?;
                for index in indexes {
                    self.cursors.destination.clone_from(&above);
                    self.cursors.destination.push(Step::Element(field, index));
                    self.enter(select, at, nested)?;
                }
            }
            Selected::Both => return Err(Stop::Abort),
        }
        Ok(())
    }

    fn enter_field(&mut self, field: u32, select: &Select) -> Result<(), Stop> {
        if select.cursor != Selected::Destination {
            let bytes = self.cursors.source.bytes()?;
            self.work.spend(bytes.len())?;
            let value = Fields::new(bytes).find(|value| value.number == field);
            self.cursors.source = Source::of(&value.ok_or(Stop::Error)?);
        }
        if select.cursor != Selected::Source {
            let fields = self.fields_with(field, select.creates)?;
            if matches!(fields, Node::Indexed(_) | Node::Mapped(_)) {
                return Err(Stop::Abort);
            }
            self.cursors.destination.push(Step::Field(field));
        }
        Ok(())
    }

    /// The value of a field of the state; a missing one is made, or an error.
    fn fields_with(&mut self, field: u32, creates: bool) -> Result<&mut Node, Stop> {
        let fields = self.state.at(&self.cursors.destination)?.fields(self.work)?;
        if !creates && !fields.contains_key(&field) {
            return Err(Stop::Error);
        }
        Ok(fields.entry(field).or_default())
    }

    fn enter_element(&mut self, field: u32, index: u32, select: &Select) -> Result<(), Stop> {
        if select.cursor != Selected::Destination {
            let bytes = self.cursors.source.bytes()?;
            self.work.spend(bytes.len())?;
            let mut values = Fields::new(bytes).filter(|value| value.number == field);
            let value = values.nth(index as usize).ok_or(Stop::Error)?;
            self.cursors.source = Source::of(&value);
        }
        if select.cursor != Selected::Source {
            let values = self.fields_with(field, true)?.elements()?;
            let index = u64::from(index);
            // Values can only be appended.
            if !values.contains_key(&index) && index > values.len() as u64 {
                return Err(Stop::Abort);
            }
            values.entry(index).or_default();
            self.cursors.destination.push(Step::Element(field, index));
        }
        Ok(())
    }

    fn enter_keyed(
        &mut self,
        field: u32,
        key_field: u32,
        key: u64,
        select: &Select,
    ) -> Result<(), Stop> {
        if select.cursor != Selected::Destination {
            return Err(Stop::Abort);
        }
        let fields = self.state.at(&self.cursors.destination)?.fields(self.work)?;
        if !select.creates && !fields.contains_key(&field) {
            return Err(Stop::Error);
        }
        let values = fields.entry(field).or_default().keyed(key_field, self.work)?;
        // A value without contents is not written.
        values.entry(key).or_default();
        self.cursors.destination.push(Step::Keyed(field, key));
        Ok(())
    }
}
