//! Markers that user space writes into the kernel's trace: `B|123|name`, `E|123`, `C|123|name|7`.

/// A marker.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Marker<'a> {
    /// A slice begins on the thread that wrote it.
    Begin { pid: i32, name: &'a str },
    /// The innermost slice of the thread that wrote it ends.
    End { pid: Option<i32> },
    /// A slice of the process begins, distinguished from others of its name by the cookie.
    AsyncBegin { pid: i32, name: &'a str, cookie: i64 },
    /// The slice of that name and cookie ends.
    AsyncEnd { pid: i32, name: &'a str, cookie: i64 },
    /// A slice begins on a track the process named.
    TrackBegin { pid: i32, track: &'a str, name: &'a str, cookie: i64 },
    /// The slice of that cookie ends on a track the process named.
    TrackEnd { pid: i32, track: &'a str, cookie: i64 },
    /// Something happened on the thread that wrote it.
    Instant { pid: i32, name: &'a str },
    /// Something happened on a track the process named.
    TrackInstant { pid: i32, track: &'a str, name: &'a str },
    /// A counter of the process took a value.
    Counter { pid: i32, name: &'a str, value: f64 },
}

/// A parsed line of the trace marker.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Parsed<'a> {
    /// A marker.
    Marker(Marker<'a>),
    /// A reading of clocks, which other packets give better.
    ClockSync,
    /// No marker, or one gone wrong.
    Malformed,
}

/// Parses a marker. The first character is its kind; characters up to the first bar are ignored.
pub(super) fn parse(line: &str) -> Parsed<'_> {
    let line = line.trim_end_matches(['\n', '\0']);
    let mut rest = Parts(Some(line));
    let letter = rest.next().chars().next();
    let pid = rest.next().parse::<u32>().ok().map(|pid| pid as i32);
    let marker = match (letter, pid) {
        (Some('E'), pid) => Some(Marker::End { pid }),
        (Some(letter), Some(pid)) => marker(letter, pid, rest),
        _ => None,
    };
    match marker {
        Some(marker) => Parsed::Marker(marker),
        None if line.starts_with("trace_event_clock_sync:") => Parsed::ClockSync,
        None => Parsed::Malformed,
    }
}

/// The text between bars; empty after the end.
#[derive(Clone, Copy)]
struct Parts<'a>(Option<&'a str>);

impl<'a> Parts<'a> {
    fn next(&mut self) -> &'a str {
        let Some(rest) = self.0.take() else { return "" };
        match rest.split_once(['|', '\0']) {
            Some((part, rest)) => {
                self.0 = Some(rest);
                part
            }
            None => rest,
        }
    }

    /// A part that must not be empty.
    fn text(&mut self) -> Option<&'a str> {
        Some(self.next()).filter(|part| !part.is_empty())
    }

    fn number(&mut self) -> Option<i64> {
        self.next().parse().ok()
    }
}

fn marker(letter: char, pid: i32, mut rest: Parts<'_>) -> Option<Marker<'_>> {
    Some(match letter {
        // The name of a slice may hold bars itself.
        'B' => match rest.0.unwrap_or_default() {
            "" => Marker::Begin { pid, name: "[empty slice name]" },
            name => Marker::Begin { pid, name },
        },
        'S' => Marker::AsyncBegin { pid, name: rest.text()?, cookie: rest.number()? },
        'F' => Marker::AsyncEnd { pid, name: rest.text()?, cookie: rest.number()? },
        'G' => {
            let (track, name) = (rest.text()?, rest.text()?);
            Marker::TrackBegin { pid, track, name, cookie: rest.number()? }
        }
        'H' => track_end(pid, rest)?,
        'I' => Marker::Instant { pid, name: rest.text()? },
        'N' => Marker::TrackInstant { pid, track: rest.text()?, name: rest.text()? },
        // A category may follow the value.
        'C' => Marker::Counter { pid, name: rest.text()?, value: rest.number()? as f64 },
        _ => return None,
    })
}

/// Older writers repeat the name between track and cookie.
fn track_end(pid: i32, mut rest: Parts<'_>) -> Option<Marker<'_>> {
    let track = rest.text()?;
    let (first, second) = (rest.next(), rest.next());
    let cookie = if second.is_empty() { first } else { second };
    Some(Marker::TrackEnd { pid, track, cookie: cookie.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(line: &str) -> Marker<'_> {
        match parse(line) {
            Parsed::Marker(marker) => marker,
            other => panic!("{line:?} gave {other:?}"),
        }
    }

    #[test]
    fn every_letter() {
        assert_eq!(marker("B|12|a|b\n"), Marker::Begin { pid: 12, name: "a|b" });
        assert_eq!(marker("B|12|\n"), Marker::Begin { pid: 12, name: "[empty slice name]" });
        assert_eq!(marker("E|12\n"), Marker::End { pid: Some(12) });
        assert_eq!(marker("E"), Marker::End { pid: None });
        assert_eq!(marker("S|12|n|7"), Marker::AsyncBegin { pid: 12, name: "n", cookie: 7 });
        assert_eq!(marker("F|12|n|7"), Marker::AsyncEnd { pid: 12, name: "n", cookie: 7 });
        assert_eq!(marker("I|12|n"), Marker::Instant { pid: 12, name: "n" });
        assert_eq!(marker("C|12|n|-3\n"), Marker::Counter { pid: 12, name: "n", value: -3.0 });
        assert_eq!(marker("C|12|n|4|Blob"), Marker::Counter { pid: 12, name: "n", value: 4.0 });
        assert_eq!(
            marker("G|12|t|n|7"),
            Marker::TrackBegin { pid: 12, track: "t", name: "n", cookie: 7 }
        );
        assert_eq!(marker("H|12|t|7"), Marker::TrackEnd { pid: 12, track: "t", cookie: 7 });
        assert_eq!(marker("H|12|t|n|7"), Marker::TrackEnd { pid: 12, track: "t", cookie: 7 });
        assert_eq!(marker("N|12|t|n"), Marker::TrackInstant { pid: 12, track: "t", name: "n" });
    }

    #[test]
    fn other_text_is_malformed() {
        for line in ["", "hello", "C|12|n", "C|12|n|1.5", "B|x|n", "S|12||7", "N|12|t", "I|12|"] {
            assert_eq!(parse(line), Parsed::Malformed, "{line:?}");
        }
        assert_eq!(parse("trace_event_clock_sync: parent_ts=1.5"), Parsed::ClockSync);
    }
}
