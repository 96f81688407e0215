//! Detects formats of text by their first lines.

use crate::Format;
use crate::text::{is_number, split_once};

/// The number of bytes at the start of a file that are examined.
const HEAD_LEN: usize = 16 << 10;
/// The number of lines that must be in a format without a header.
const LINES: usize = 3;

/// Digits of the number of seconds since the epoch, at least.
const DIGITS_OF_EPOCH: usize = 9;

/// Whether lines are of a format.
type IsFormat = fn(&[&[u8]]) -> bool;

/// The format of a text; `None` for text in no format that tpq reads.
pub(crate) fn format_of_text(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"# ninja log v") {
        return Some(Format::Ninja);
    }
    let (head, is_whole) = match bytes.get(..HEAD_LEN) {
        Some(head) => (head, false),
        None => (bytes, true),
    };
    // The last line is cut where the file goes on.
    let end = match is_whole {
        true => head.len(),
        false => head.iter().rposition(|&byte| byte == b'\n')?,
    };
    let lines = head.get(..end)?.split(|&byte| byte == b'\n').map(|line| line.trim_ascii_end());
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    let tests: [(Format, IsFormat); 6] = [
        (Format::NameMapping, is_name_mapping),
        (Format::Logcat, is_logcat),
        (Format::Strace, is_strace),
        (Format::Dmesg, is_dmesg),
        (Format::PerfScript, is_perf_script),
        (Format::CollapsedStacks, is_collapsed),
    ];
    tests.iter().find(|(_, test)| test(&lines)).map(|&(format, _)| format)
}

/// Whether the first lines that are no comments are a class with its name before obfuscation, and
/// its members.
fn is_name_mapping(lines: &[&[u8]]) -> bool {
    let is_comment = |line: &&&[u8]| line.trim_ascii_start().starts_with(b"#");
    let mut lines = lines.iter().skip_while(is_comment).take(LINES);
    let is_class = |line: &[u8]| line.ends_with(b":") && !line.starts_with(b" ");
    let names = |line: &[u8]| line.windows(4).filter(|it| it == b" -> ").count() == 1;
    lines.next().is_some_and(|line| is_class(line) && names(line))
        && lines.all(|line| line.trim_ascii_start().starts_with(b"#") || names(line))
}

/// Whether the first line that is no marker of a log buffer is a message with its time.
fn is_logcat(lines: &[&[u8]]) -> bool {
    let first = lines.iter().find(|line| !line.starts_with(b"--------"));
    first.is_some_and(|line| is_log_message(line) || is_long_header(line))
}

/// Whether a line begins with a time and then names a priority: as `pid tid P tag:`, with or without
/// a user before, or as `P/tag(pid):`.
fn is_log_message(line: &[u8]) -> bool {
    let mut words = words(line);
    if !begins_with_time(&mut words) {
        return false;
    }
    let mut words = words.skip_while(|word| is_zone(word));
    let rest: Vec<&[u8]> = words.by_ref().take(4).collect();
    let is_priority = |word: &&[u8]| matches!(word, [b'A'..=b'Z']);
    let by_column = rest.iter().skip(2).take(2).any(is_priority);
    let by_slash = rest.first().is_some_and(|word| matches!(word, [b'A'..=b'Z', b'/', _, ..]));
    by_column || by_slash
}

/// Whether a line is the header of a message in the format `long`.
fn is_long_header(line: &[u8]) -> bool {
    let Some(inside) = line.strip_prefix(b"[ ").and_then(|it| it.strip_suffix(b" ]")) else {
        return false;
    };
    begins_with_time(&mut words(inside))
}

/// Whether the next words are a date and a time of day, or the next one is seconds since the epoch.
fn begins_with_time<'a>(words: &mut impl Iterator<Item = &'a [u8]>) -> bool {
    let Some(first) = words.next() else { return false };
    is_epoch_time(first) || is_date(first) && words.next().is_some_and(is_time_of_day)
}

/// Whether this is a number of seconds of this century with a fraction. Seconds since boot are fewer.
fn is_epoch_time(word: &[u8]) -> bool {
    split_once(word, b'.').is_some_and(|(seconds, fraction)| {
        seconds.len() >= DIGITS_OF_EPOCH && is_number(seconds) && is_number(fraction)
    })
}

/// Whether this is `MM-DD` or `YYYY-MM-DD`.
fn is_date(word: &[u8]) -> bool {
    let parts: Vec<&[u8]> = word.split(|&byte| byte == b'-').collect();
    parts.iter().all(|part| is_number(part))
        && matches!(parts.as_slice(), [[_, _], [_, _]] | [[_, _, _, _], [_, _], [_, _]])
}

