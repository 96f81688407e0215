//! Sections of lines in a file.

/// The section of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// The trace.
    Trace,
    /// A list of processes: user, pid, parent's pid, sizes, names.
    Process,
    /// A list of threads: user, pid, tid, name.
    Thread,
    /// Perhaps the first line of a trace without a header.
    Start,
    /// Nothing that is read.
    Other,
}

/// Follows the sections of a file from line to line.
#[derive(Debug)]
pub(super) struct Sections(State);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// A file that is no page.
    Text,
    /// Between the sections of a page.
    Page,
    /// At the start of a section of a page.
    Start,
    /// In a section of the lines of that part.
    In(Part),
}

/// How a section of a page begins, which may have further attributes, and how one ends.
const SCRIPT: &[u8] = b"<script";
const DATA: &[u8] = b"class=\"trace-data\"";
const END: &[u8] = b"</script>";
/// How old pages begin the trace, as a text of a program.
const OLD_DATA: &[u8] = b"linuxPerfData = \"";
/// The end of the section in old pages.
const OLD_END: &[u8] = b"\";";

impl Sections {
    pub(super) fn new(text: &[u8]) -> Self {
        Self(if begins_page(text) { State::Page } else { State::Text })
    }

    /// The section of the next line.
    pub(super) fn next(&mut self, line: &[u8]) -> Part {
        match self.0 {
            State::Text => return Part::Trace,
            State::Page if contains(line, SCRIPT) && contains(line, DATA) => self.0 = State::Start,
            State::Page if contains(line, OLD_DATA) => self.0 = State::In(Part::Trace),
            State::Page => {}
            _ if contains(line, END) || line.starts_with(OLD_END) => self.0 = State::Page,
            State::Start => return self.start(line),
            State::In(part) => return self.inside(part, line),
        }
        Part::Other
    }

    /// A section says by its first lines what it holds.
    fn start(&mut self, line: &[u8]) -> Part {
        let comment = line.starts_with(b"#");
        if comment && (contains(line, b"TASK-PID") || line.starts_with(b"# tracer")) {
            self.0 = State::In(Part::Trace);
        } else if line.starts_with(b"PROCESS DUMP") {
            self.0 = State::In(Part::Process);
        } else if line.starts_with(b"CGROUP DUMP") {
            self.0 = State::In(Part::Other);
        } else if !comment {
            return Part::Start;
        }
        Part::Other
    }

    /// The section of the last line, which is an event, is a trace without a header.
    pub(super) fn begin_trace(&mut self) {
        self.0 = State::In(Part::Trace);
    }

    /// A list has a header, after which another list with another one may follow.
    fn inside(&mut self, part: Part, line: &[u8]) -> Part {
        if !matches!(part, Part::Process | Part::Thread) {
            return part;
        }
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let first = [(); 5].map(|()| words.next().unwrap_or_default());
        let header = match first {
            [b"USER", b"PID", b"TID", b"CMD", b""] => Some(Part::Thread),
            [b"USER", b"PID", b"PPID", b"VSZ", _] => Some(Part::Process),
            _ => None,
        };
        match header {
            Some(header) => {
                self.0 = State::In(header);
                Part::Other
            }
            None => part,
        }
    }
}

/// Whether a text is a page.
fn begins_page(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let begins =
        |with: &[u8]| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    begins(b"<!doctype html") || begins(b"<html")
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(line, part).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<(&str, Part)> {
        let mut sections = Sections::new(text.as_bytes());
        let lines = text.lines().map(|line| (line, sections.next(line.as_bytes())));
        lines.filter(|(_, part)| !matches!(part, Part::Other | Part::Start)).collect()
    }

    #[test]
    fn a_text_is_a_trace() {
        assert_eq!(parts("# tracer: nop\na"), [("# tracer: nop", Part::Trace), ("a", Part::Trace)]);
    }

    #[test]
    fn sections_of_a_page() {
        let page = "<!DOCTYPE html>
<script>code();</script>
  <script class=\"trace-data\" type=\"application/text\">
PROCESS DUMP
USER           PID  PPID     VSZ    RSS WCHAN            PC S NAME            COMM
root             1     0   11056   2560 SyS_epoll_wait    0 S init            init
USER           PID   TID CMD
root             1     1 init
  </script>
<script class=\"trace-data\" type=\"application/text\">
CGROUP DUMP
a
</script>
<script class=\"trace-data\" type=\"application/text\">
{\"traceEvents\": []}
</script>
<script class=\"trace-data\" type=\"application/text\">
# tracer: nop
#
#           TASK-PID    CPU#  ||||    TIMESTAMP  FUNCTION
b
</script>
c";
        let process =
            "root             1     0   11056   2560 SyS_epoll_wait    0 S init            init";
        let columns = "#           TASK-PID    CPU#  ||||    TIMESTAMP  FUNCTION";
        assert_eq!(
            parts(page),
            [
                (process, Part::Process),
                ("root             1     1 init", Part::Thread),
                ("#", Part::Trace),
                (columns, Part::Trace),
                ("b", Part::Trace),
            ]
        );
    }

    #[test]
    fn a_page_of_old() {
        let page =
            "<html>\n<script>\n  var linuxPerfData = \"\\\n# tracer: nop\\n\\\na\\n\\\n\";\nb";
        assert_eq!(parts(page), [("# tracer: nop\\n\\", Part::Trace), ("a\\n\\", Part::Trace)]);
    }

    #[test]
    fn pages_by_their_beginning() {
        assert!(begins_page(b" \n<!DOCTYPE HTML>"));
        assert!(begins_page(b"<html>"));
        assert!(!begins_page(b"<htm"));
        assert!(!begins_page(b"# <html>"));
    }
}
