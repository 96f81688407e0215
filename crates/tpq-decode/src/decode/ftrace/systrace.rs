//! Markers that user space writes into the kernel's trace: `B|123|name`, `E|123`, `C|123|name|7`.

/// A marker.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Marker<'a> {
    /// A slice begins on the thread that wrote it.
    Begin { pid: i32, name: &'a str },
    /// The innermost slice of the thread that wrote it ends.
    End { pid: Option<i32> },
    /// A slice of the process begins, told from others of its name by the cookie.
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

/// What a line written to the trace marker turned out to be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Parsed<'a> {
    /// A marker.
    Marker(Marker<'a>),
    /// Text that is not meant to be a marker.
    Text,
    /// A marker gone wrong.
    Malformed,
}

/// Reads a line.
pub(super) fn parse(line: &str) -> Parsed<'_> {
    let line = line.trim_end_matches(['\n', '\0']);
    let mut letters = line.chars();
    let Some(letter) = letters.next() else { return Parsed::Text };
    if !"BESFGHNIC".contains(letter) || !matches!(letters.next(), Some('|') | None) {
        return Parsed::Text;
    }
    let marker = match letter {
        'B' => begin(line),
        'E' => Some(Marker::End { pid: line.get(2..).and_then(|pid| pid.parse().ok()) }),
        'C' => counter(line),
        _ => other(letter, line),
    };
    marker.map_or(Parsed::Malformed, Parsed::Marker)
}

/// A name may hold bars itself, so only the bars before it divide.
fn begin(line: &str) -> Option<Marker<'_>> {
    let (pid, name) = line.get(2..)?.split_once('|')?;
    Some(Marker::Begin { pid: pid.parse().ok()?, name })
}

/// The value ends the line, but a category may follow it.
fn counter(line: &str) -> Option<Marker<'_>> {
    let (pid, rest) = line.get(2..)?.split_once('|')?;
    let (name, value) = rest.split_once('|')?;
    let value = value.split('|').next()?.trim();
    Some(Marker::Counter { pid: pid.parse().ok()?, name, value: value.parse().ok()? })
}

fn other(letter: char, line: &str) -> Option<Marker<'_>> {
    let parts: Vec<&str> = line.split('|').skip(1).collect();
    let pid = parts.first()?.parse().ok()?;
    let number = |text: &str| text.trim().parse::<i64>().ok();
    Some(match (letter, &parts[1..]) {
        ('S', [name, cookie]) => Marker::AsyncBegin { pid, name, cookie: number(cookie)? },
        ('F', [name, cookie]) => Marker::AsyncEnd { pid, name, cookie: number(cookie)? },
        ('G', [track, name, cookie]) => {
            Marker::TrackBegin { pid, track, name, cookie: number(cookie)? }
        }
        // Older writers repeat the name between track and cookie.
        ('H', [track, cookie] | [track, _, cookie]) => {
            Marker::TrackEnd { pid, track, cookie: number(cookie)? }
        }
        ('I', [name]) => Marker::Instant { pid, name },
        ('N', [track, name]) => Marker::TrackInstant { pid, track, name },
        _ => return None,
    })
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
        assert_eq!(marker("E|12\n"), Marker::End { pid: Some(12) });
        assert_eq!(marker("E"), Marker::End { pid: None });
        assert_eq!(marker("S|12|n|7"), Marker::AsyncBegin { pid: 12, name: "n", cookie: 7 });
        assert_eq!(marker("F|12|n|7"), Marker::AsyncEnd { pid: 12, name: "n", cookie: 7 });
        assert_eq!(marker("I|12|n"), Marker::Instant { pid: 12, name: "n" });
        assert_eq!(marker("C|12|n|-3\n"), Marker::Counter { pid: 12, name: "n", value: -3.0 });
        assert_eq!(
            marker("G|12|t|n|7"),
            Marker::TrackBegin { pid: 12, track: "t", name: "n", cookie: 7 }
        );
        assert_eq!(marker("H|12|t|7"), Marker::TrackEnd { pid: 12, track: "t", cookie: 7 });
        assert_eq!(marker("N|12|t|n"), Marker::TrackInstant { pid: 12, track: "t", name: "n" });
    }

    #[test]
    fn text_is_not_taken_for_a_marker() {
        assert_eq!(parse("hello"), Parsed::Text);
        assert_eq!(parse("Basic"), Parsed::Text);
        assert_eq!(parse(""), Parsed::Text);
        assert_eq!(parse("C|12|n"), Parsed::Malformed);
        assert_eq!(parse("B|x|n"), Parsed::Malformed);
    }
}
