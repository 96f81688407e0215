//! Features of a recording: sections of a file, or records of a pipe.

use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::stacks::build_id_text;
use tpq_trackers::track::Trackers;

use super::layout::{Numbers, Record};
use super::session::Session;
use super::symbols::read_binaries;
use crate::text::text_of;

/// Numbers of features.
pub(super) mod feature {
    pub(in crate::perf_data) const TRACING_DATA: u32 = 1;
    pub(super) const BUILD_ID: u32 = 2;
    pub(super) const OS_RELEASE: u32 = 4;
    pub(super) const CMDLINE: u32 = 11;
    pub(super) const EVENT_DESC: u32 = 12;
    pub(super) const GROUP_DESC: u32 = 17;
    pub(super) const SIMPLEPERF_FILE: u32 = 128;
    pub(super) const SIMPLEPERF_META_INFO: u32 = 129;
    pub(super) const SIMPLEPERF_FILE2: u32 = 132;
}

/// A build id has at most this many bytes.
const BUILD_ID_LEN: usize = 20;
/// The flag of a build id that states its length.
const HAS_LENGTH: u16 = 1 << 15;
/// A command line, or a description of events, has at most this many parts.
const MOST_PARTS: u32 = 1 << 16;

/// Decodes a feature.
pub(super) fn decode_feature(
    number: u32,
    section: &[u8],
    session: &mut Session,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let read = match number {
        feature::BUILD_ID => build_ids(section, session),
        feature::OS_RELEASE => text(&mut Numbers(section)).map(|release| {
            trackers.metadata.set_text("system_release", &text_of(release), tables);
        }),
        feature::CMDLINE => cmdline(section).map(|cmdline| session.set_cmdline(&cmdline, tables)),
        feature::EVENT_DESC => event_names(section, session),
        // The pass before the import read the formats of events. Counters that are read together are
        // known from the samples.
        feature::TRACING_DATA | feature::GROUP_DESC => Some(()),
        feature::SIMPLEPERF_META_INFO => {
            session.is_simpleperf = true;
            simpleperf_facts(section, session);
            Some(())
        }
        feature::SIMPLEPERF_FILE2 => {
            session.is_simpleperf = true;
            read_binaries(section, session)
        }
        // The form of old versions.
        feature::SIMPLEPERF_FILE => {
            session.is_simpleperf = true;
            None
        }
        _ => None,
    };
    if read.is_none() {
        stats.add_indexed(Stat::PerfFeaturesSkipped, i64::from(number), 1);
    }
}

/// A text with its length before it, padded by zeros.
fn text<'a>(numbers: &mut Numbers<'a>) -> Option<&'a [u8]> {
    let len = numbers.u32()? as usize;
    Some(Numbers(numbers.take(len)?).text())
}

/// Words of the command line, with spaces between.
fn cmdline(section: &[u8]) -> Option<String> {
    let mut numbers = Numbers(section);
    let count = numbers.u32()?.min(MOST_PARTS);
    let words: Option<Vec<_>> = (0..count).map(|_| text(&mut numbers).map(text_of)).collect();
    words.map(|words| words.join(" "))
}

/// Names of events by their ids: attributes of `size` bytes, each with a name and ids.
fn event_names(section: &[u8], session: &mut Session) -> Option<()> {
    let mut numbers = Numbers(section);
    let count = numbers.u32()?.min(MOST_PARTS);
    let size = numbers.u32()? as usize;
    for _ in 0..count {
        numbers.take(size)?;
        let ids = numbers.u32()?;
        let name = text_of(text(&mut numbers)?);
        for _ in 0..ids {
            session.name_event(numbers.u64()?, &name);
        }
    }
    Some(())
}

/// Build ids: records of process, id and path.
fn build_ids(section: &[u8], session: &mut Session) -> Option<()> {
    let mut rest = section;
    while !rest.is_empty() {
        let record = Record::read(rest).ok()?;
        build_id(&record, session)?;
        rest = rest.get(record.len..)?;
    }
    Some(())
}

/// Reads a build id.
pub(super) fn build_id(record: &Record<'_>, session: &mut Session) -> Option<()> {
    let mut numbers = Numbers(record.payload);
    let pid = numbers.u32()?.cast_signed();
    let id = numbers.take(BUILD_ID_LEN)?;
    let stated = usize::from(*numbers.take(4)?.first()?);
    let len = match record.misc & HAS_LENGTH != 0 {
        true => stated.min(BUILD_ID_LEN),
        false => guessed_len(id),
    };
    let path = numbers.text().to_vec();
    session.build_ids.insert((pid, path), build_id_text(id.get(..len)?));
    Some(())
}

/// The length of a build id behind which there are zeros: ids have 20, 16 or 8 bytes.
fn guessed_len(id: &[u8]) -> usize {
    let used = id.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    match used {
        17.. => BUILD_ID_LEN,
        9.. => 16,
        _ => 8,
    }
}

/// Facts that simpleperf states, as keys and values with a zero byte behind each. Events are named
/// in lines of name, type and number.
fn simpleperf_facts(section: &[u8], session: &mut Session) {
    let mut parts = section.split(|&byte| byte == 0);
    while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
        if key != b"event_type_info" {
            continue;
        }
        for line in text_of(value).lines() {
            let mut cells = line.split(',');
            let (Some(name), Some(kind), Some(config)) = (cells.next(), cells.next(), cells.next())
            else {
                continue;
            };
            if let (Ok(kind), Ok(config)) = (kind.parse::<u32>(), config.parse::<u64>()) {
                session.name_events(name, |it| it.kind == kind && it.config == config);
            }
        }
    }
}
