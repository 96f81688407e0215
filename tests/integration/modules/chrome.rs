//! `chrome.*`: events of a process 100, with a main thread.

mod benchmarks;
mod scroll_jank;
mod scrolls;

use tpq_testkit::{
    FtraceBundle, FtraceEvent, InternedData, Message, Packet, Task, TrackDescriptor,
};

use crate::imported::{Imported, recording};

/// The track of the process.
const PROCESS: u64 = 1;
/// The track of its main thread.
const THREAD: u64 = 2;

/// The messages of `TrackEvent` with details.
mod field {
    pub const TASK_EXECUTION: u32 = 5;
    pub const CHROME_HISTOGRAM_SAMPLE: u32 = 28;
    pub const CHROME_MOJO_EVENT_INFO: u32 = 38;
    pub const EVENT_LATENCY: u32 = 1032;
    pub const SCROLL_DELTAS: u32 = 1047;
    pub const GRAPHICS_PIPELINE: u32 = 1052;
    pub const PAGE_LOAD: u32 = 1056;
    pub const STARTUP: u32 = 1057;
    pub const WEB_CONTENT_INTERACTION: u32 = 1058;
    pub const SCROLL_METRICS: u32 = 1066;
    pub const LATENCY_INFO: u32 = 1068;
    pub const CURRENT_TASK: u32 = 1071;
    pub const FRAME_REPORTER: u32 = 1075;
    pub const SCROLL_JANK_V4: u32 = 1078;
}

fn message() -> Message {
    Message::new()
}

fn event(at: u64, event: Message) -> (u64, Packet) {
    (at, Packet::new().sequence(1).timestamp(at).flags(2).payload(11, event))
}

/// A slice from one moment to another, with details in a field.
fn slice(
    track: u64,
    times: (u64, u64),
    named: (&str, &str),
    details: (u32, Message),
) -> [(u64, Packet); 2] {
    slice_with(track, times, named, [details])
}

/// A slice from one moment to another, with details in several fields.
fn slice_with(
    track: u64,
    (from, to): (u64, u64),
    (category, name): (&str, &str),
    details: impl IntoIterator<Item = (u32, Message)>,
) -> [(u64, Packet); 2] {
    let begin = category
        .split(',')
        .fold(message().uint(9, 1).uint(11, track), |event, category| event.bytes(22, category))
        .bytes(23, name);
    let begin =
        details.into_iter().fold(begin, |event, (field, details)| event.message(field, details));
    [event(from, begin), event(to, message().uint(9, 2).uint(11, track))]
}

/// No details.
fn none() -> (u32, Message) {
    (field::TASK_EXECUTION, message())
}

fn plain(track: u64, times: (u64, u64), name: &str) -> [(u64, Packet); 2] {
    slice(track, times, ("cat", name), none())
}

fn scene(slices: &[[(u64, Packet); 2]]) -> Imported {
    scene_on([], slices)
}

/// Slices of which some are on further tracks.
fn scene_on(
    further: impl IntoIterator<Item = TrackDescriptor>,
    slices: &[[(u64, Packet); 2]],
) -> Imported {
    let location = message().uint(1, 5).bytes(2, "a/b.cc").bytes(3, "Post");
    let start = Packet::new().sequence(1).timestamp(1).flags(1);
    let start = start.interned(InternedData::from(message().message(4, location)));
    let tracks = [
        TrackDescriptor::new(PROCESS).process(100, "Browser"),
        TrackDescriptor::new(THREAD).parent(PROCESS).thread(100, 100, "CrBrowserMain"),
    ];
    let tracks = tracks.into_iter().chain(further);
    let tracks = tracks.map(|track| Packet::new().sequence(1).track_descriptor(track));
    let mut events = slices.concat();
    events.sort_by_key(|&(at, _)| at);
    let events = events.into_iter().map(|(_, packet)| packet);
    Imported::trace(recording().packet(start).packets(tracks).packets(events))
}

/// The rows of a query on a module, columns in single blanks, without the names above.
fn lines(trace: &Imported, module: &str, sql: &str) -> Vec<String> {
    let rows = trace.cells(&format!("INCLUDE PERFETTO MODULE chrome.{module}; {sql}"));
    rows.into_iter().map(|row| row.join(" ")).collect()
}

