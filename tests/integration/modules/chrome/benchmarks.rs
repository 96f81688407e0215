//! `chrome.jetstream_3` and `chrome.loadline_2`: user timings in milliseconds.

use tpq_testkit::{Packet, TrackDescriptor};

use super::{PROCESS, THREAD, field, lines, message, none, scene_on, slice};

/// The track of measures of the process.
const MEASURES: u64 = 21;
/// The tracks of frames.
const FRAMES: [u64; 2] = [22, 23];

const fn ms((from, to): (u64, u64)) -> (u64, u64) {
    (from * 1_000_000, to * 1_000_000)
}

fn tracks() -> Vec<TrackDescriptor> {
    let named = [(MEASURES, "measures"), (FRAMES[0], "frames"), (FRAMES[1], "more frames")];
    named.map(|(uuid, name)| TrackDescriptor::new(uuid).parent(PROCESS).name(name)).into()
}

fn timing(track: u64, times: (u64, u64), name: &str) -> [(u64, Packet); 2] {
    slice(track, ms(times), ("blink.user_timing", name), none())
}

/// Of cdjs, the three longest iterations after the first one are its worst; two of them tie. Its
/// scores are 5000 / 10 (first), 5000 / 2.667 (worst) and 5000 / 2.25 (all but the first), with a
/// geometric mean of 1277.182. Sunspider has the mean of 5000 / 2 and 5000 / 8.
#[test]
fn jetstream_3() {
    let timed = |times, name| timing(MEASURES, times, name);
    let trace = scene_on(
        tracks(),
        &[
            timing(THREAD, (1, 1), "cdjs"),
            timed((1, 11), "cdjs-iteration-0"),
            timed((11, 15), "cdjs-iteration-1"),
            timed((15, 17), "cdjs-iteration-2"),
            timed((17, 19), "cdjs-iteration-3"),
            timed((19, 20), "cdjs-iteration-4"),
            timed((20, 25), "WSL-stdlib"),
            timed((25, 27), "base64-SP-iteration-0"),
            timed((27, 35), "3d-cube-SP-iteration-0"),
        ],
    );
    let jetstream = |sql: &str| lines(&trace, "jetstream_3", sql);
    let sql = "SELECT dur / 1000000 AS ms, name, top_level_name, iteration, subtest \
        FROM chrome_jetstream_3_measure ORDER BY ts";
    assert_eq!(
        jetstream(sql),
        [
            "10 cdjs cdjs 0 First",
            "4 cdjs cdjs 1 Worst",
            "2 cdjs cdjs 2 Worst",
            "2 cdjs cdjs 3 Worst",
            "1 cdjs cdjs 4 Average",
            "5 WSL WSL 0 WSL-stdlib",
            "2 base64-SP Sunspider 0 First",
            "8 3d-cube-SP Sunspider 0 First",
        ]
    );
    let sql = "SELECT top_level_name, round(score, 3) AS score \
        FROM chrome_jetstream_3_benchmark_score ORDER BY top_level_name";
    assert_eq!(jetstream(sql), ["Sunspider 1250.0", "WSL 1000.0", "cdjs 1277.182"]);
    assert_eq!(jetstream("SELECT round(chrome_jetstream_3_score(), 3) AS score"), ["1168.748"]);
    let sql = "SELECT thread.name FROM chrome_jetstream_3_renderer_main_utid() \
        JOIN thread USING (utid)";
    assert_eq!(jetstream(sql), ["CrBrowserMain"]);
}

/// A frame with a commit and a state, of which 1 means presented in full.
fn frame(track: u64, times: (u64, u64), commit: u64, state: u64) -> [[(u64, Packet); 2]; 2] {
    let reported = (field::FRAME_REPORTER, message().uint(1, state));
    [
        slice(track, ms(times), ("cc", "PipelineReporter"), reported),
        slice(track, ms((commit, commit + 1)), ("cc", "Commit"), none()),
    ]
}

/// Of the two frames that commit after the visual mark, only the second one is presented. A page
/// that did not finish has no row.
#[test]
fn loadline_2() {
    let mark = |at, name| timing(THREAD, (at, at), name);
    let loading = |times, name| slice(THREAD, ms(times), ("loading", name), none());
    let mut slices = vec![
        mark(1, "LoadLine2/news/start"),
        loading((2, 3), "WillStartRequest"),
        loading((5, 6), "CommitSentToFirstSubresourceLoadStart"),
        loading((7, 8), "DocumentLoader::CommitNavigation"),
        mark(9, "LoadLine2/news/visual"),
        timing(MEASURES, (10, 10), "LoadLine2/news/visual_raf"),
        mark(20, "LoadLine2/news/interactive"),
        mark(21, "LoadLine2/news/interactive_raf"),
        mark(40, "LoadLine2/news/finish"),
        mark(50, "LoadLine2/unfinished/start"),
    ];
    slices.extend(frame(FRAMES[0], (8, 16), 12, 3));
    slices.extend(frame(FRAMES[1], (11, 18), 14, 1));
    slices.extend(frame(FRAMES[0], (19, 27), 22, 1));
    let trace = scene_on(tracks(), &slices);
    let columns = [
        "story_start",
        "start_request",
        "end_request",
        "renderer_ready",
        "visual_mark",
        "visual_raf",
        "visual_presentation",
        "interactive_mark",
        "interactive_raf",
        "interactive_presentation",
        "story_finish",
    ];
    let columns = columns.map(|column| format!("{column} / 1000000 AS {column}")).join(", ");
    let sql = format!("SELECT page, {columns} FROM chrome_loadline2_stages");
    assert_eq!(lines(&trace, "loadline_2", &sql), ["news 1 2 5 7 9 10 18 20 21 27 40"]);
}