/// Whether this is `hh:mm:ss.fraction`.
fn is_time_of_day(word: &[u8]) -> bool {
    let Some((time, fraction)) = split_once(word, b'.') else { return false };
    let parts: Vec<&[u8]> = time.split(|&byte| byte == b':').collect();
    is_number(fraction)
        && parts.iter().all(|part| is_number(part))
        && matches!(parts.as_slice(), [[_, _], [_, _], [_, _]])
}

/// Whether this is an offset from UTC, such as `+0100`.
fn is_zone(word: &[u8]) -> bool {
    matches!(word, [b'+' | b'-', digits @ ..] if digits.len() == 4 && is_number(digits))
}

/// Whether the first lines are calls of `strace`: the id of a thread if there are several, a time,
/// and a call, a signal or an exit.
fn is_strace(lines: &[&[u8]]) -> bool {
    // It says on lines of their own which processes it follows, and from where calls were made.
    let is_call = |line: &&&[u8]| !line.starts_with(b"strace: ") && !line.starts_with(b" > ");
    let mut lines = lines.iter().filter(is_call).take(LINES);
    lines.next().is_some_and(|line| is_strace_line(line)) && lines.all(|line| is_strace_line(line))
}

fn is_strace_line(line: &[u8]) -> bool {
    let Some(rest) = after_pid(line) else { return false };
    let Some((time, rest)) = split_once(rest, b' ') else { return false };
    let is_epoch = is_number(time)
        || split_once(time, b'.').is_some_and(|(s, f)| is_number(s) && is_number(f));
    let is_clock = is_time_of_day(time) || is_time_of_day(&[time, b".0"].concat());
    (is_epoch || is_clock) && is_call(after_strace_annotations(rest.trim_ascii_start()))
}

/// The text of a line of `strace` after the time since the call before, which `-r` adds, and the
/// address of the instruction, which `-i` adds: `(+     0.000250) [00007f2ff064ac47] `.
pub fn after_strace_annotations(mut rest: &[u8]) -> &[u8] {
    for (open, close) in [(&b"(+"[..], b')'), (&b"["[..], b']')] {
        let inside = rest.strip_prefix(open);
        if let Some((_, after)) = inside.and_then(|inside| split_once(inside, close)) {
            rest = after.trim_ascii_start();
        }
    }
    rest
}

/// The text after the id of a thread, which `-f` adds.
fn after_pid(line: &[u8]) -> Option<&[u8]> {
    if let Some(rest) = line.strip_prefix(b"[pid") {
        let (pid, rest) = split_once(rest, b']')?;
        return is_number(pid.trim_ascii()).then(|| rest.trim_ascii_start());
    }
    match split_once(line, b' ') {
        // Seconds since the epoch have ten digits.
        Some((pid, rest)) if is_number(pid) && pid.len() < 10 => Some(rest.trim_ascii_start()),
        _ => Some(line),
    }
}

/// Whether this is `name(…`, a resumed call, a signal or an exit.
fn is_call(text: &[u8]) -> bool {
    if text.starts_with(b"<... ") || text.starts_with(b"--- SIG") || text.starts_with(b"+++ ") {
        return true;
    }
    let name = text.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let name = name.count();
    name > 0 && text.get(name) == Some(&b'(')
}

/// Whether the first line begins with seconds since boot in brackets, and the next ones do so too or
/// continue its message, indented.
fn is_dmesg(lines: &[&[u8]]) -> bool {
    let is_continued = |line: &[u8]| line.first().is_some_and(u8::is_ascii_whitespace);
    lines.first().is_some_and(|line| is_kernel_message(line))
        && lines.iter().take(LINES).all(|line| is_kernel_message(line) || is_continued(line))
}

fn is_kernel_message(line: &[u8]) -> bool {
    let line = match line.strip_prefix(b"<") {
        Some(rest) => match split_once(rest, b'>') {
            Some((level, rest)) if is_number(level) => rest,
            _ => return false,
        },
        None => line,
    };
    let Some(rest) = line.strip_prefix(b"[") else { return false };
    let Some((time, rest)) = split_once(rest, b']') else { return false };
    let is_time = split_once(time.trim_ascii_start(), b'.')
        .is_some_and(|(s, f)| is_number(s) && is_number(f) && f.len() == 6);
    is_time && (rest.is_empty() || rest.starts_with(b" ") || rest.starts_with(b"["))
}

/// Whether the first line that is no comment begins a sample: a thread, a time, and an event.
fn is_perf_script(lines: &[&[u8]]) -> bool {
    let first = lines.iter().find(|line| !line.starts_with(b"#"));
    first.is_some_and(|line| is_sample(line))
}

