//! Video devices.

use insta::assert_snapshot;
use tpq_testkit::{FtraceEvent, Message};

use super::{DIMENSIONS, FLOWS, SLICE_ARGS, SLICES, kernel};

fn event(at: u64, field: u32, payload: Message) -> FtraceEvent {
    FtraceEvent::other(at, 101, field, payload)
}

/// A buffer that a program queues or gets back, with the fields numbered by hand.
fn by_driver() -> Message {
    Message::new()
        .uint(1, 4096) // bytes used
        .uint(2, 1) // order of lines
        .uint(3, 0x2001) // flags
        .uint(4, 2) // index
        .int(5, 7) // minor
        .uint(6, 99) // sequence
        .uint(7, 0x9) // flags of the timecode
        .uint(8, 20) // frames
        .uint(9, 21) // hours
        .uint(10, 22) // minutes
        .uint(11, 23) // seconds
        .uint(12, 3) // type of the timecode
        .uint(13, 30)
        .uint(14, 31)
        .uint(15, 32)
        .uint(16, 33)
        .int(17, 1234) // timestamp
        .uint(18, 9) // type
}

#[test]
fn buffers_of_a_driver() {
    let imported = kernel([event(10, 422, by_driver()), event(20, 423, by_driver())]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name                                        category
    10  0    thread_execution  NULL   VIDIOC_QBUF minor=7 seq=99 type=9 index=2   Video 4 Linux 2
    20  0    thread_execution  NULL   VIDIOC_DQBUF minor=7 seq=99 type=9 index=2  Video 4 Linux 2
    ");
    assert_snapshot!(imported.rows(FLOWS), @r"
    from  to  trace_id
    10    20  NULL
    ");
    let args = "SELECT key, value_type AS type, int_value AS int, string_value AS string \
        FROM args WHERE arg_set_id = (SELECT max(arg_set_id) FROM slice) ORDER BY id";
    assert_snapshot!(imported.rows(args), @r"
    key                 type    int   string
    minor               int     7     NULL
    index               int     2     NULL
    type                string  NULL  VIDEO_CAPTURE_MPLANE
    bytesused           int     4096  NULL
    flags               string  NULL  MAPPED|TIMESTAMP_MASK|TIMESTAMP_MONOTONIC
    field               string  NULL  NONE
    timestamp           int     1234  NULL
    timecode_type       string  NULL  30FPS
    timecode_flags      string  NULL  FLAG_DROPFRAME|USERBITS_field(10)|USERBITS_8BITCHARS
    timecode_frames     int     20    NULL
    timecode_seconds    int     23    NULL
    timecode_minutes    int     22    NULL
    timecode_hours      int     21    NULL
    timecode_userbits0  int     30    NULL
    timecode_userbits1  int     31    NULL
    timecode_userbits2  int     32    NULL
    timecode_userbits3  int     33    NULL
    sequence            int     99    NULL
    ");
}

#[test]
fn buffers_of_the_core() {
    let by_core = || {
        Message::new()
            .uint(1, 4) // order of lines
            .uint(2, 0) // flags
            .int(3, 8) // minor
            .uint(4, 5) // sequence
            .uint(5, 0) // flags of the timecode
            .uint(6, 20) // frames
            .uint(10, 9) // type of the timecode: none there is
            .int(15, 77) // timestamp
    };
    let imported =
        kernel((424..=427).zip((10..).step_by(10)).map(|(field, at)| event(at, field, by_core())));
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name                                             category
    10  0    thread_execution  NULL   vb2_v4l2_buf_queue minor=8 seq=5 type=0 index=0  Video 4 Linux 2
    20  0    thread_execution  NULL   vb2_v4l2_buf_done minor=8 seq=5 type=0 index=0   Video 4 Linux 2
    30  0    thread_execution  NULL   vb2_v4l2_qbuf minor=8 seq=5 type=0 index=0       Video 4 Linux 2
    40  0    thread_execution  NULL   vb2_v4l2_qbuf minor=8 seq=5 type=0 index=0       Video 4 Linux 2
    ");
    let args = "SELECT DISTINCT key, value_type AS type, int_value AS int, string_value AS string \
        FROM args WHERE key IN ('minor', 'flags', 'field', 'timestamp', 'timecode_type', \
        'timecode_flags', 'timecode_frames', 'sequence', 'type', 'index') ORDER BY key";
    assert_snapshot!(imported.rows(args), @r"
    key              type    int   string
    field            string  NULL  INTERLACED
    flags            string  NULL  TIMESTAMP_UNKNOWN|TSTAMP_SRC_EOF
    minor            int     8     NULL
    sequence         int     5     NULL
    timecode_flags   string  NULL  USERBITS_USERDEFINED
    timecode_frames  int     20    NULL
    timecode_type    string  NULL  NULL
    timestamp        int     77    NULL
    ");
}

/// Commands are shown for 100 µs: those that overlap lie on different tracks, and so do requests
/// and responses.
#[test]
fn commands_of_a_guest() {
    let command = |at, field, number| event(at, field, Message::new().uint(1, 4).uint(2, number));
    let imported = kernel([
        command(10, 439, 0x101),
        command(20, 439, 0x105),
        command(30, 440, 0x999),
        command(200_000, 439, 0x10e),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts      dur     type                  track                             name            category
    10      100000  virtio_video_command  virtio_video stream #4 Requests   STREAM_CREATE   NULL
    20      100000  virtio_video_command  virtio_video stream #4 Requests   RESOURCE_QUEUE  NULL
    30      100000  virtio_video_command  virtio_video stream #4 Responses  Unknown         NULL
    200000  100000  virtio_video_command  virtio_video stream #4 Requests   SET_PARAMS_EXT  NULL
    ");
    let dimensions = "SELECT name, key, int_value FROM track \
        JOIN args ON dimension_arg_set_id = arg_set_id WHERE type LIKE 'virtio%' \
        ORDER BY track.id, args.id";
    assert_snapshot!(imported.rows(dimensions), @r"
    name                              key                   int_value
    virtio_video stream #4 Requests   virtio_stream_id      4
    virtio_video stream #4 Requests   is_response           0
    virtio_video stream #4 Requests   track_compressor_idx  0
    virtio_video stream #4 Requests   virtio_stream_id      4
    virtio_video stream #4 Requests   is_response           0
    virtio_video stream #4 Requests   track_compressor_idx  1
    virtio_video stream #4 Responses  virtio_stream_id      4
    virtio_video stream #4 Responses  is_response           1
    virtio_video stream #4 Responses  track_compressor_idx  0
    ");
}

#[test]
fn buffers_of_a_guest() {
    let resource = || {
        let sizes =
            (1..=4).fold(Message::new(), |all, field| all.uint(field, u64::from(field) * 10));
        sizes.uint(5, 0x101).int(6, 3).int(7, 4).uint(8, 55)
    };
    let imported = kernel([event(10, 441, resource()), event(30, 442, resource())]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type                      track                          name         category
    10  20   virtio_video_queue_event  virtio_video stream #4 OUTPUT  Resource #3  NULL
    ");
    assert_snapshot!(imported.rows(SLICE_ARGS), @r"
    ts  name         flat_key     key          type    int   string
    10  Resource #3  stream_id    stream_id    int     4     NULL
    10  Resource #3  resource_id  resource_id  int     3     NULL
    10  Resource #3  queue_type   queue_type   string  NULL  OUTPUT
    10  Resource #3  data_size0   data_size0   int     10    NULL
    10  Resource #3  data_size1   data_size1   int     20    NULL
    10  Resource #3  data_size2   data_size2   int     30    NULL
    10  Resource #3  data_size3   data_size3   int     40    NULL
    10  Resource #3  timestamp    timestamp    uint    55    NULL
    ");
    assert_snapshot!(imported.rows(DIMENSIONS), @r"
    type                      name                           key                   value_type  int_value  string_value
    virtio_video_queue_event  virtio_video stream #4 OUTPUT  virtio_stream_id      int         4          NULL
    virtio_video_queue_event  virtio_video stream #4 OUTPUT  virtio_queue_type     int         257        NULL
    virtio_video_queue_event  virtio_video stream #4 OUTPUT  track_compressor_idx  int         0          NULL
    ");
}
