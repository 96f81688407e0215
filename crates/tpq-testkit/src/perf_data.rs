//! Recordings of `perf record`, written byte by byte.

/// Fields of samples of a [`PerfData`]: identifier, address, thread, time, CPU, period and call
/// chain.
const SAMPLE_TYPE: u64 = 1 << 16 | 1 << 0 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8 | 1 << 5;
/// The field of samples with the event of a tracepoint.
const RAW: u64 = 1 << 10;
/// The field of samples with a copy of the stack of a process.
const STACK_USER: u64 = 1 << 13;
/// The type of events that are tracepoints.
const TRACEPOINT: u32 = 2;
/// The feature with the formats of tracepoints, and the record with them in a pipe.
const TRACING_DATA: u8 = 1;
/// The feature with build ids.
const BUILD_ID: u8 = 2;
const TRACING_DATA_RECORD: u32 = 66;
/// Flags: frequencies, and fields of samples in all records.
const FLAGS: u64 = 1 << 10 | 1 << 18;
/// The flag and the number of the monotonic clock.
const USE_CLOCKID: u64 = 1 << 25;
const MONOTONIC: u32 = 1;
/// Bytes of an attribute.
const ATTRIBUTE: usize = 136;
const FILE_HEADER: u64 = 104;

/// A recording with events of consecutive ids from 100 on.
#[derive(Clone, Debug, Default)]
pub struct PerfData {
    events: Vec<Vec<u8>>,
    records: Vec<u8>,
    features: Vec<(u8, Vec<u8>)>,
    /// Records with build ids.
    build_ids: Vec<u8>,
}

/// A sample.
#[derive(Clone, Debug)]
pub struct PerfSample {
    /// Id of the event: 100 of the first, 101 of the second.
    pub event: u64,
    /// Process and thread.
    pub task: (u32, u32),
    /// Time, ns.
    pub time: u64,
    /// CPU.
    pub cpu: u32,
    /// Number of events since the sample before.
    pub period: u64,
    /// Addresses, the innermost first, with marks for the mode of the CPU.
    pub chain: Vec<u64>,
}

fn words(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn halves(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A text with a zero byte behind it, and more up to a multiple of 8.
fn text(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() + 8) / 8 * 8, 0);
    bytes
}

/// A text with its length before it.
fn counted(value: &str) -> Vec<u8> {
    let bytes = text(value);
    [halves(&[bytes.len() as u32]), bytes].concat()
}

fn record(kind: u32, misc: u16, payload: &[u8]) -> Vec<u8> {
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend(misc.to_le_bytes());
    bytes.extend((payload.len() as u16 + 8).to_le_bytes());
    bytes.extend(payload);
    bytes
}

impl PerfData {
    /// A recording without events.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an event of the monotonic clock.
    #[must_use]
    pub fn event(self, kind: u32, config: u64) -> Self {
        self.event_with(kind, config, SAMPLE_TYPE)
    }

    /// Adds a tracepoint by its number.
    #[must_use]
    pub fn tracepoint(self, id: u16) -> Self {
        self.event_with(TRACEPOINT, u64::from(id), SAMPLE_TYPE | RAW)
    }

    /// Adds an event with copies of stacks in its samples, which end before them.
    #[must_use]
    pub fn event_with_stacks(self, kind: u32, config: u64) -> Self {
        self.event_with(kind, config, SAMPLE_TYPE | STACK_USER)
    }

    fn event_with(mut self, kind: u32, config: u64, sample_type: u64) -> Self {
        let mut bytes = halves(&[kind, ATTRIBUTE as u32]);
        bytes.extend(words(&[config, 4000, sample_type, 0, FLAGS | USE_CLOCKID]));
        bytes.resize(92, 0);
        bytes.extend(MONOTONIC.to_le_bytes());
        bytes.resize(ATTRIBUTE, 0);
        self.events.push(bytes);
        self
    }

    /// Adds a record of any type.
    #[must_use]
    pub fn record(mut self, kind: u32, misc: u16, payload: &[u8]) -> Self {
        self.records.extend(record(kind, misc, payload));
        self
    }

    /// The fields that the kernel adds to records other than samples.
    fn sample_id((pid, tid): (u32, u32), time: u64, cpu: u32) -> Vec<u8> {
        [halves(&[pid, tid]), words(&[time]), halves(&[cpu, 0]), words(&[100])].concat()
    }

    /// A thread has a new name.
    #[must_use]
    pub fn comm(self, task: (u32, u32), name: &str, time: u64) -> Self {
        let payload = [halves(&[task.0, task.1]), text(name), Self::sample_id(task, time, 0)];
        self.record(3, 0, &payload.concat())
    }

