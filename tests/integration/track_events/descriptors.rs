//! Descriptors of processes and threads, Chrome's among them.

use super::*;

const PROCESS_ARGS: &str = "SELECT pid, name, key, value_type AS type, int_value AS int, \
    string_value AS string FROM process p JOIN args a ON p.arg_set_id = a.arg_set_id ORDER BY a.id";

fn track(fields: Message) -> Packet {
    packet().track_descriptor(fields.into())
}

#[test]
fn processes_of_chrome_say_what_they_are() {
    let process = Message::new().int(1, 200).bytes(8, "Tab").bytes(8, "News");
    let chrome = Message::new().uint(1, 2).int(3, -5).bytes(4, "org.app").uint(5, 77);
    let trace = imported(
        TraceBuilder::new(),
        [
            track(Message::new().uint(1, 5).message(3, process).message(6, chrome)),
            // The older form: by the packet, with the kind in the process's own descriptor.
            packet().payload(43, Message::new().int(1, 201).uint(4, 6)),
            track(
                Message::new()
                    .uint(1, 6)
                    .message(3, Message::new().int(1, 202).bytes(6, "Named").uint(4, 6)),
            ),
        ],
    );
    assert_eq!(
        trace.rows(PROCESS_ARGS),
        "\
pid  name      key                           type    int   string
200  Renderer  chrome.process_label[0]       string  NULL  Tab
200  Renderer  chrome.process_label[1]       string  NULL  News
200  Renderer  chrome.process_type           string  NULL  Renderer
200  Renderer  chrome.crash_trace_id         uint    77    NULL
200  Renderer  chrome.host_app_package_name  string  NULL  org.app
200  Renderer  process_sort_index_hint       int     -5    NULL
"
    );
    assert_eq!(
        trace.rows("SELECT pid, name FROM process WHERE pid > 0 ORDER BY pid"),
        "pid  name\n200  Renderer\n201  Gpu\n202  Named\n"
    );
}

#[test]
fn threads_of_chrome_go_by_their_kind_unless_they_have_names() {
    let thread = |tid, name: &str, kind: u64| {
        let thread = Message::new().int(1, 100).int(2, tid);
        let thread = if name.is_empty() { thread } else { thread.bytes(5, name) };
        let chrome = Message::new().uint(1, kind).int(2, 9);
        track(Message::new().uint(1, tid as u64).message(4, thread).message(7, chrome))
    };
    let old = Message::new().int(1, 100).int(2, 104).uint(4, 2).int(3, 8);
    let trace = imported(
        TraceBuilder::new(),
        [
            thread(101, "", 8),
            thread(102, "given", 8),
            thread(103, "", 42),
            packet().flags(STATE_CLEARED).payload(44, old),
        ],
    );
    assert_eq!(
        trace.rows(
            "SELECT tid, name, key, int_value AS int FROM thread t \
             JOIN args a ON t.arg_set_id = a.arg_set_id ORDER BY tid"
        ),
        "\
tid  name                  key                     int
101  Compositor            thread_sort_index_hint  9
102  given                 thread_sort_index_hint  9
103  THREAD_BROWSER_VSYNC  thread_sort_index_hint  9
104  ChromeIOThread        thread_sort_index_hint  8
"
    );
}

/// A descriptor that contradicts another, or itself, is counted and entered.
#[test]
fn descriptors_that_make_no_sense() {
    let named = |uuid, name: &str| Message::new().uint(1, uuid).bytes(2, name);
    let cases = [
        (vec![Message::new().bytes(2, "none")], "track_descriptor_missing_uuid"),
        (
            vec![named(5, "a").message(4, Message::new().int(1, 1))],
            "track_descriptor_thread_missing_pid_tid",
        ),
        (vec![named(5, "a").message(3, Message::new())], "track_descriptor_process_missing_pid"),
        (vec![named(0, "a").uint(5, 1)], "track_descriptor_default_track_with_parent"),
        (vec![named(5, "a"), named(5, "a").uint(5, 2)], "track_descriptor_conflicting_reservation"),
        (vec![named(5, "a").uint(11, 77)], "track_descriptor_invalid_child_ordering"),
    ];
    for (descriptors, stat) in cases {
        let trace = imported(described(), descriptors.into_iter().map(track));
        assert_eq!(trace.rows(STATS), format!("{:n$}  value\n{stat}  1\n", "name", n = stat.len()));
        assert_eq!(trace.cell("SELECT name FROM trace_import_logs"), stat);
    }
}
