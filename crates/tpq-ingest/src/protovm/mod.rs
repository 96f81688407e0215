//! Packets that are patches: a program of the trace applies each to a state, and the packet that is
//! meant is the state then.
//!
//! A packet with programs names the producers that write patches; another one says which sequences
//! these write. Both come before the patches.

mod machine;
mod program;
mod state;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use tpq_proto::fields::trace_packet::proto_vms::{self, instance};
use tpq_proto::fields::trace_provenance::{self, buffer, sequence};
use tpq_proto::fields::{trace_packet, vm_program};
use tpq_proto::wire::{Fields, LastFields, repeated};

use self::machine::Machine;
use self::program::Program;
use crate::packet::PacketHeader;
use crate::{Loss, Losses};

/// Why an instruction did not succeed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// What it looks for is not there; the program says what to do then.
    Error,
    /// The program does not fit the packet or the state. The patch is of no use.
    Abort,
}

/// Limits the work that patches make: bytes that are read, copied and written.
#[derive(Debug)]
struct Work {
    left: u64,
}

impl Work {
    /// The work that any trace may make…
    const FREE: u64 = 1 << 28;
    /// …and the work that each byte of a patch adds to it.
    const PER_BYTE: u64 = 1 << 12;

    fn add_patch(&mut self, bytes: usize) {
        self.left = self.left.saturating_add(bytes as u64 * Self::PER_BYTE);
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Stop> {
        self.left = self.left.checked_sub(bytes as u64 + 1).ok_or(Stop::Abort)?;
        Ok(())
    }
}

/// The states and programs of a file.
#[derive(Debug)]
pub(crate) struct Patches {
    /// Sequences by the producer that writes them.
    writers: FxHashMap<i32, Vec<u32>>,
    machines: Vec<Machine>,
    /// The machines that take patches of a sequence.
    by_sequence: FxHashMap<u32, Vec<usize>>,
    work: Work,
}

impl Default for Patches {
    fn default() -> Self {
        let (writers, machines, by_sequence) = Default::default();
        Self { writers, machines, by_sequence, work: Work { left: Work::FREE } }
    }
}

impl Patches {
    /// Whether no packet can be a patch.
    pub(crate) fn is_empty(&self) -> bool {
        self.machines.is_empty()
    }

    /// Reads which sequences each producer writes.
    pub(crate) fn add_writers(&mut self, provenance: &[u8]) {
        let parts = |message, number| {
            Fields::new(message).filter(move |field| field.number == number).map(|it| it.as_bytes())
        };
        for buffer in parts(provenance, trace_provenance::BUFFERS) {
            for sequence in parts(buffer, buffer::SEQUENCES) {
                let fields = LastFields::<3>::new(sequence);
                let producer = fields.int(sequence::PRODUCER_ID) as i32;
                let sequence = fields.uint(sequence::ID) as u32;
                self.writers.entry(producer).or_default().push(sequence);
            }
        }
    }

    /// Adds what another scan found of writers.
    pub(crate) fn append(&mut self, other: Self) {
        for (producer, sequences) in other.writers {
            self.writers.entry(producer).or_default().extend(sequences);
        }
    }

    /// Reads programs with their states.
    pub(crate) fn add_programs(&mut self, programs: &[u8], losses: &mut Losses) {
        for field in Fields::new(programs).filter(|field| field.number == proto_vms::INSTANCE) {
            let fields = LastFields::<5>::new(field.as_bytes());
            let Some(program) = Program::read(fields.bytes(instance::PROGRAM)) else {
                losses.count(Loss::PatchesWithoutWriter);
                continue;
            };
            let limit = fields.uint(instance::MEMORY_LIMIT_KB).saturating_mul(1024);
            let machine = self.machines.len();
            self.machines.push(Machine::new(program, fields.bytes(instance::STATE), limit));
            let of_producers = Fields::new(field.as_bytes())
                .filter(|field| field.number == instance::PRODUCER_ID)
                .flat_map(|field| repeated(&field).collect::<Vec<_>>());
            for producer in of_producers {
                match self.writers.get(&(producer as i32)) {
                    Some(sequences) => sequences.iter().for_each(|&sequence| {
                        self.by_sequence.entry(sequence).or_default().push(machine);
                    }),
                    None => losses.count(Loss::PatchesWithoutWriter),
                }
            }
        }
    }

    /// The packet that a patch stands for; `None` if the packet is no patch.
    pub(crate) fn apply(
        &mut self,
        packet: &[u8],
        header: &PacketHeader,
        losses: &mut Losses,
    ) -> Option<Vec<u8>> {
        let machines = self.by_sequence.get(&header.sequence)?;
        self.work.add_patch(packet.len());
        for &machine in machines {
            match self.machines.get_mut(machine)?.apply(packet, &mut self.work) {
                Ok(mut state) => {
                    put_origin(packet, &mut state);
                    return Some(state);
                }
                Err(Stop::Error) => {}
                Err(Stop::Abort) => losses.count(Loss::PatchAborted),
            }
        }
        None
    }
}

/// Appends to a packet where another one comes from, as the recorder vouches.
fn put_origin(packet: &[u8], out: &mut Vec<u8>) {
    for number in [
        trace_packet::TRUSTED_UID,
        trace_packet::TRUSTED_PID,
        trace_packet::TRUSTED_PACKET_SEQUENCE_ID,
        trace_packet::MACHINE_ID,
    ] {
        let last = Fields::new(packet).filter(|field| field.number == number).last();
        if let Some(field) = last {
            state::put_varint(u64::from(number) << 3, out);
            state::put_varint(field.as_u64(), out);
        }
    }
}

/// A packet with its tag, as it stands in a trace.
pub(crate) fn framed(packet: &[u8]) -> Vec<u8> {
    const PACKET_TAG: u64 = 0x0a;
    let mut bytes = Vec::with_capacity(packet.len() + 6);
    state::put_varint(PACKET_TAG, &mut bytes);
    state::put_varint(packet.len() as u64, &mut bytes);
    bytes.extend_from_slice(packet);
    bytes
}

/// The instructions of a program.
fn instructions_of(program: &[u8]) -> impl Iterator<Item = &[u8]> {
    let fields = Fields::new(program).filter(|field| field.number == vm_program::INSTRUCTIONS);
    fields.map(|field| field.as_bytes())
}