#[test]
fn histograms() {
    let sample = || message().bytes(2, "Blink.Time").int(3, 42);
    let named = ("disabled-by-default-histogram_samples", "HistogramSample");
    let trace = scene(&[
        slice(THREAD, (10, 10), named, (field::CHROME_HISTOGRAM_SAMPLE, sample())),
        slice(PROCESS, (20, 20), named, (field::CHROME_HISTOGRAM_SAMPLE, sample())),
    ]);
    let sql = "SELECT name, value, ts, thread_name, tid, process_name, pid FROM chrome_histograms \
        ORDER BY ts";
    assert_eq!(
        lines(&trace, "histograms", sql),
        [
            "Blink.Time 42 10 CrBrowserMain 100 Browser 100",
            "Blink.Time 42 20 NULL NULL Browser 100"
        ]
    );
}

/// A page's navigation begins at 10; its first contents are there at 30, its largest at 50.
fn browsing() -> Imported {
    let load = || (field::PAGE_LOAD, message().int(1, 4).bytes(2, "https://a.b"));
    let metric = |times, name| slice(PROCESS, times, ("loading", name), load());
    let start = || (field::STARTUP, message().int(1, 9));
    let caused = (field::STARTUP, message().int(1, 9).int(3, 4));
    let click = (field::WEB_CONTENT_INTERACTION, message().int(1, 2));
    scene(&[
        slice(PROCESS, (2, 7), ("startup", "Startup.TimeToFirstVisibleContent2"), start()),
        slice(THREAD, (1, 1), ("startup", "Startup.ActivityStart"), start()),
        slice(THREAD, (3, 3), ("startup", "Startup.LaunchCause"), caused),
        metric((10, 30), "PageLoadMetrics.NavigationToFirstContentfulPaint"),
        metric((31, 31), "PageLoadMetrics.NavigationToDOMContentLoadedEventFired"),
        metric((40, 50), "PageLoadMetrics.NavigationToLargestContentfulPaint"),
        slice(PROCESS, (60, 75), ("interactions", "Web Interaction"), click),
    ])
}

#[test]
fn page_loads_and_startups() {
    let trace = browsing();
    let interactions = |sql: &str| lines(&trace, "interactions", sql);
    let sql = "SELECT id, navigation_id, navigation_start_ts, fcp, fcp_ts, lcp, lcp_ts, \
        dom_content_loaded_event_ts, load_event_ts, url, pid FROM chrome_page_loads \
        JOIN process ON upid = browser_upid"
        .replace("SELECT id", "SELECT chrome_page_loads.id");
    assert_eq!(interactions(&sql), ["1 4 10 20 30 10 50 31 NULL https://a.b 100"]);
    let sql = "SELECT activity_id, name, startup_begin_ts, first_visible_content_ts, \
        launch_cause IS NOT NULL FROM chrome_startups";
    assert_eq!(interactions(sql), ["9 Startup 2 7 1"]);
    let sql = "SELECT ts, dur, interaction_type IS NOT NULL FROM chrome_web_content_interactions";
    assert_eq!(interactions(sql), ["60 15 1"]);
    let sql = "SELECT type, name, ts, dur FROM chrome_interactions ORDER BY ts";
    assert_eq!(
        interactions(sql),
        [
            "chrome_startups Startup 2 5",
            "chrome_page_loads PageLoad 10 10",
            "chrome_web_content_interactions InteractionToFirstPaint 60 15",
        ]
    );
}

#[test]
fn scrolls() {
    let details = message().int(1, 12).int(2, 14).int(3, 2).int(4, 3).int(5, 1).int(6, 0);
    let trace =
        scene(&[slice(PROCESS, (10, 90), ("scroll", "Scroll"), (field::SCROLL_METRICS, details))]);
    let sql = "SELECT name, ts, dur, frame_count, vsync_count, missed_vsync_max, missed_vsync_sum, \
        delayed_frame_count, predictor_janky_frame_count FROM chrome_scroll_interactions";
    assert_eq!(lines(&trace, "scroll_interactions", sql), ["Scroll 10 80 12 14 2 3 1 0"]);
}