/// Whether a line has a time, `seconds.fraction:`, after the id of a thread and perhaps a CPU, and
/// an event behind it.
fn is_sample(line: &[u8]) -> bool {
    let words: Vec<&[u8]> = words(line).collect();
    let is_time = |word: &[u8]| {
        let Some(time) = word.strip_suffix(b":") else { return false };
        split_once(time, b'.').is_some_and(|(s, f)| is_number(s) && is_number(f))
    };
    let is_cpu = |word: &[u8]| {
        word.strip_prefix(b"[").and_then(|it| it.strip_suffix(b"]")).is_some_and(is_number)
    };
    let is_task = |word: &[u8]| match split_once(word, b'/') {
        Some((pid, tid)) => is_number(pid) && is_number(tid),
        None => is_number(word),
    };
    (1..words.len()).any(|at| {
        let before = words.get(..at).unwrap_or_default();
        let before = match before {
            [rest @ .., cpu] if is_cpu(cpu) => rest,
            _ => before,
        };
        is_time(words[at])
            && before.len() >= 2
            && before.last().is_some_and(|task| is_task(task))
            && words.get(at + 1..).unwrap_or_default().iter().take(2).any(|it| it.ends_with(b":"))
    })
}

/// Whether the first lines are functions separated by semicolons, and a count.
fn is_collapsed(lines: &[&[u8]]) -> bool {
    let lines = lines.iter().map(|line| line.trim_ascii_start());
    let mut lines = lines.filter(|line| !line.starts_with(b"#")).take(LINES).peekable();
    lines.peek().is_some() && lines.all(is_stack)
}

fn is_stack(line: &[u8]) -> bool {
    let Some(space) = line.iter().rposition(|&byte| byte == b' ') else { return false };
    let (stack, count) = line.split_at(space);
    space > 0 && stack.contains(&b';') && is_number(&count[1..])
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_their_first_lines() {
        let cases: &[(&str, Option<Format>)] = &[
            ("# ninja log v5\n1\t2\t3\ta\tff\n", Some(Format::Ninja)),
            ("--------- beginning of main\n12-13 10:32:20.030  1 1 I a: b\n", Some(Format::Logcat)),
            ("12-13 10:32:20.030 root  1 1 I a: b\n", Some(Format::Logcat)),
            ("2024-12-13 10:32:20.030123 +0100 1 1 I a: b\n", Some(Format::Logcat)),
            ("12-13 10:32:20.030 D/tag( 12): b\n", Some(Format::Logcat)),
            ("[ 12-13 10:32:20.030 1: 2 D/tag ]\nb\n", Some(Format::Logcat)),
            ("1709204400.500  1 1 I a: b\n", Some(Format::Logcat)),
            ("[ 1709204400.500  1: 2 D/tag ]\nb\n", Some(Format::Logcat)),
            ("12.500  1 1 I a: b\n", None),
            ("12-13 10:32 I a: b\n", None),
            (
                "perf  7496/7496  [003] 264874.155353:    1001001   cpu-clock: \n\tff a (b)\n",
                Some(Format::PerfScript),
            ),
            ("# comment\na b 12 1.5: cycles:\n", Some(Format::PerfScript)),
            ("a 12 1.5 cycles:\n", None),
            ("a;b;c 12\n", Some(Format::CollapsedStacks)),
            ("# x\na;b 1\na;c d 2\n", Some(Format::CollapsedStacks)),
            ("a;b;c 12\na b 12\n", None),
            ("12 1700000000.123456 read(3, \"\", 1) = 0\n", Some(Format::Strace)),
            ("[pid   12] 10:20:30.5 <... read resumed>) = 0\n", Some(Format::Strace)),
            ("10:20:30 --- SIGCHLD {} ---\n", Some(Format::Strace)),
            ("strace: Process 12 attached\n1700000000 read(3) = 0\n", Some(Format::Strace)),
            ("12 1700000000.5 (+ 0.000000) [00007fc6] read(3) = 0\n", Some(Format::Strace)),
            ("12 1.5 read(3) = 0\n > a.so(f+0x1) [0x2]\n", Some(Format::Strace)),
            ("read(3, \"\", 1) = 0\n", None),
            ("[    0.000000] Linux version 6\n[    0.000001] x\n", Some(Format::Dmesg)),
            ("<6>[    0.000000] Linux version 6\n", Some(Format::Dmesg)),
            ("[    0.000000] a\n               b\n", Some(Format::Dmesg)),
            ("  b\n[    0.000000] a\n", None),
            ("[12.5] a line of a log\n", None),
            ("# compiler: R8\na.B -> c:\n    int d -> e\n", Some(Format::NameMapping)),
            ("a.B -> c:\na.D -> d:\nno name\n", None),
            ("hello world\n", None),
            ("", None),
        ];
        for (text, format) in cases {
            assert_eq!(format_of_text(text.as_bytes()), *format, "{text:?}");
        }
    }
}
