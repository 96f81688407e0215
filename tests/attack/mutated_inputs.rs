//! Input number N of a seed: a damaged base, and how it is imported.

use tpq::{ImportOptions, Interpolation};

use crate::areas::AREAS;
use crate::bases::{self, Base};
use crate::effort;
use crate::tampering::tamper;

/// One in this number of inputs is made of a real trace, which takes longer.
const REAL: usize = 16;

/// All bases.
pub struct Inputs {
    own: Vec<Base>,
    real: Vec<Base>,
}

/// A damaged input.
pub struct Input {
    /// The input that it was made from.
    pub base: String,
    pub bytes: Vec<u8>,
    pub options: ImportOptions,
    /// Whether it is imported together with a whole trace.
    pub is_merged: bool,
}

impl Inputs {
    /// Those of an area, by its number, or of all formats.
    pub fn of(area: Option<usize>) -> Self {
        match area.and_then(|area| AREAS.get(area)) {
            Some(area) => Self { own: (area.bases)(), real: Vec::new() },
            None => Self { own: bases::own(), real: bases::real() },
        }
    }

    pub fn bases(&self) -> usize {
        self.own.len() + self.real.len()
    }

    pub fn input(&self, seed: u64, case: u64) -> Input {
        let random = &mut effort::random(seed, case);
        let bases =
            if !self.real.is_empty() && random.below(REAL) == 0 { &self.real } else { &self.own };
        let base = &bases[random.below(bases.len())];
        let others: Vec<&[u8]> = bases.iter().map(|base| base.bytes.as_slice()).collect();
        let mut bytes = base.bytes.clone();
        tamper(random, &mut bytes, &others);
        let options = ImportOptions {
            threads: Some(if random.below(16) == 0 { 2 } else { 1 }),
            full_sort: random.below(4) == 0,
            ftrace_raw: random.below(5) != 0,
            crop: random.below(8) == 0,
            strict: random.below(32) == 0,
            clock_interpolation: match random.below(8) {
                0 => Interpolation::Linear,
                _ => Interpolation::default(),
            },
            memory_limit: (random.below(16) == 0).then_some(256 << 20),
            ..ImportOptions::default()
        };
        let is_merged = random.below(5) == 0;
        Input { base: base.name.clone(), bytes: base.packing.pack(bytes), options, is_merged }
    }
}