/// The average of 16 and 20.
#[test]
fn beats_of_the_display() {
    let trace = scene(&[
        plain(THREAD, (10, 10), "VSync"),
        plain(THREAD, (26, 26), "VSync"),
        plain(THREAD, (46, 46), "VSync"),
    ]);
    let beats = |sql: &str| lines(&trace, "vsync_intervals", sql);
    let sql = "SELECT ts, time_to_next_vsync FROM chrome_vsync_intervals ORDER BY ts";
    assert_eq!(beats(sql), ["10 16", "26 20", "46 NULL"]);
    let sql = "SELECT chrome_calculate_avg_vsync_interval(0, 46) AS all_of_them, \
        chrome_calculate_avg_vsync_interval(100, 200) AS none";
    assert_eq!(beats(sql), ["18.0 16000000.0"]);
}

/// The first of three events of scrolling is shown at 90, the second not at all. Of the third no
/// frame was submitted.
#[test]
fn latency_of_input() {
    let details = |id, kind| {
        let details = message().int(1, kind).int(4, id).bool(5, kind == 21);
        (field::EVENT_LATENCY, details)
    };
    let named = ("input.scrolling", "EventLatency");
    let trace = scene(&[
        slice(THREAD, (10, 100), named, details(71, 21)),
        plain(THREAD, (15, 90), "SubmitCompositorFrameToPresentationCompositorFrame"),
        plain(THREAD, (20, 30), "BufferAvailableToBufferReady"),
        plain(THREAD, (30, 40), "BufferReadyToLatch"),
        plain(THREAD, (40, 60), "LatchToSwapEnd"),
        plain(THREAD, (60, 90), "SwapEndToPresentationCompositorFrame"),
        slice(THREAD, (200, 210), named, details(72, 10)),
        slice(THREAD, (300, 340), named, details(73, 10)),
        plain(THREAD, (310, 330), "LatchToPresentation"),
    ]);
    let sql = "SELECT ts, dur, scroll_update_id, is_presented, is_janky_scrolled_frame, \
        buffer_available_timestamp, buffer_ready_timestamp, latch_timestamp, swap_end_timestamp, \
        presentation_timestamp FROM chrome_event_latencies ORDER BY ts";
    assert_eq!(
        lines(&trace, "event_latency", sql),
        [
            "10 90 71 1 1 20 30 40 60 90",
            "200 10 72 0 0 NULL NULL NULL NULL NULL",
            "300 40 73 0 0 NULL NULL 310 NULL 330",
        ]
    );
    let sql = "SELECT ts, event_type, is_janky, scroll_id FROM chrome_gesture_scroll_updates \
        ORDER BY ts";
    assert_eq!(
        lines(&trace, "event_latency", sql),
        [
            "10 FIRST_GESTURE_SCROLL_UPDATE 1 1",
            "200 GESTURE_SCROLL_UPDATE 0 1",
            "300 GESTURE_SCROLL_UPDATE 0 1",
        ]
    );
}

/// A task that was posted somewhere, one that handles a message, and a slice in it.
#[test]
fn tasks() {
    let posted = || (field::TASK_EXECUTION, message().uint(1, 5));
    let sent = message().uint(2, 77).bytes(3, "blink.mojom.Host");
    let trace = scene(&[
        slice(THREAD, (10, 20), ("toplevel", "ThreadControllerImpl::RunTask"), posted()),
        slice(THREAD, (30, 60), ("toplevel", "ThreadControllerImpl::RunTask"), posted()),
        slice(
            THREAD,
            (35, 50),
            ("toplevel,mojom", "Receive mojo message"),
            (field::CHROME_MOJO_EVENT_INFO, sent),
        ),
        plain(THREAD, (70, 80), "of no category that counts"),
    ]);
    let sql = "SELECT ts, dur, name, thread_name, process_name, posted_from \
        FROM chrome_scheduler_tasks ORDER BY ts";
    assert_eq!(
        lines(&trace, "tasks", sql),
        [
            "10 10 RunTask(posted_from=a/b.cc:Post) CrBrowserMain Browser a/b.cc:Post",
            "30 30 RunTask(posted_from=a/b.cc:Post) CrBrowserMain Browser a/b.cc:Post",
        ]
    );
    let sql = "SELECT ts, dur, task_type, name FROM chrome_tasks ORDER BY ts";
    assert_eq!(
        lines(&trace, "tasks", sql),
        [
            "10 10 scheduler RunTask(posted_from=a/b.cc:Post)",
            "30 30 mojo blink.mojom.Host message (hash=77)",
        ]
    );
}

