//! The files of an import: how each came onto the timeline, and what of it did not.

use std::collections::{HashMap, HashSet};

use tpq::{Basis, Clock, ClockPath, ClockWay, FilePlacement, Rule, Trace};

use crate::clocks::{Origins, reason};
use crate::layout::{counted, rows};
use crate::names::{Names, clock_name};

/// A file, as an import found it.
pub struct File {
    pub name: String,
    pub bytes: u64,
    /// How it came onto the timeline.
    pub placed: Placed,
    /// What of it is missing, each in words.
    pub missing: Vec<String>,
    /// A clock of its events that has no place, if there is one.
    pub unplaced: Option<Clock>,
    /// Whether wall time speaks against how it was placed.
    pub doubtful: bool,
}

/// How a file came onto the timeline.
pub enum Placed {
    /// One of its clocks is trace time.
    IsTimeline(Clock),
    /// By what was recorded, in words.
    Recorded(String),
    /// As the manifest says.
    ByManifest,
    /// By taking the first clock to read the same as the second.
    Assumed(Rule, Clock, Clock),
    /// It has no events that need a place.
    NoEvents,
    /// Not at all.
    Nowhere,
    /// It is the manifest.
    IsManifest,
    /// It is in a format that tpq does not read, in words.
    NotRead(String),
}

impl Placed {
    /// How, in words.
    pub fn words(&self, names: &Names) -> String {
        match self {
            Self::IsTimeline(clock) => format!("its {} is trace time", clock_name(*clock)),
            Self::Recorded(how) => format!("placed by {how}"),
            Self::ByManifest => "placed as the manifest says".to_owned(),
            Self::Assumed(rule, from, to) => {
                let (own, other) = (clock_name(*from), names.source(to.source));
                match rule {
                    Rule::Realtime => {
                        format!("placed by wall time, assumed to be that of {other}")
                    }
                    Rule::PrivateTimeline => "has no clock, assumed to count trace time".to_owned(),
                    _ => format!("its {own} is assumed to be that of {other}"),
                }
            }
            Self::NoEvents => "no events".to_owned(),
            Self::Nowhere => "not placed".to_owned(),
            Self::IsManifest => "the manifest".to_owned(),
            Self::NotRead(what) => format!("not read: {what}"),
        }
    }
}

/// The files of an import that hold no others, in the order they were imported.
pub async fn files(trace: &Trace, names: &Names) -> anyhow::Result<Vec<File>> {
    let mut missing = missing(trace).await?;
    let doubtful = "SELECT DISTINCT trace_id FROM stats \
         WHERE name = 'clock_sync_doubtful_same_boot' AND value != 0";
    let doubtful: HashSet<String> = rows(trace, doubtful).await?.into_iter().flatten().collect();
    let mut unread: HashMap<u32, String> =
        words(trace, "archive_members_not_read").await?.into_iter().collect();
    let placements: HashMap<u32, &FilePlacement> =
        trace.summary().placements.iter().map(|it| (it.trace_id, it)).collect();
    let clocks = Clocks::of(trace);
    let sql = "SELECT id, trace_type, size FROM trace_file \
         WHERE trace_type NOT IN ('tar', 'zip', 'gzip', 'zstd') ORDER BY processing_order";
    let mut files = Vec::new();
    for row in rows(trace, sql).await? {
        let trace_id: u32 = row[0].parse()?;
        let placement = placements.get(&trace_id).copied();
        let placed = match (placement, row[1].as_str()) {
            (Some(placement), _) => clocks.placed(placement),
            (None, "perfetto_manifest") => Placed::IsManifest,
            (None, _) => {
                let why = unread.remove(&trace_id);
                Placed::NotRead(why.unwrap_or_else(|| "it cannot be unpacked".to_owned()))
            }
        };
        let mut lost = placement.map_or(Vec::new(), |placement| clocks.missing(placement));
        lost.extend(missing.remove(&trace_id).unwrap_or_default());
        files.push(File {
            name: names.file(trace_id).to_owned(),
            bytes: row[2].parse()?,
            placed,
            missing: lost,
            unplaced: clocks.of_file(trace_id).find(|path| path.way.is_err()).map(|it| it.clock),
            doubtful: doubtful.contains(&row[0]),
        });
    }
    Ok(files)
}