    /// A process runs another program, and has its name.
    #[must_use]
    pub fn exec(self, pid: u32, name: &str, time: u64) -> Self {
        let payload = [halves(&[pid, pid]), text(name), Self::sample_id((pid, pid), time, 0)];
        self.record(3, 1 << 13, &payload.concat())
    }

    /// A thread creates another. Tasks are process and thread.
    #[must_use]
    pub fn fork(self, task: (u32, u32), parent: (u32, u32), time: u64) -> Self {
        self.record(7, 0, &Self::life(task, parent, time))
    }

    /// A thread ends.
    #[must_use]
    pub fn exit(self, task: (u32, u32), parent: (u32, u32), time: u64) -> Self {
        self.record(4, 0, &Self::life(task, parent, time))
    }

    fn life(task: (u32, u32), parent: (u32, u32), time: u64) -> Vec<u8> {
        let ids = halves(&[task.0, parent.0, task.1, parent.1]);
        [ids, words(&[time]), Self::sample_id(parent, time, 0)].concat()
    }

    /// A binary is mapped at an address of a process, or of the kernel if that is process -1.
    #[must_use]
    pub fn mmap(self, pid: u32, (start, len, offset): (u64, u64, u64), path: &str) -> Self {
        let misc = if pid == u32::MAX { 1 } else { 2 };
        let payload = [
            halves(&[pid, pid]),
            words(&[start, len, offset]),
            text(path),
            Self::sample_id((pid, pid), 0, 0),
        ];
        self.record(1, misc, &payload.concat())
    }

    /// The same with the build id of the binary.
    #[must_use]
    pub fn mmap2(self, pid: u32, (start, len, offset): (u64, u64, u64), path: &str) -> Self {
        let mut id = vec![20, 0, 0, 0];
        id.extend((1..=20).collect::<Vec<u8>>());
        let payload = [
            halves(&[pid, pid]),
            words(&[start, len, offset]),
            id,
            halves(&[5, 2]),
            text(path),
            Self::sample_id((pid, pid), 0, 0),
        ];
        self.record(10, 2 | 1 << 14, &payload.concat())
    }

    /// The kernel lost records on a CPU.
    #[must_use]
    pub fn lost(self, count: u64, time: u64, cpu: u32) -> Self {
        let payload = [words(&[100, count]), Self::sample_id((70, 71), time, cpu)];
        self.record(2, 0, &payload.concat())
    }

    /// Adds a sample of code of a process.
    #[must_use]
    pub fn sample(self, sample: &PerfSample) -> Self {
        self.record(9, 2, &Self::fields(sample))
    }

    /// Adds a sample of a tracepoint: the number of the event, its thread, and its fields, which
    /// begin at offset 8.
    #[must_use]
    pub fn traced(self, sample: &PerfSample, id: u16, fields: &[u8]) -> Self {
        let pid = sample.task.1.to_le_bytes();
        let event = [&id.to_le_bytes()[..], &[1, 0], &pid, fields].concat();
        let mut raw = event;
        // With its length a multiple of 8.
        raw.resize((raw.len() + 4).next_multiple_of(8) - 4, 0);
        let payload = [Self::fields(sample), halves(&[raw.len() as u32]), raw];
        self.record(9, 1, &payload.concat())
    }

    fn fields(sample: &PerfSample) -> Vec<u8> {
        let PerfSample { event, task, time, cpu, period, chain } = sample;
        let address = chain.iter().copied().find(|&it| it < u64::MAX - 4095).unwrap_or_default();
        let fields = [
            words(&[*event, address]),
            halves(&[task.0, task.1]),
            words(&[*time]),
            halves(&[*cpu, 0]),
            words(&[*period, chain.len() as u64]),
            words(chain),
        ];
        fields.concat()
    }

    /// Compresses all records so far, into several records with data that is one stream.
    #[must_use]
    pub fn compressed(mut self) -> Self {
        let stream = crate::zstd(&std::mem::take(&mut self.records));
        let piece = stream.len() / 3 + 1;
        for piece in stream.chunks(piece) {
            self.records.extend(record(81, 0, piece));
        }
        self
    }

    /// The same with the records that newer recorders write: the length of the data stands before
    /// it, and more bytes behind.
    #[must_use]
    pub fn compressed_with_length(mut self) -> Self {
        let stream = crate::zstd(&std::mem::take(&mut self.records));
        for piece in stream.chunks(stream.len() / 3 + 1) {
            let len = words(&[piece.len() as u64]);
            let mut payload = [len, piece.to_vec()].concat();
            payload.resize(payload.len().next_multiple_of(8) + 8, 0);
            self.records.extend(record(83, 0, &payload));
        }
        self
    }