/// CPU 0 sleeps at depth 1 from 10 to 20, then runs a thread from 22 on.
#[test]
fn wakers_of_cpus() {
    let idle = |at, state| FtraceEvent::other(at, 0, 13, message().uint(1, state).uint(2, 0));
    let app = Task::new("app", 100);
    let events = [
        idle(10, 0),
        idle(20, u32::MAX.into()),
        FtraceEvent::sched_switch(22, Task::new("swapper", 0), 0, app),
        FtraceEvent::print(24, 100, "B|100|work"),
        FtraceEvent::print(28, 100, "E|100"),
        FtraceEvent::sched_switch(30, app, 1, Task::new("swapper", 0)),
        idle(40, 0),
    ];
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let trace = Imported::trace(recording().packet(Packet::new().sequence(1).ftrace(bundle)));
    let power = |sql: &str| lines(&trace, "cpu_powerups", sql);
    let sql = "SELECT ts, dur, cpu, power_state, previous_power_state FROM chrome_cpu_power_slice \
        ORDER BY ts";
    assert_eq!(power(sql), ["10 10 0 1 NULL", "20 20 0 0 1", "40 NULL 0 1 0"]);
    let sql = "SELECT ts, dur, cpu, previous_power_state \
        FROM chrome_cpu_power_first_sched_slice_after_powerup";
    assert_eq!(power(sql), ["22 8 0 1"]);
    let sql = "SELECT ts, dur FROM chrome_cpu_power_post_powerup_slice";
    assert_eq!(power(sql), ["24 4"]);
    let sql = "SELECT name, previous_power_state \
        FROM chrome_cpu_power_first_toplevel_slice_after_powerup AS woken \
        JOIN slice ON slice.id = woken.slice_id";
    assert_eq!(power(sql), ["work 1"]);
}

/// Two suites that take 4 and 9, of which the geometric mean is 6.
#[test]
fn speedometer_3() {
    let timed = |times, name| slice(PROCESS, times, ("blink.user_timing", name), none());
    let trace = scene(&[
        timed((100, 200), "iteration-0"),
        timed((110, 111), "A-x.Add-sync"),
        timed((111, 114), "A-x.Add-async"),
        timed((120, 129), "B.Dot ted-sync"),
    ]);
    let sql = "SELECT ts, dur, name, iteration, suite_name, test_name, measure_type \
        FROM chrome_speedometer_measure ORDER BY ts";
    assert_eq!(
        lines(&trace, "speedometer", sql),
        [
            "110 1 A-x.Add-sync 0 A-x Add sync",
            "111 3 A-x.Add-async 0 A-x Add async",
            "120 9 B.Dot ted-sync 0 B Dot ted sync",
        ]
    );
    let sql = "SELECT ts, dur, name, iteration, round(geomean, 3) AS mean, round(score / 1e6) AS s \
        FROM chrome_speedometer_iteration";
    assert_eq!(lines(&trace, "speedometer", sql), ["100 100 iteration-0 0 6.0 167.0"]);
}

/// The test begins at 10, has done its own work at 13, and all at 20.
#[test]
fn speedometer_2_1() {
    let mark = |at, name| slice(THREAD, (at, at), ("blink.user_timing", name), none());
    let trace = scene(&[
        mark(10, "VanillaJS-TodoMVC.Adding100Items-start"),
        mark(13, "VanillaJS-TodoMVC.Adding100Items-sync-end"),
        mark(20, "VanillaJS-TodoMVC.Adding100Items-async-end"),
    ]);
    let sql = "SELECT ts, dur, iteration, suite_name, test_name, measure_type \
        FROM chrome_speedometer_measure ORDER BY ts";
    assert_eq!(
        lines(&trace, "speedometer", sql),
        [
            "10 3 1 VanillaJS-TodoMVC Adding100Items sync",
            "13 7 1 VanillaJS-TodoMVC Adding100Items async"
        ]
    );
    let sql = "SELECT ts, dur, name, round(geomean, 3) AS mean, round(score / 1e6) AS s \
        FROM chrome_speedometer_iteration";
    assert_eq!(lines(&trace, "speedometer", sql), ["10 10 iteration-1 10.0 2000.0"]);
}