/// What each file lost for other reasons than its clocks.
async fn missing(trace: &Trace) -> anyhow::Result<HashMap<u32, Vec<String>>> {
    let mut missing: HashMap<u32, Vec<String>> = HashMap::new();
    for (file, what) in words(trace, "trace_truncated_bytes").await? {
        missing.entry(file).or_default().push(format!("not all of it can be read: {what}"));
    }
    let sql = "SELECT trace_id, name, value FROM stats WHERE value != 0 AND name IN \
         ('trace_truncated_bytes', 'compressed_packets_failed', 'malformed_packets', \
         'invalid_clock_snapshots') ORDER BY name";
    for row in rows(trace, sql).await? {
        let count: u64 = row[2].parse()?;
        let words = match row[1].as_str() {
            "trace_truncated_bytes" => {
                format!("{} at its end are no whole packet", counted(count, "byte", "bytes"))
            }
            "compressed_packets_failed" => {
                format!("{} cannot be unpacked", counted(count, "packet", "packets"))
            }
            "malformed_packets" => {
                format!("{} malformed", counted(count, "packet is", "packets are"))
            }
            _ => format!("{} cannot be used", counted(count, "clock snapshot", "clock snapshots")),
        };
        missing.entry(row[0].parse()?).or_default().push(words);
    }
    Ok(missing)
}

/// What was found of files when they were opened and counted in a stat, in words.
async fn words(trace: &Trace, stat: &str) -> anyhow::Result<Vec<(u32, String)>> {
    let sql = format!(
        "SELECT trace_id, string_value FROM trace_import_logs JOIN args USING (arg_set_id) \
         WHERE name = '{stat}' AND key = 'what' ORDER BY trace_id"
    );
    let words = rows(trace, &sql).await?.into_iter().map(|mut row| {
        let what = row.swap_remove(1);
        Ok((row[0].parse()?, what))
    });
    words.collect()
}

/// The clocks of an import, asked about files.
struct Clocks {
    trace_clock: Clock,
    /// Those that events were timed by, by file.
    used: HashMap<u32, Vec<ClockPath>>,
    origins: Origins,
}

impl Clocks {
    fn of(trace: &Trace) -> Self {
        let clocks = &trace.summary().clocks;
        let mut used: HashMap<u32, Vec<ClockPath>> = HashMap::new();
        for path in clocks.paths().into_iter().filter(|path| path.used) {
            used.entry(path.clock.source.file).or_default().push(path);
        }
        Self { trace_clock: clocks.trace_clock(), used, origins: Origins::of(clocks.ties()) }
    }

    fn of_file(&self, file: u32) -> impl Iterator<Item = &ClockPath> {
        self.used.get(&file).into_iter().flatten()
    }

    /// How a file came onto the timeline: by the weakest rule that any of its clocks needed.
    fn placed(&self, placement: &FilePlacement) -> Placed {
        let own = || self.of_file(placement.trace_id);
        let ways = || own().filter_map(|path| Some((path, path.way.as_ref().ok()?)));
        if self.trace_clock.source.file == placement.trace_id {
            return Placed::IsTimeline(self.trace_clock);
        }
        let Some((path, way)) = ways().max_by_key(|(_, way)| way.rule) else {
            return if own().next().is_some() { Placed::Nowhere } else { Placed::NoEvents };
        };
        if let Some((from, to)) = assumed(path, way) {
            return Placed::Assumed(way.rule, from, to);
        }
        let how: Vec<String> = ways().map(|(path, _)| self.origins.of_path(path)).collect();
        match how.iter().any(|origins| origins.contains("manifest")) {
            true => Placed::ByManifest,
            false => Placed::Recorded(self.origins.of_path(path)),
        }
    }

    /// The events of a file that have no place, and why.
    fn missing(&self, placement: &FilePlacement) -> Vec<String> {
        let mut words = Vec::new();
        if placement.unplaced > 0 {
            let nowhere = self.of_file(placement.trace_id).filter_map(|path| {
                let error = path.way.as_ref().err()?;
                Some(format!("{}: {}", clock_name(path.clock), reason(path, error)))
            });
            let events = counted(placement.unplaced, "event has", "events have");
            let reasons: Vec<String> = nowhere.collect();
            words.push(format!("{events} no place on the timeline ({})", reasons.join("; ")));
        }
        if placement.negative > 0 {
            let events = counted(placement.negative, "event lies", "events lie");
            words.push(format!("{events} before trace time begins"));
        }
        words
    }
}

/// The step of a way on which two clocks are taken to read the same.
fn assumed(path: &ClockPath, way: &ClockWay) -> Option<(Clock, Clock)> {
    let mut from = path.clock;
    for hop in &way.hops {
        if hop.by == Basis::Assumed {
            return Some((from, hop.to));
        }
        from = hop.to;
    }
    None
}
