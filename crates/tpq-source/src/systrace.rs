//! Detects text of the kernel's tracer by its first lines.

/// The number of bytes at the start of a file in which the first event is searched.
const EVENT_SEARCH_LEN: usize = 1024;
/// The number of bytes at the start of a file in which `atrace` may mark the start of the trace.
const ATRACE_SEARCH_LEN: usize = 4096;

/// The text before the trace in an HTML page, of newer and of older versions.
const PAGE_MARKERS: [&[u8]; 2] = [b"class=\"trace-data\"", b"linuxPerfData = \""];

/// Whether this is text of the kernel's tracer, or an HTML page that contains such text.
pub(crate) fn is_systrace(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let head = |len: usize| bytes.get(..len).unwrap_or(bytes);
    if is_page(bytes) {
        return PAGE_MARKERS.iter().any(|marker| contains(bytes, marker));
    }
    let mut lines = head(EVENT_SEARCH_LEN).split(|&byte| byte == b'\n');
    text.starts_with(b"# tracer")
        || contains(head(ATRACE_SEARCH_LEN), b"TRACE:\n")
        || lines.any(is_event)
}

/// Whether this is an HTML page, which may contain a trace.
pub(crate) fn is_page(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let page =
        |with: &[u8]| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    page(b"<!doctype html") || page(b"<html")
}

/// Whether a line looks like an event: `task-pid … [cpu] … seconds.fraction: event: …`.
fn is_event(line: &[u8]) -> bool {
    let brackets = (0..line.len()).filter(|&at| line[at] == b'[');
    brackets.into_iter().any(|at| {
        let (before, after) = (line[..at].trim_ascii_end(), &line[at + 1..]);
        let cpu = digits(after);
        cpu > 0
            && after.get(cpu) == Some(&b']')
            && ends_with_task(before)
            && begins_with_time(&after[cpu + 1..])
    })
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Whether this ends with the id of a thread after a dash, and optionally the id of its process in
/// parentheses.
fn ends_with_task(before: &[u8]) -> bool {
    let before = match before.strip_suffix(b")") {
        Some(inside) => {
            let open = inside.iter().rposition(|&byte| byte == b'(').unwrap_or(0);
            inside[..open].trim_ascii_end()
        }
        None => before,
    };
    let pid = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    pid > 0 && before[..before.len() - pid].ends_with(b"-")
}

/// Whether this has a time with a colon, after the interrupt flags of the tracer, and then a name
/// with a colon.
fn begins_with_time(after: &[u8]) -> bool {
    let mut words = after.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_time = |word: &[u8]| {
        let seconds = digits(word);
        let Some(rest) = word[seconds..].strip_prefix(b".") else { return false };
        let fraction = digits(rest);
        seconds > 0 && fraction > 0 && &rest[fraction..] == b":"
    };
    words.by_ref().take(4).any(is_time) && words.next().is_some_and(|name| name.contains(&b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_tracer() {
        for text in [
            "# tracer: nop\n",
            "\n# tracer: function",
            "<!DOCTYPE html>\n<script class=\"trace-data\" type=\"application/text\">",
            "<HTML><script>var linuxPerfData = \"\\\n",
            "capturing trace... done\nTRACE:\n",
            "cpus=8\n  a b-1  [000] 50260.647576: sched_switch: x",
            "a-1 (   77) [004] ....   316.196720: 0: B|77|x",
            "a-1 (-----) [004] d..1 +2us 316.196720: irq: x",
            "x [0]-1 [004] 316.1: irq: x",
        ] {
            assert!(is_systrace(text.as_bytes()), "{text:?}");
        }
        for text in [
            "",
            "hello",
            "# a heading",
            "<!DOCTYPE html>\n<title>Sign in</title>",
            "a-1 [004]: 316.196720: x",
            "a-1 [004] 316: x:",
            "a-1 [004] 316.1: x",
            "a [004] 316.1: x: y",
            "[12.5] a line of a log",
            "-1 [0]",
            ") [0] 1.5: a: b",
        ] {
            assert!(!is_systrace(text.as_bytes()), "{text:?}");
        }
    }
}
