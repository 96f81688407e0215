//! `pixel.*`

use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, ProcessTree, TraceBuilder};

use super::{lines, processes};
use crate::imported::Imported;

/// A recording of what CPU 0 saw, with these processes.
fn recorded(processes: Packet, events: Vec<FtraceEvent>) -> Imported {
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let kernel = Packet::new().sequence(9).ftrace(bundle);
    Imported::trace(TraceBuilder::new().packet(processes).packet(kernel))
}

fn print((at, by, line): (u64, i32, &str)) -> FtraceEvent {
    FtraceEvent::print(at, by, line)
}

/// The first touch is followed from the interrupt to the position; of the second, only the last
/// step is in the trace.
#[test]
fn touches() {
    let events = [
        (10, 102, "B|100|IRQ (gti)"),
        (12, 102, "C|100|gti_th_irq_index|7"),
        (20, 102, "E|100"),
        (25, 101, "B|100|gti_irq_thread_fn: IRQ_IDX=7."),
        (27, 101, "B|100|goog_offload_populate_frame: IN_TS=1000."),
        (30, 101, "E|100"),
        (35, 101, "E|100"),
        (40, 100, "B|100|algo->processFrame: IN_TS=1000. x"),
        (45, 100, "C|100|Resample latency offset|333"),
        (50, 100, "C|100|Resample latency offset|334"),
        (60, 100, "E|100"),
        (80, 100, "B|100|algo->processFrame: IN_TS=2000."),
        (90, 100, "E|100"),
    ];
    let trace = recorded(processes(), events.map(print).into());
    let sql = "SELECT in_ts, ts_pixel_touch_th, dur_pixel_touch_th, ts_pixel_touch_bh, \
        dur_pixel_touch_bh, ts_pixel_touch, dur_pixel_touch, resample_latency_offset \
        FROM pixel_touch_events";
    assert_eq!(
        lines(&trace, "pixel.touch", sql),
        ["1000 10 10 25 10 40 20 333", "2000 NULL NULL NULL NULL 80 10 0"]
    );
    // Each part has the slice and the track that it is of.
    let sql = "SELECT count(*) FROM pixel_touch_events AS e \
        JOIN slice AS top ON top.id = e.id_pixel_touch_th \
        JOIN slice AS bottom ON bottom.id = e.id_pixel_touch_bh \
        JOIN slice AS own ON own.id = e.id_pixel_touch \
        WHERE top.track_id = e.track_pixel_touch_th AND top.ts = e.ts_pixel_touch_th \
        AND bottom.track_id = e.track_pixel_touch_bh AND bottom.ts = e.ts_pixel_touch_bh \
        AND own.track_id = e.track_pixel_touch AND own.ts = e.ts_pixel_touch";
    assert_eq!(lines(&trace, "pixel.touch", sql), ["1"]);
}

/// The app has 1,000 bytes from 10 and 900 from 50 on, the HAL 50 from 20 and the server 7 from 30
/// on. The DMA heap has 4,096 bytes from 40 until the last event at 60.
#[test]
fn the_camera() {
    let tree = ProcessTree::new()
        .process(1, 0, &["/sbin/init"], 0)
        .process(100, 1, &["com.google.android.GoogleCamera"], 1000)
        .process(200, 1, &["android.hardware.camera.provider@2.7-service-google"], 1000)
        .process(300, 1, &["/system/bin/cameraserver"], 1000)
        .thread(101, 100, "worker");
    let tree = Packet::new().sequence(9).timestamp(1).process_tree(tree);
    let heap = Message::new().uint(1, 5).int(2, 4096).uint(3, 4096);
    let events = vec![
        print((5, 101, "B|100|cam1_Sabre:merge (frame 12)")),
        print((9, 101, "E|100")),
        print((10, 100, "C|100|mem.rss.anon|1000")),
        print((20, 200, "C|200|mem.rss.anon|50")),
        print((30, 300, "C|300|mem.rss.file|7")),
        FtraceEvent::other(40, 100, 351, heap),
        print((50, 100, "C|100|mem.rss.anon|900")),
        print((60, 101, "B|100|camera")),
    ];
    let trace = recorded(tree, events);
    let sql = "SELECT ts, dur, thread_name, node, port_group, frame_number, cam_id \
        FROM pixel_camera_frames";
    assert_eq!(lines(&trace, "pixel.camera", sql), ["5 4 worker Sabre merge 12 1"]);
    let sql = "SELECT ts, dur, gca_rss, hal_rss, cameraserver_rss, dma, rss_and_dma \
        FROM pixel_camera_memory_span";
    assert_eq!(
        lines(&trace, "pixel.camera", sql),
        [
            "10 10 1000 0 0 0 1000",
            "20 10 1000 50 0 0 1050",
            "30 10 1000 50 7 0 1057",
            "40 10 1000 50 7 4096 5153",
            "50 10 900 50 7 4096 5053",
            "60 1 900 50 7 0 957",
        ]
    );
}
