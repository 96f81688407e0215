//! Kernel events of drivers: displays, jobs and fences of graphics, virtual
//! devices, video buffers, and markers.

use insta::assert_snapshot;
use tpq_testkit::{FtraceEvent, Message};

use super::event_rows::{STRANGER, THREAD, events, rows, rows_of_events};
use super::kernel;
use crate::imported::STATS;

/// A message with numbers under the fields from 1 on.
fn numbers(values: impl IntoIterator<Item = i64>) -> Message {
    (1..).zip(values).fold(Message::new(), |message, (field, value)| message.int(field, value))
}

#[test]
fn displays() {
    let rows = rows_of_events([
        (549, numbers([1, 2, 60])),
        (613, numbers([1, 2, 61])),
        (550, numbers([4, 3, 1])),
        (550, numbers([4, 3, 0])),
        (602, numbers([0, 9])),
        (606, numbers([4, 3, 1, 2])),
        (605, numbers([4, 3, 1, 2, 1])),
        (610, numbers([4, 3, 1, 2])),
        (609, numbers([4, 3, 1, 2])),
    ]);
    assert_snapshot!(rows, @r#"
    10+0 disp_dpu_underrun "underrun[1]" [display_id=1]: disp_dpu_underrun {vsync_count=60 pending_frame=2}
    20+0 disp_dpu_line_underrun "line_underrun[1]" [display_id=1]: disp_dpu_line_underrun {vsync_count=61 pending_frame=2}
    30+10 disp_vblank_irq_enable "vblank_irq_en[3]" [display_id=3]: disp_vblank_irq_enable {display_id=4 output_id=3}
    50+0 ddic_underrun "ddic_underrun[0]" [panel_index=0]: ddic_underrun {collision_cnt=9}
    60+0 disp_frame_start_timeout "frame_start_timeout[3]" [panel_index=3]: frame_start_timeout {display_id=4 output_id=3 frames_pending=1 te_count=2}
    70+0 disp_frame_done_timeout "frame_done_timeout[3]" [panel_index=3]: frame_done_timeout {display_id=4 output_id=3 frames_pending=1 te_count=2 during_disable=1}
    80+0 disp_frame_start_missing "frame_start_missing[3]" [panel_index=3]: frame_start_missing {display_id=4 output_id=3 frames_pending=1 te_count=2}
    90+0 disp_frame_done_missing "frame_done_missing[3]" [panel_index=3]: frame_done_missing {display_id=4 output_id=3 frames_pending=1 te_count=2}
    "#);
}

#[test]
fn panels() {
    let rows = rows_of_events([
        (611, numbers([0, 1, 5, 0, 1, 0, 1, 60, 120, 240])),
        (612, numbers([0, 1, 60, 120, 240])),
    ]);
    assert_snapshot!(rows, @r#"
    10+0 panel_settings_full "panel_settings_full[0]" [panel_index=0]: panel_settings_full {hbm=true irc=5 h_pwm=false fi_auto=true fi_manual=false early_exit=true min_rr=60 max_rr=120 te_freq=240}
    20+0 panel_settings_lite "panel_settings_lite[0]" [panel_index=0]: panel_settings_lite {vrr=true min_rr=60 max_rr=120 te_freq=240}
    "#);
}

#[test]
fn blanks_between_frames() {
    let rows = rows_of_events([(409, numbers([2, 0, 77])), (410, numbers([2, 0, 77]))]);
    assert_snapshot!(rows, @r#"
    10+0 drm_vblank "vblank-2" [drm_crtc=2]: signal {vblank seqno=77u}
    20+0 drm_vblank "vblank-2" [drm_crtc=2]: deliver {vblank seqno=77u}
    "#);
}

/// The ring runs one job after another: the second from 50, when the first is done.
#[test]
fn jobs_of_older_kernels() {
    let job = |id, fence| Message::new().uint(2, fence).uint(4, id).bytes(6, "gfx");
    let trace = events([
        (411, job(1, 0xa)),
        (411, job(2, 0xb)),
        (412, job(1, 0xa)),
        (412, job(2, 0xb)),
        (413, Message::new().uint(1, 0xa)),
        (413, Message::new().uint(1, 0xb)),
        (413, Message::new().uint(1, 0xc)),
    ]);
    assert_snapshot!(rows(&trace), @r#"
    10+0 thread_execution "-" [utid=2]: drm_sched_job_queue {gpu sched ring=gfx gpu sched job=1u}
    20+0 thread_execution "-" [utid=2]: drm_sched_job_queue {gpu sched ring=gfx gpu sched job=2u}
    30+20 drm_sched_ring "sched-gfx" [name=gfx]: job {gpu sched job=1u}
    50+10 drm_sched_ring "sched-gfx" [name=gfx]: job {gpu sched job=2u}
    "#);
    let flows = "SELECT a.ts AS from_ts, b.ts AS to_ts FROM flow \
        JOIN slice a ON slice_out = a.id JOIN slice b ON slice_in = b.id ORDER BY 1";
    assert_snapshot!(trace.rows(flows), @r"
    from_ts  to_ts
    10       30
    20       50
    ");
}

#[test]
fn jobs_of_newer_kernels() {
    let job = || Message::new().bytes(1, "gfx").uint(5, 3).uint(6, 40);
    let done = Message::new().uint(1, 3).uint(2, 40);
    let trace = events([(593, job()), (594, job()), (592, done)]);
    assert_snapshot!(rows(&trace), @r#"
    10+0 thread_execution "-" [utid=2]: drm_sched_job_queue {gpu sched ring=gfx fence context=3u fence seqno=40u}
    20+10 drm_sched_ring "sched-gfx" [name=gfx]: job {fence context=3u fence seqno=40u}
    "#);
    assert_eq!(trace.cell("SELECT count(*) FROM flow"), "1");
}

fn fence(field: u32, context: u64, seqno: u64, timeline: &str) -> (u32, Message) {
    (field, Message::new().uint(1, context).uint(3, seqno).bytes(4, timeline))
}

/// Fence 1 is in front until 30, fence 2 from then on; that 3 is done before them says nothing.
#[test]
fn fences() {
    let rows = rows_of_events([
        fence(414, 9, 1, "gfx"),
        fence(414, 9, 2, "gfx"),
        fence(416, 9, 1, "gfx"),
        fence(416, 9, 1, "gfx"),
        fence(416, 9, 2, "gfx"),
        fence(414, 9, 3, "unbound"),
    ]);
    assert_snapshot!(rows, @r#"
    10+20 drm_fence "fence-gfx-9" [name=gfx context=9]: fence {fence seqno=1u}
    30+20 drm_fence "fence-gfx-9" [name=gfx context=9]: fence {fence seqno=2u}
    "#);
}

/// From 20 on the driver says when fences are emitted, which is when they count from.
#[test]
fn fences_that_are_emitted() {
    let rows = rows_of_events([
        fence(414, 9, 1, "gfx"),
        fence(415, 9, 1, "gfx"),
        fence(414, 9, 2, "gfx"),
        fence(416, 9, 1, "gfx"),
    ]);
    assert_snapshot!(rows, @r#"
    10+10 drm_fence "fence-gfx-9" [name=gfx context=9]: fence {fence seqno=1u}
    20+20 drm_fence "fence-gfx-9" [name=gfx context=9]: fence {fence seqno=1u}
    "#);
}

#[test]
fn waiting_for_fences() {
    let rows = rows_of_events([fence(417, 9, 1, "gfx"), fence(418, 9, 1, "gfx")]);
    assert_snapshot!(rows, @r#"10+10 thread_execution "-" [utid=2]: dma_fence_wait {fence context=9u fence seqno=1u}"#);
}

/// The command with a fence gives no latency.
#[test]
fn virtual_gpus() {
    let message = |queue: &str, free, number, command, fence| {
        let message = Message::new().uint(3, fence).bytes(5, queue).uint(6, free);
        message.uint(7, number).uint(8, command)
    };
    let rows = rows_of_events([
        (468, message("control", 60, 1, 0x104, 0)),
        (468, message("control", 58, 2, 0x207, 5)),
        (469, message("control", 60, 1, 0, 0)),
        (469, message("control", 62, 2, 0, 5)),
        (468, message("cursor", 16, 1, 0x999, 0)),
        (468, message("other", 16, 1, 0x300, 0)),
    ]);
    assert_snapshot!(rows, @r#"
    10 virtgpu_num_free "Virtgpu Control Free" [virtgpu_name=Control] = 60
    20 virtgpu_num_free "Virtgpu Control Free" [virtgpu_name=Control] = 58
    30 virtgpu_num_free "Virtgpu Control Free" [virtgpu_name=Control] = 60
    30 virtgpu_latency "Virtgpu Control Latency" [virtgpu_name=Control] = 20
    40 virtgpu_num_free "Virtgpu Control Free" [virtgpu_name=Control] = 62
    50 virtgpu_num_free "Virtgpu Cursor Free" [virtgpu_name=Cursor] = 16
    10+20 virtgpu_queue_event "Virtgpu Control Queue" [virtgpu_name=Control track_compressor_idx=0]: RESOURCE_FLUSH
    20+20 virtgpu_queue_event "Virtgpu Control Queue" [virtgpu_name=Control track_compressor_idx=1]: SUBMIT_3D
    50+-1 virtgpu_queue_event "Virtgpu Cursor Queue" [virtgpu_name=Cursor track_compressor_idx=0]: 
    "#);
}

/// Commands are shown to take 100 µs, so that the second of a stream overlaps the first.
#[test]
fn virtual_codecs() {
    let resource = |resource, queue| numbers([1, 2, 3, 4, queue, resource, 5, 99]);
    let rows = rows_of_events([
        (439, numbers([5, 0x101])),
        (439, numbers([5, 0x105])),
        (440, numbers([5, 7])),
        (441, resource(8, 0x100)),
        (442, resource(8, 0x100)),
    ]);
    assert_snapshot!(rows, @r#"
    10+100000 virtio_video_command "virtio_video stream #5 Requests" [virtio_stream_id=5 is_response=0 track_compressor_idx=0]: STREAM_CREATE
    20+100000 virtio_video_command "virtio_video stream #5 Requests" [virtio_stream_id=5 is_response=0 track_compressor_idx=1]: RESOURCE_QUEUE
    30+100000 virtio_video_command "virtio_video stream #5 Responses" [virtio_stream_id=5 is_response=1 track_compressor_idx=0]: Unknown
    40+10 virtio_video_queue_event "virtio_video stream #5 INPUT" [virtio_stream_id=5 virtio_queue_type=256 track_compressor_idx=0]: Resource #8 {stream_id=5 resource_id=8 queue_type=INPUT data_size0=1 data_size1=2 data_size2=3 data_size3=4 timestamp=99u}
    "#);
}

#[test]
fn video_buffers() {
    let buffer = |flags| {
        let message = Message::new().uint(1, 512).uint(2, 1).uint(3, flags).uint(4, 6).int(5, 0);
        let message = message.uint(6, 33).uint(7, 9).uint(8, 1).uint(9, 2).uint(10, 3);
        let message = message.uint(11, 4).uint(12, 2).uint(13, 5).uint(14, 6).uint(15, 7);
        message.uint(16, 8).int(17, 1234).uint(18, 9)
    };
    let trace = events([(422, buffer(0x2003)), (423, buffer(0))]);
    assert_snapshot!(rows(&trace), @r#"
    10+0 thread_execution "-" [utid=2]: Video 4 Linux 2/VIDIOC_QBUF minor=0 seq=33 type=9 index=6 {minor=0 index=6 type=VIDEO_CAPTURE_MPLANE bytesused=512 flags=MAPPED|QUEUED|TIMESTAMP_MASK|TIMESTAMP_MONOTONIC field=NONE timestamp=1234 timecode_type=25FPS timecode_flags=FLAG_DROPFRAME|USERBITS_field(10)|USERBITS_8BITCHARS timecode_frames=1 timecode_seconds=4 timecode_minutes=3 timecode_hours=2 timecode_userbits0=5 timecode_userbits1=6 timecode_userbits2=7 timecode_userbits3=8 sequence=33}
    20+0 thread_execution "-" [utid=2]: Video 4 Linux 2/VIDIOC_DQBUF minor=0 seq=33 type=9 index=6 {minor=0 index=6 type=VIDEO_CAPTURE_MPLANE bytesused=512 flags=TIMESTAMP_UNKNOWN|TSTAMP_SRC_EOF field=NONE timestamp=1234 timecode_type=25FPS timecode_flags=FLAG_DROPFRAME|USERBITS_field(10)|USERBITS_8BITCHARS timecode_frames=1 timecode_seconds=4 timecode_minutes=3 timecode_hours=2 timecode_userbits0=5 timecode_userbits1=6 timecode_userbits2=7 timecode_userbits3=8 sequence=33}
    "#);
    assert_eq!(trace.cell("SELECT count(*) FROM flow"), "1");
}

#[test]
fn video_buffers_within_the_kernel() {
    let buffer = || Message::new().uint(1, 0).uint(2, 4).int(3, 1).uint(4, 7).int(15, 55);
    let trace = events((424..=427).map(|field| (field, buffer())));
    assert_snapshot!(trace.rows("SELECT ts, category, name FROM slice ORDER BY ts"), @r"
    ts  category         name
    10  Video 4 Linux 2  vb2_v4l2_buf_queue minor=1 seq=7 type=0 index=0
    20  Video 4 Linux 2  vb2_v4l2_buf_done minor=1 seq=7 type=0 index=0
    30  Video 4 Linux 2  vb2_v4l2_qbuf minor=1 seq=7 type=0 index=0
    40  Video 4 Linux 2  vb2_v4l2_qbuf minor=1 seq=7 type=0 index=0
    ");
    let args = "SELECT key, display_value FROM slice JOIN args USING (arg_set_id) WHERE ts = 10 \
        AND display_value != '0' ORDER BY args.id";
    assert_snapshot!(trace.rows(args), @r"
    key             display_value
    minor           1
    flags           DONE
    field           ANY
    timestamp       55
    timecode_flags  USERBITS_USERDEFINED
    sequence        7
    ");
}

/// A marker's parts, in the fields of a driver: its process, its name, its letter and its value.
fn marker(field: u32, fields: [u32; 4], letter: char, name: &str) -> (u32, Message) {
    let [pid, text, kind, value] = fields;
    let message = Message::new().int(pid, 100).bytes(text, name);
    (field, message.uint(kind, u64::from(letter)).int(value, 7))
}

/// Every driver that writes letters numbers its fields in its own way.
#[test]
fn markers_of_drivers() {
    let drivers = [
        (333, [1, 2, 3, 4]),
        (349, [1, 4, 5, 6]),
        (350, [2, 1, 3, 4]),
        (467, [3, 4, 2, 5]),
        (484, [1, 2, 4, 5]),
        (490, [1, 4, 5, 6]),
        (348, [1, 4, 5, 6]),
    ];
    for (field, fields) in drivers {
        let mark = |letter, name| marker(field, fields, letter, name);
        let trace = events([mark('B', "work"), mark('C', "load"), mark('I', "now"), mark('E', "")]);
        let slices = "SELECT ts, dur, s.name, utid FROM slice s JOIN thread_track t \
            ON s.track_id = t.id ORDER BY ts";
        assert_eq!(
            trace.cells(slices),
            [["10", "30", "work", "2"], ["30", "0", "now", "2"]],
            "slices of field {field}"
        );
        let counters = "SELECT ts, t.name, value, p.pid FROM counter c \
            JOIN process_counter_track t ON c.track_id = t.id JOIN process p USING (upid)";
        assert_eq!(
            trace.cells(counters),
            [["20", "load", "7.0", "100"]],
            "counters of field {field}"
        );
    }
}

/// Older drivers say only whether something begins.
#[test]
fn markers_without_letters() {
    let mark = |begin, name: &str| Message::new().int(1, 100).bytes(2, name).uint(3, begin);
    let sde = |begin, name: &str| Message::new().int(1, 100).bytes(2, name).uint(5, begin);
    let trace = events([
        (80, mark(1, "outer")),
        (333, sde(1, "inner")),
        (333, sde(0, "")),
        (80, mark(0, "")),
    ]);
    assert_snapshot!(trace.rows("SELECT ts, dur, name FROM slice ORDER BY ts"), @r"
    ts  dur  name
    10  30   outer
    20  10   inner
    ");
}

#[test]
fn markers_with_bits() {
    let mark = |bits| numbers([bits]).bytes(2, "work").int(3, 100).int(4, 9);
    let trace = events([(331, mark(1)), (331, mark(4)), (331, mark(2))]);
    assert_snapshot!(trace.rows("SELECT ts, dur, name FROM slice"), @r"
    ts  dur  name
    10  20   work
    ");
    assert_snapshot!(trace.rows("SELECT ts, value FROM counter"), @r"
    ts  value
    20  9.0
    ");
}

/// The stranger is not taken for a thread of the process that the display's driver names.
#[test]
fn markers_of_displays_name_other_processes() {
    let (field, begin) = marker(348, [1, 4, 5, 6], 'B', "frame");
    let trace = kernel([FtraceEvent::other(10, STRANGER, field, begin)]);
    let sql = "SELECT upid FROM thread WHERE tid = 555";
    assert_eq!(trace.cell(sql), "NULL");
}

#[test]
fn markers_gone_wrong() {
    let trace = kernel([
        FtraceEvent::other(10, THREAD, 80, Message::new().bytes(2, "a")),
        FtraceEvent::other(20, THREAD, 333, Message::new().bytes(2, "a")),
        FtraceEvent::other(30, THREAD, 484, Message::new().bytes(2, "a")),
        FtraceEvent::other(40, THREAD, 331, Message::new().int(1, 8)),
        FtraceEvent::other(50, THREAD, 348, Message::new().uint(5, u64::from('Z'))),
    ]);
    assert_snapshot!(trace.rows(STATS), @r"
    name                    machine  file  value
    systrace_parse_failure  0        0     5
    ");
}
