//! GPUs, unique over machines, and the counters they have.

use rustc_hash::FxHashMap;
use tpq_tables::Tables;
use tpq_tables::table::GpuRow;

use crate::track::Dimensions;

/// Gives each GPU its row.
#[derive(Default)]
pub struct Gpus {
    ugpus: FxHashMap<(u32, u32), u32>,
}

impl Gpus {
    /// The row of a machine's GPU.
    pub fn get(&mut self, machine: u32, gpu: u32, tables: &mut Tables) -> u32 {
        *self.ugpus.entry((machine, gpu)).or_insert_with(|| {
            tables.gpu.push(GpuRow { gpu: Some(gpu), machine_id: machine, ..GpuRow::default() })
        })
    }

    /// The dimensions of the tracks of a GPU.
    pub fn dimensions(&mut self, machine: u32, gpu: u32, tables: &mut Tables) -> Dimensions {
        let ugpu = self.get(machine, gpu, tables);
        Dimensions::machine(machine).number("ugpu", ugpu.into()).number("gpu", gpu.into())
    }
}

/// A counter of a GPU.
#[derive(Clone, Copy, Debug)]
pub struct GpuCounter {
    /// Row of the track.
    pub track: u32,
    /// Whether a value holds from its time on, rather than up to it.
    pub forwards: bool,
}

/// The counters that a file described, by the numbers under which their values come.
#[derive(Default)]
pub struct GpuCounters {
    /// Those that were described in the packets of their values.
    pub inline: FxHashMap<u32, GpuCounter>,
    /// Those of interned descriptions, by what is interned together and the description's id;
    /// `None` where the description cannot be read.
    pub interned: FxHashMap<(u32, u64), Option<FxHashMap<u32, GpuCounter>>>,
    /// The latest value of each track, which holds until the next one.
    last: FxHashMap<u32, u32>,
}

impl GpuCounters {
    /// Notes the row of the latest value of a track; gives the row of the one before.
    pub fn replace_last(&mut self, track: u32, row: u32) -> Option<u32> {
        self.last.insert(track, row)
    }
}
