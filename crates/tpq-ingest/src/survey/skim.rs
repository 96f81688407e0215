//! A skim under way, from one place of a file or from two.

use super::{PACKET_TAG, Passed, Room, Survey, codec_of, next_packet, span_of};
use crate::packet::PacketHeader;

/// What was skimmed is told of in ranges of this size.
const PASSED_BYTES: usize = 4 << 20;

/// A skim under way.
pub(super) struct Skim<'a> {
    pub(super) survey: Survey<'a>,
    /// Where the packets begin that no segment holds yet.
    pub(super) from: usize,
    /// Where the next packet begins.
    pub(super) at: usize,
}

impl<'a> Skim<'a> {
    /// Skims packets that begin before `until`, as far as they can be read. Without `room`, stops
    /// at a compressed packet and says so.
    pub(super) fn go_on(
        &mut self,
        file: &'a [u8],
        base: u64,
        until: usize,
        room: Option<Room<'_, 'a>>,
        passed: Passed<'_>,
    ) -> Result<(), Compressed> {
        let mut told = self.at;
        while self.at < until
            && let Some((packet, next)) = next_packet(file, self.at)
        {
            let header = PacketHeader::parse(&file[packet.clone()]);
            let span = span_of(base, &packet);
            match codec_of(header.kind) {
                None => self.survey.note(span, &file[packet], &header),
                Some(codec) => {
                    let room = room.ok_or(Compressed)?;
                    self.survey.bytes.push_segment(base + self.from as u64, self.at - self.from);
                    self.from = next;
                    self.survey.inflate(codec, &file[packet], &header, self.at as u64, room);
                }
            }
            self.at = next;
            if next - told >= PASSED_BYTES {
                passed(told..next);
                told = next;
            }
        }
        Ok(())
    }

    /// Skims a file from two places at a time. Where the later one turns out to be none, or what
    /// follows needs to be read in its order, what was found there is forgotten.
    pub(super) fn in_halves(
        &mut self,
        file: &'a [u8],
        base: u64,
        middle: usize,
        room: Room<'_, 'a>,
        passed: Passed<'_>,
    ) {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("survey".into());
            let later = thread.spawn_scoped(scope, move || {
                let survey = Survey::nothing(file, base, 0);
                let mut later = Skim { survey, from: middle, at: middle };
                later.go_on(file, base, file.len(), None, passed).is_ok().then_some(later)
            });
            // A compressed packet has its room.
            let _ = self.go_on(file, base, middle, Some(room), passed);
            let later = later.ok().and_then(|later| later.join().ok().flatten());
            if let Some(later) = later.filter(|_| self.at == middle) {
                self.survey.append(later.survey);
                self.at = later.at;
            }
        });
    }
}

/// A packet that holds others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compressed;

/// A place about the middle of a large file where packets seem to begin: several follow each other,
/// and name their sequences as recorders have them do.
pub(super) fn middle_of(file: &[u8]) -> Option<usize> {
    const LARGE: usize = 8 << 20;
    const LOOKED_AT: usize = 1 << 20;
    const SEVERAL: usize = 16;
    if file.len() < LARGE {
        return None;
    }
    let begins_at = |at: usize| {
        let mut next = at;
        (0..SEVERAL).all(|_| {
            let packet = (file.get(next) == Some(&(PACKET_TAG as u8))).then_some(next);
            let Some((packet, end)) = packet.and_then(|at| next_packet(file, at)) else {
                return false;
            };
            next = end;
            let header = PacketHeader::parse(&file[packet]);
            !header.damaged && header.sequence != 0
        })
    };
    let first = file.len() / 2;
    (first..first + LOOKED_AT).find(|&at| begins_at(at))
}
