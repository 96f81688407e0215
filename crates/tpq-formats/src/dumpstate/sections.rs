//! Sections of a bug report.
//!
//! ```text
//! ------ SYSTEM LOG (logcat -v threadtime) ------
//! ------ 0.356s was the duration of 'SYSTEM LOG' ------
//! ------ DUMPSYS CRITICAL (/system/bin/dumpsys) ------
//! -------------------------------------------------------------------------------
//! DUMP OF SERVICE CRITICAL activity:
//! --------- 0.012s was the duration of dumpsys activity, ending at: 2022-06-24 16:24:37
//! ```

/// The contents of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Contents {
    /// Text that has rows alone.
    #[default]
    Text,
    /// Dumps of services.
    Services,
    /// A log.
    Log,
    /// The log of the kernel.
    KernelLog,
    /// The history of the battery.
    Battery,
}

/// What a line states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Line<'a> {
    /// A section of that name begins.
    Begin(&'a [u8]),
    /// The section ends.
    End,
    /// A line between the dumps of two services.
    Rule,
    /// The dump of a service ends.
    EndOfService,
    /// The dump of a service of that name begins. The line is part of it.
    Service(&'a [u8]),
    /// A line of the section.
    Row,
}

/// Follows the sections from line to line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sections {
    contents: Contents,
    in_service: bool,
}

const MARK: &[u8] = b"------ ";
const END_MARK: &[u8] = b" ------";
const DURATION: &[u8] = b"was the duration of";
const SERVICE: &[u8] = b"DUMP OF SERVICE";
const SERVICE_DURATION: &[u8] = b"was the duration of dumpsys";
const RULE: &[u8] = &[b'-'; 46];
/// The first line of the history of a battery, which may stand alone in a file.
const BATTERY: &[u8] = b"9,0,i,vers,";
/// Sections with logs of Android.
const LOGS: [&[u8]; 3] = [b"SYSTEM LOG", b"EVENT LOG", b"RADIO LOG"];
/// Sections that are one in the table, of which there is one for each device.
const BLOCK_STAT: &[u8] = b"BLOCK STAT";

impl Sections {
    /// The contents of the section of the last line.
    pub(super) fn contents(self) -> Contents {
        self.contents
    }

    /// Reads the next line.
    pub(super) fn next<'a>(&mut self, line: &'a [u8]) -> Line<'a> {
        if let Some(name) = line.strip_prefix(MARK).and_then(|it| it.strip_suffix(END_MARK)) {
            self.in_service = false;
            if contains(name, DURATION) {
                self.contents = Contents::Text;
                return Line::End;
            }
            self.contents = contents_of(name);
            return Line::Begin(if name.starts_with(BLOCK_STAT) { BLOCK_STAT } else { name });
        }
        if line.starts_with(BATTERY) {
            self.contents = Contents::Battery;
        }
        match self.contents {
            Contents::Services => self.next_of_services(line),
            _ => Line::Row,
        }
    }

    fn next_of_services<'a>(&mut self, line: &'a [u8]) -> Line<'a> {
        if line.starts_with(b"--------- ") && contains(line, SERVICE_DURATION) {
            self.in_service = false;
            return Line::EndOfService;
        }
        if !self.in_service && line.starts_with(RULE) {
            return Line::Rule;
        }
        if !line.starts_with(SERVICE) {
            return Line::Row;
        }
        self.in_service = true;
        let name = line.rsplit(|&byte| byte == b' ').next().unwrap_or_default();
        Line::Service(name.split_last().map_or(&[], |(_, name)| name))
    }
}

fn contents_of(name: &[u8]) -> Contents {
    match name {
        _ if name.starts_with(b"DUMPSYS") => Contents::Services,
        _ if LOGS.iter().any(|log| name.starts_with(log)) => Contents::Log,
        _ if name.starts_with(b"KERNEL LOG") => Contents::KernelLog,
        _ if name.starts_with(b"CHECKIN BATTERYSTATS") => Contents::Battery,
        _ => Contents::Text,
    }
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(line, part).is_some()
}

/// The lines of a text, each with its offset and without its end.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let (start, line) = (at, rest.get(..len)?);
        at += len + 1;
        Some((start, line.strip_suffix(b"\r").unwrap_or(line)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_services() {
        let mut sections = Sections::default();
        let mut next = |line: &'static str| {
            let line = sections.next(line.as_bytes());
            (line, sections.contents())
        };
        assert_eq!(next("Build: x"), (Line::Row, Contents::Text));
        assert_eq!(
            next("------ EVENT LOG (logcat -b events) ------"),
            (Line::Begin(b"EVENT LOG (logcat -b events)"), Contents::Log)
        );
        assert_eq!(next("DUMP OF SERVICE a:"), (Line::Row, Contents::Log));
        let end = "------ 0.3s was the duration of 'EVENT LOG' ------";
        assert_eq!(next(end), (Line::End, Contents::Text));
        let services = Contents::Services;
        assert_eq!(next("------ DUMPSYS HIGH (x) ------").1, services);
        let rule =
            "-------------------------------------------------------------------------------";
        assert_eq!(next(rule), (Line::Rule, services));
        assert_eq!(next("DUMP OF SERVICE HIGH meminfo:"), (Line::Service(b"meminfo"), services));
        assert_eq!(next(rule), (Line::Row, services), "part of the dump");
        let end = "--------- 0.1s was the duration of dumpsys meminfo, ending at: x";
        assert_eq!(next(end), (Line::EndOfService, services));
        assert_eq!(
            next("------ BLOCK STAT (sda) ------"),
            (Line::Begin(b"BLOCK STAT"), Contents::Text)
        );
        assert_eq!(next("------ ------"), (Line::Row, Contents::Text));
        assert_eq!(next("9,0,i,vers,36,1"), (Line::Row, Contents::Battery));
    }

    #[test]
    fn lines_keep_their_blanks() {
        let lines: Vec<_> = lines(b" a \r\n\nb").collect();
        assert_eq!(lines, [(0, &b" a "[..]), (5, b""), (6, b"b")]);
    }
}