    /// Adds the build id of a binary, as the features of a file and the records of a pipe have it:
    /// for a process, or for all if that is -1. A build id without its length is padded by zeros.
    #[must_use]
    pub fn build_id(mut self, pid: i32, id: &[u8], has_length: bool, path: &str) -> Self {
        let mut padded = id.to_vec();
        padded.resize(20, 0);
        let len = if has_length { id.len() as u8 } else { 0 };
        let ids = [halves(&[pid.cast_unsigned()]), padded, vec![len, 0, 0, 0]];
        let payload = [ids.concat(), text(path)].concat();
        let misc = if has_length { 2 | 1 << 15 } else { 2 };
        self.build_ids.extend(record(67, misc, &payload));
        self
    }

    /// Adds a feature.
    #[must_use]
    pub fn feature(mut self, number: u8, section: Vec<u8>) -> Self {
        self.features.push((number, section));
        self
    }

    /// States the formats of tracepoints.
    #[must_use]
    pub fn formats(self, tracing_data: Vec<u8>) -> Self {
        self.feature(TRACING_DATA, tracing_data)
    }

    /// States the release of the system.
    #[must_use]
    pub fn os_release(self, release: &str) -> Self {
        self.feature(4, counted(release))
    }

    /// States the command line.
    #[must_use]
    pub fn cmdline(self, args: &[&str]) -> Self {
        let args: Vec<u8> = std::iter::once(halves(&[args.len() as u32]))
            .chain(args.iter().map(|arg| counted(arg)))
            .flatten()
            .collect();
        self.feature(11, args)
    }

    /// Names the events in their order.
    #[must_use]
    pub fn event_names(self, names: &[&str]) -> Self {
        let mut section = halves(&[names.len() as u32, ATTRIBUTE as u32]);
        for (index, name) in names.iter().enumerate() {
            section.extend(&self.events[index]);
            section.extend(halves(&[1]));
            section.extend(counted(name));
            section.extend(words(&[100 + index as u64]));
        }
        self.feature(12, section)
    }

    /// The bytes of a file.
    pub fn file(&self) -> Vec<u8> {
        let count = self.events.len() as u64;
        let events = FILE_HEADER + count * 8;
        let entry = ATTRIBUTE as u64 + 16;
        let records = events + count * entry;
        let mut features = self.features.clone();
        if !self.build_ids.is_empty() {
            features.push((BUILD_ID, self.build_ids.clone()));
        }
        features.sort_by_key(|(number, _)| *number);
        let mut flags = [0_u64; 4];
        for (number, _) in &features {
            flags[usize::from(*number) / 64] |= 1 << (number % 64);
        }
        let mut bytes = b"PERFILE2".to_vec();
        bytes.extend(words(&[FILE_HEADER, entry, events, count * entry]));
        bytes.extend(words(&[records, self.records.len() as u64, 0, 0]));
        bytes.extend(words(&flags));
        bytes.extend((0..count).flat_map(|index| (100 + index).to_le_bytes()));
        for (index, event) in self.events.iter().enumerate() {
            bytes.extend(event);
            bytes.extend(words(&[FILE_HEADER + index as u64 * 8, 8]));
        }
        bytes.extend(&self.records);
        let mut at = bytes.len() as u64 + features.len() as u64 * 16;
        for (_, section) in &features {
            bytes.extend(words(&[at, section.len() as u64]));
            at += section.len() as u64;
        }
        bytes.extend(features.into_iter().flat_map(|(_, section)| section));
        bytes
    }

    /// The bytes that `perf record` writes into a pipe.
    pub fn pipe(&self) -> Vec<u8> {
        let mut bytes = b"PERFILE2".to_vec();
        bytes.extend(words(&[16]));
        for (id, event) in (100..).zip(&self.events) {
            bytes.extend(record(64, 0, &[event.clone(), words(&[id])].concat()));
        }
        for (number, section) in &self.features {
            if *number == TRACING_DATA {
                bytes.extend(record(TRACING_DATA_RECORD, 0, &halves(&[section.len() as u32])));
                bytes.extend(section);
                bytes.resize(bytes.len() + section.len().next_multiple_of(8) - section.len(), 0);
                continue;
            }
            bytes.extend(record(80, 0, &[words(&[u64::from(*number)]), section.clone()].concat()));
        }
        bytes.extend(&self.build_ids);
        bytes.extend(&self.records);
        bytes
    }
}
