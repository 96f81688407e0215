//! The files of an import: how each was placed on the timeline, and what is missing.

use std::collections::{HashMap, HashSet};

use tpq::{Basis, Clock, ClockConversion, ClockPath, FilePlacement, Rule, Trace};

use crate::clocks::{Origins, reason};
use crate::layout::{counted, rows};
use crate::names::{Names, clock_name};

/// A file of an import.
pub struct File {
    pub name: String,
    pub bytes: u64,
    /// How it was placed on the timeline.
    pub status: FileStatus,
    /// Descriptions of what is missing.
    pub missing: Vec<String>,
    /// A clock of its events that cannot be placed, if there is one.
    pub unplaced: Option<Clock>,
    /// Whether wall time contradicts its placement.
    pub doubtful: bool,
}

/// How a file was placed on the timeline.
pub enum FileStatus {
    /// One of its clocks defines trace time.
    Timeline(Clock),
    /// By recorded clock readings; the text names their origin.
    Recorded(String),
    /// As stated by the manifest.
    ByManifest,
    /// By the assumption that the first clock reads the same as the second.
    Assumed(Rule, Clock, Clock),
    /// It has no events to place.
    NoEvents,
    /// None of its clocks can be placed.
    NotPlaced,
    /// It is the manifest itself.
    Manifest,
    /// Its format is not supported; the text says which.
    NotRead(String),
}

impl FileStatus {
    /// Describes the placement.
    pub fn describe(&self, names: &Names) -> String {
        match self {
            Self::Timeline(clock) => format!("its {} is trace time", clock_name(*clock)),
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
            Self::NotPlaced => "not placed".to_owned(),
            Self::Manifest => "the manifest".to_owned(),
            Self::NotRead(what) => format!("not read: {what}"),
        }
    }
}

/// The files of an import that are not containers, in the order of the import.
pub async fn files(trace: &Trace, names: &Names) -> anyhow::Result<Vec<File>> {
    let mut missing = missing(trace).await?;
    let doubtful = "SELECT DISTINCT trace_id FROM stats \
         WHERE name = 'clock_sync_doubtful_same_boot' AND value != 0";
    let doubtful: HashSet<String> = rows(trace, doubtful).await?.into_iter().flatten().collect();
    let mut unread: HashMap<u32, String> =
        logged_texts(trace, "archive_members_not_read").await?.into_iter().collect();
    let placements: HashMap<u32, &FilePlacement> =
        trace.summary().placements.iter().map(|it| (it.trace_id, it)).collect();
    let clocks = Clocks::of(trace);
    let sql = "SELECT id, trace_type, size FROM trace_file \
         WHERE trace_type NOT IN ('tar', 'zip', 'gzip', 'zstd') ORDER BY processing_order";
    let mut files = Vec::new();
    for row in rows(trace, sql).await? {
        let trace_id: u32 = row[0].parse()?;
        let placement = placements.get(&trace_id).copied();
        let status = match (placement, row[1].as_str()) {
            (Some(placement), _) => clocks.status(placement),
            (None, "perfetto_manifest") => FileStatus::Manifest,
            (None, _) => {
                let why = unread.remove(&trace_id);
                FileStatus::NotRead(why.unwrap_or_else(|| "it cannot be unpacked".to_owned()))
            }
        };
        let mut lost = placement.map_or(Vec::new(), |placement| clocks.missing(placement));
        lost.extend(missing.remove(&trace_id).unwrap_or_default());
        files.push(File {
            name: names.file(trace_id).to_owned(),
            bytes: row[2].parse()?,
            status,
            missing: lost,
            unplaced: clocks
                .of_file(trace_id)
                .find(|path| path.conversion.is_err())
                .map(|it| it.clock),
            doubtful: doubtful.contains(&row[0]),
        });
    }
    Ok(files)
}

/// Losses of each file for reasons other than its clocks.
async fn missing(trace: &Trace) -> anyhow::Result<HashMap<u32, Vec<String>>> {
    let mut missing: HashMap<u32, Vec<String>> = HashMap::new();
    for (file, what) in logged_texts(trace, "trace_truncated_bytes").await? {
        missing.entry(file).or_default().push(format!("it cannot be read completely: {what}"));
    }
    let sql = "SELECT trace_id, name, value FROM stats WHERE value != 0 AND name IN \
         ('trace_truncated_bytes', 'compressed_packets_failed', 'malformed_packets', \
         'invalid_clock_snapshots') ORDER BY name";
    for row in rows(trace, sql).await? {
        let count: u64 = row[2].parse()?;
        let text = match row[1].as_str() {
            "trace_truncated_bytes" => {
                format!("an incomplete packet at its end ({})", counted(count, "byte", "bytes"))
            }
            "compressed_packets_failed" => {
                format!("{} cannot be unpacked", counted(count, "packet", "packets"))
            }
            "malformed_packets" => {
                format!("{} malformed", counted(count, "packet is", "packets are"))
            }
            _ => format!("{} cannot be used", counted(count, "clock snapshot", "clock snapshots")),
        };
        missing.entry(row[0].parse()?).or_default().push(text);
    }
    Ok(missing)
}

/// The descriptions that were logged with a stat when files were opened.
async fn logged_texts(trace: &Trace, stat: &str) -> anyhow::Result<Vec<(u32, String)>> {
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

/// The clocks of an import by file.
struct Clocks {
    trace_clock: Clock,
    /// The clocks that events are timed by, by file.
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

    /// How a file was placed on the timeline: by the weakest rule that any of its clocks needed.
    fn status(&self, placement: &FilePlacement) -> FileStatus {
        let own = || self.of_file(placement.trace_id);
        let conversions = || own().filter_map(|path| Some((path, path.conversion.as_ref().ok()?)));
        if self.trace_clock.source.file == placement.trace_id {
            return FileStatus::Timeline(self.trace_clock);
        }
        let Some((path, conversion)) = conversions().max_by_key(|(_, conversion)| conversion.rule)
        else {
            return if own().next().is_some() {
                FileStatus::NotPlaced
            } else {
                FileStatus::NoEvents
            };
        };
        if let Some((from, to)) = assumed(path, conversion) {
            return FileStatus::Assumed(conversion.rule, from, to);
        }
        let how: Vec<String> = conversions().map(|(path, _)| self.origins.of_path(path)).collect();
        match how.iter().any(|origins| origins.contains("manifest")) {
            true => FileStatus::ByManifest,
            false => FileStatus::Recorded(self.origins.of_path(path)),
        }
    }

    /// The events of a file that could not be placed, and why.
    fn missing(&self, placement: &FilePlacement) -> Vec<String> {
        let mut texts = Vec::new();
        if placement.unplaced > 0 {
            let nowhere = self.of_file(placement.trace_id).filter_map(|path| {
                let error = path.conversion.as_ref().err()?;
                Some(format!("{}: {}", clock_name(path.clock), reason(path, error)))
            });
            let events = counted(placement.unplaced, "event has", "events have");
            let reasons: Vec<String> = nowhere.collect();
            texts.push(format!("{events} no place on the timeline ({})", reasons.join("; ")));
        }
        if placement.negative > 0 {
            let events = counted(placement.negative, "event lies", "events lie");
            texts.push(format!("{events} before trace time begins"));
        }
        texts
    }
}

/// The hop of a conversion on which two clocks are assumed to read the same.
fn assumed(path: &ClockPath, conversion: &ClockConversion) -> Option<(Clock, Clock)> {
    let mut from = path.clock;
    for hop in &conversion.hops {
        if hop.by == Basis::Assumed {
            return Some((from, hop.to));
        }
        from = hop.to;
    }
    None
}
