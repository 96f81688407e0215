//! The contents of an export.

use std::collections::HashMap;

use super::rows::Elements;

/// The numbers of a row: thread, stack and CPU, each from 1, and 0 if the row has none.
pub(super) const ROW_WORDS: usize = 3;
/// The subsystem of signposts of Perfetto's recorder.
pub(super) const SYNC_SUBSYSTEM: &str = "dev.perfetto.clock_sync";

/// The contents of an export.
#[derive(Debug, Default)]
pub(super) struct Export {
    pub(super) threads: Vec<Thread>,
    pub(super) processes: Vec<Process>,
    pub(super) binaries: Vec<Binary>,
    pub(super) frames: Vec<Frame>,
    /// Call stacks, the innermost frame first.
    pub(super) backtraces: Vec<Vec<u32>>,
    /// Times of samples, ns of the clock of the file.
    pub(super) times: Vec<i64>,
    /// The numbers of samples.
    pub(super) rows: Vec<u32>,
    /// Where a signpost stands, its time, and the boot time at that moment.
    pub(super) syncs: Vec<(usize, i64, i64)>,
    /// References to frames that are not defined.
    pub(super) missing_frames: i64,
    /// What is damaged, and where.
    pub(super) problems: Vec<(usize, &'static str)>,
}

#[derive(Debug, Default)]
pub(super) struct Thread {
    pub(super) tid: Option<i64>,
    pub(super) name: Option<String>,
    pub(super) process: Option<u32>,
}

#[derive(Debug, Default)]
pub(super) struct Process {
    pub(super) pid: Option<i64>,
    pub(super) name: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Binary {
    pub(super) path: String,
    /// In hexadecimal digits.
    pub(super) build_id: String,
    pub(super) load_address: u64,
    /// The last address at which a frame lies. The size is not recorded.
    pub(super) last_address: u64,
}

#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) address: u64,
    pub(super) name: String,
    pub(super) binary: Option<u32>,
}

/// What an element with an id is. Later elements refer to it in place of stating it again.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Thread(u32),
    Process(u32),
    Binary(u32),
    Frame(u32),
    Backtrace(u32),
    Core(u32),
    Time(i64),
    /// Whether a subsystem is that of Perfetto's recorder.
    Subsystem(bool),
    Number(u64),
}

/// Parts by the ids of their elements.
#[derive(Debug, Default)]
pub(super) struct Parts(HashMap<u64, Part>);

impl Parts {
    pub(super) fn insert(&mut self, id: Option<u64>, part: Part) {
        if let Some(id) = id {
            self.0.insert(id, part);
        }
    }

    pub(super) fn get(&self, id: u64) -> Option<Part> {
        self.0.get(&id).copied()
    }
}

impl Export {
    /// Reads an export. What stands before damage is kept.
    pub(super) fn read(text: &[u8]) -> Self {
        let text = match std::str::from_utf8(text) {
            Ok(text) => Ok(text),
            Err(error) => {
                let at = error.valid_up_to();
                let valid = text.get(..at).and_then(|text| std::str::from_utf8(text).ok());
                Err((valid.unwrap_or_default(), at))
            }
        };
        let (text, damage) = match text {
            Ok(text) => (text, None),
            Err((valid, at)) => (valid, Some((at, "this is no valid UTF-8"))),
        };
        let mut export = Elements::new(text).read();
        if let Some(damage) = damage {
            // That the elements before it do not end follows from it.
            export.problems.retain(|&(at, _)| at < damage.0);
            export.problems.push(damage);
        }
        export
    }
}
