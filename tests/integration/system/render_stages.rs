//! Work of GPUs: stages on the queues of the hardware, and what led to them.

use tpq_testkit::{Message, NEEDS_STATE, Packet, STATE_CLEARED, TrackDescriptor};

use super::{DIMENSIONS, FLOWS, SLICE_ARGS, SLICES, packets};
use crate::imported::STATS;

/// A description under a number of its own: a queue, a stage or a context.
fn spec(iid: u64, name: &str, description: &str) -> Message {
    Message::new().uint(1, iid).bytes(2, name).bytes(3, description)
}

fn interned(data: Message) -> Packet {
    Packet::new().sequence(1).flags(STATE_CLEARED).payload(12, data)
}

fn stage(at: u64, event: Message) -> Packet {
    Packet::new().sequence(1).flags(NEEDS_STATE).timestamp(at).payload(53, event)
}

/// An event of an id and a duration.
fn event(id: u64, dur: u64) -> Message {
    Message::new().uint(1, id).uint(2, dur)
}

/// A queue with the id 1, a stage with the id 2, and a context of process 77 with the id 5.
fn usual() -> Message {
    let context = Message::new().uint(1, 5).uint(2, 77).uint(3, 2);
    Message::new()
        .message(24, spec(1, "Graphics", "Draws"))
        .message(24, spec(2, "Fragment", "Shades pixels").uint(4, 1))
        .message(23, context)
}

#[test]
fn a_stage_of_interned_specifications() {
    let work = event(10, 50)
        .uint(13, 1)
        .uint(14, 2)
        .uint(5, 5)
        .uint(8, 0xa0)
        .uint(9, 0xb0)
        .uint(12, 0xc0)
        .uint(10, 3)
        .uint(11, 4)
        .packed(15, [0b101, 1])
        .uint(16, 9);
    let trace = packets([interned(usual()), stage(100, work)]);
    assert_eq!(
        trace.rows(SLICES),
        "\
ts   dur  type              track     name      category
100  50   gpu_render_stage  Graphics  Fragment  NULL
"
    );
    assert_eq!(
        trace.rows(DIMENSIONS),
        "\
type              name      key                   value_type  int_value  string_value
gpu_render_stage  Graphics  ugpu                  int         0          NULL
gpu_render_stage  Graphics  gpu                   int         4          NULL
gpu_render_stage  Graphics  render_stage_source   string      NULL       iid
gpu_render_stage  Graphics  hwqueue_id            int         1          NULL
gpu_render_stage  Graphics  hwqueue_name          string      NULL       Graphics
gpu_render_stage  Graphics  track_compressor_idx  int         0          NULL
"
    );
    let args = "SELECT key, value_type AS type, int_value AS int, string_value AS string \
        FROM slice JOIN args USING (arg_set_id) WHERE key != 'upid' ORDER BY args.id";
    assert_eq!(
        trace.rows(args),
        "\
key                    type    int   string
render_stage_category  int     1     NULL
description            string  NULL  Shades pixels
correlation_id         string  NULL  rp:#9
context_id             uint    5     NULL
render_target          uint    160   NULL
render_target_name     string  NULL  NULL
render_pass            uint    176   NULL
render_pass_name       string  NULL  NULL
render_subpasses       string  NULL  0,2,64
command_buffer         uint    192   NULL
command_buffer_name    string  NULL  NULL
submission_id          int     3     NULL
hw_queue_id            uint    1     NULL
"
    );
    let slices = "SELECT s.name, context_id, render_target AS target, render_pass AS pass, \
        command_buffer AS buffer, frame_id, submission_id AS submission, hw_queue_id AS queue, \
        pid, render_subpasses AS subpasses, render_stage_category AS category \
        FROM gpu_slice s JOIN process USING (upid)";
    assert_eq!(
        trace.rows(slices),
        "\
name      context_id  target  pass  buffer  frame_id  submission  queue  pid  subpasses  category
Fragment  5           160     176   192     NULL      3           1      77   0,2,64     1
"
    );
    assert_eq!(
        trace.rows("SELECT name, type, scope, description, context_id FROM gpu_track"),
        "\
name      type              scope             description  context_id
Graphics  gpu_render_stage  gpu_render_stage  Draws        NULL
"
    );
    assert_eq!(
        trace.rows("SELECT * FROM gpu_context"),
        "\
id  context_id  pid  api
0   5           77   VULKAN
"
    );
}

#[test]
fn stages_of_a_queue_that_overlap_lie_on_tracks_of_their_own() {
    let work = |at, dur| stage(at, event(at, dur).uint(13, 1).uint(14, 2));
    let trace = packets([interned(usual()), work(100, 50), work(120, 50), work(150, 10)]);
    let tracks = "SELECT ts, dur, t.name, int_value AS idx FROM slice s \
        JOIN track t ON s.track_id = t.id JOIN args ON dimension_arg_set_id = args.arg_set_id \
        WHERE key = 'track_compressor_idx' ORDER BY ts";
    assert_eq!(
        trace.rows(tracks),
        "\
ts   dur  name      idx
100  50   Graphics  0
120  50   Graphics  1
150  10   Graphics  0
"
    );
}

#[test]
fn queues_and_stages_that_an_event_specifies() {
    let described = |name: &str| Message::new().bytes(1, name).bytes(2, format!("{name} work"));
    let specifications = Message::new()
        .message(1, Message::new().uint(1, 8).uint(2, 42))
        .message(2, described("vertex"))
        .message(2, Message::new().bytes(2, "of no name"))
        .message(2, described("fragment"))
        .message(3, described("bin"))
        .message(3, described("draw"));
    let work = |id, queue, stage| event(id, 5).uint(3, queue).uint(4, stage);
    let trace = packets([
        interned(Message::new()),
        // Queue 2 is not known yet, nor is the stage.
        stage(10, work(1, 2, 1)),
        stage(20, work(2, 0, 0).message(7, specifications)),
        stage(30, work(3, 2, 1)),
        stage(40, work(4, 1, 7)),
        stage(50, event(5, 5)),
    ]);
    let slices = "SELECT ts, t.name AS track, description, s.name, submission_id, hw_queue_id, \
        pid FROM gpu_slice s JOIN gpu_track t ON track_id = t.id JOIN process USING (upid) \
        ORDER BY ts";
    assert_eq!(
        trace.rows(slices),
        "\
ts  track                description    name             submission_id  hw_queue_id  pid
10  fragment             fragment work  render stage(1)  0              2            0
20  vertex               vertex work    bin              0              0            42
30  fragment             fragment work  draw             0              2            0
40  Unknown GPU Queue 1  NULL           render stage(7)  0              1            0
50  vertex               vertex work    bin              0              0            0
"
    );
    let descriptions = "SELECT ts, string_value FROM slice JOIN args USING (arg_set_id) \
        WHERE key = 'description' ORDER BY ts";
    assert_eq!(
        trace.rows(descriptions),
        "\
ts  string_value
20  bin work
30  draw work
"
    );
    // The track that was made before queue 2 was known, and the one after, differ.
    let names = "SELECT t.name, string_value FROM track t \
        JOIN args ON dimension_arg_set_id = arg_set_id WHERE key = 'hwqueue_name' ORDER BY t.id";
    assert_eq!(
        trace.rows(names),
        "\
name                 string_value
fragment             NULL
vertex               vertex
fragment             fragment
Unknown GPU Queue 1  NULL
"
    );
}

/// Stages with names are numbered in the order of the whole trace. Of a queue that is specified
/// late, the first track is named, once.
#[test]
fn specifications_of_several_events() {
    let named = |name: &str| Message::new().bytes(1, name);
    let stages = |names: &[&str]| {
        let unnamed = Message::new().message(3, Message::new());
        names.iter().fold(unnamed, |all, name| all.message(3, named(name)))
    };
    let queue = |name: &str| Message::new().message(2, named(name));
    let work = |id, dur, stage| event(id, dur).uint(3, 0).uint(4, stage);
    let trace = packets([
        interned(Message::new()),
        stage(10, work(1, 20, 0).message(7, stages(&["A"]))),
        stage(20, work(2, 20, 1).message(7, stages(&["B"]))),
        stage(50, event(3, 5).uint(3, 0).message(7, queue("first"))),
        stage(60, event(4, 5).uint(3, 0).message(7, queue("second"))),
    ]);
    let slices = "SELECT ts, t.name AS track, s.name FROM gpu_slice s \
        JOIN gpu_track t ON track_id = t.id ORDER BY ts";
    assert_eq!(
        trace.rows(slices),
        "\
ts  track                name
10  first                A
20  Unknown GPU Queue 0  B
50  first                A
60  second               A
"
    );
}

#[test]
fn the_name_of_an_event_precedes_that_of_its_stage() {
    let data = usual().message(2, Message::new().uint(1, 7).bytes(2, "interned name"));
    let work = |at| event(at, 1).uint(13, 1).uint(14, 2);
    let trace = packets([
        interned(data),
        stage(10, work(10).bytes(17, "own name")),
        stage(20, work(20).uint(20, 7)),
        stage(30, work(30)),
        stage(40, event(40, 1).uint(13, 1).uint(14, 99)),
        stage(50, event(50, 1).uint(13, 98)),
        stage(60, work(60).uint(5, 97)),
    ]);
    assert_eq!(
        trace.rows("SELECT ts, name FROM gpu_slice ORDER BY ts"),
        "\
ts  name
10  own name
20  interned name
30  Fragment
40  NULL
60  Fragment
"
    );
    // The stage 99, which is looked up for the name and for the args, the queue 98, and the
    // context 97. Without its queue, an event has no track.
    assert_eq!(
        trace.rows(STATS),
        "\
name                            machine  file  value
gpu_render_stage_parser_errors  0        0     1
interned_data_tokenizer_errors  0        0     4
"
    );
}

#[test]
fn kernels_and_their_launches() {
    let named = |name: &str| Message::new().bytes(2, name);
    let kernel = Message::new()
        .uint(1, 3)
        .bytes(2, "_Z3addPf")
        .bytes(3, "add(float*)")
        .bytes(4, "sm_90")
        .message(5, Message::new().uint(1, 6).uint(4, 128));
    let data = usual()
        .message(1000, kernel)
        .message(1001, Message::new().uint(1, 6).bytes(2, "registers"))
        .message(29, Message::new().uint(1, 4).bytes(2, "interned value"));
    let size = |x, y| Message::new().uint(1, x).uint(2, y);
    let launch = Message::new()
        .message(1, size(256, 2).uint(3, 1))
        .message(2, size(32, 1))
        .message(3, named("signed").int(3, -5))
        .message(3, named("ratio").double(5, 0.5))
        .message(3, named("text").bytes(6, "own value"))
        .message(3, named("shared").uint(7, 4))
        .message(3, named("nothing"))
        .message(3, Message::new().uint(3, 1));
    let extra = |name: &str| Message::new().bytes(1, name);
    let work = event(1, 5)
        .uint(13, 1)
        .uint(19, 3)
        .message(21, launch)
        .message(6, extra("vendor").bytes(2, "x"))
        .message(6, extra("empty"))
        .message(6, extra("ratio").bytes(2, "later"));
    let trace = packets([interned(data), stage(10, work)]);
    let args = "SELECT key, value_type AS type, int_value AS int, real_value AS real, \
        string_value AS string FROM slice JOIN args USING (arg_set_id) \
        WHERE args.id < (SELECT id FROM args WHERE key = 'context_id') ORDER BY args.id";
    assert_eq!(
        trace.rows(args),
        "\
key                      type    int   real  string
kernel_name              string  NULL  NULL  _Z3addPf
kernel_demangled_name    string  NULL  NULL  add(float*)
arch                     string  NULL  NULL  sm_90
registers                uint    128   NULL  NULL
launch.grid_size.x       uint    256   NULL  NULL
launch.grid_size.y       uint    2     NULL  NULL
launch.grid_size.z       uint    1     NULL  NULL
launch.workgroup_size.x  uint    32    NULL  NULL
launch.workgroup_size.y  uint    1     NULL  NULL
signed                   int     -5    NULL  NULL
ratio                    string  NULL  NULL  later
text                     string  NULL  NULL  own value
shared                   string  NULL  NULL  interned value
vendor                   string  NULL  NULL  x
empty                    string  NULL  NULL  NULL
"
    );
}

#[test]
fn arrows_lead_from_submissions_to_stages_and_on_to_what_waits() {
    const INSTANT: u64 = 3;
    let correlated = |field, id| Message::new().uint(field, id);
    let program = |at, correlation| {
        let event = Message::new().uint(9, INSTANT).uint(11, 4).bytes(23, "call");
        let event = event.message(3000, correlation);
        Packet::new().sequence(2).timestamp(at).payload(11, event)
    };
    let work = |at, id| stage(at, event(id, 5).uint(13, 1));
    let trace = packets([
        interned(usual()),
        Packet::new().sequence(2).track_descriptor(TrackDescriptor::new(4).name("api")),
        program(10, correlated(1, 71)),
        work(20, 71),
        stage(30, event(72, 5).uint(13, 1).uint(18, 71)),
        program(40, correlated(2, 72)),
        // The event that this one waits for comes later, and so does its own submission.
        stage(50, event(73, 5).uint(13, 1).uint(18, 74)),
        work(60, 74),
        program(70, correlated(1, 73)),
    ]);
    assert_eq!(
        trace.rows(FLOWS),
        "\
from  to  trace_id
10    20  NULL
20    30  NULL
30    40  NULL
60    50  NULL
70    50  NULL
"
    );
    let args = "SELECT ts, key, int_value FROM slice JOIN args USING (arg_set_id) \
        WHERE flat_key LIKE 'gpu_correlation%' ORDER BY ts";
    assert_eq!(
        trace.rows(args),
        "\
ts  key                                                   int_value
10  gpu_correlation.render_stage_submission_event_ids[0]  71
40  gpu_correlation.render_stage_wait_event_ids[0]        72
70  gpu_correlation.render_stage_submission_event_ids[0]  73
"
    );
}

#[test]
fn an_event_id_stands_for_a_bounded_number_of_slices() {
    let work = (0..20).map(|at| stage(10 + 10 * at, event(7, 5).uint(13, 1)));
    let trace = packets([interned(usual())].into_iter().chain(work));
    assert_eq!(trace.cell("SELECT count(*) FROM gpu_slice"), "20");
    assert_eq!(
        trace.rows(STATS),
        "\
name                            machine  file  value
gpu_render_stage_parser_errors  0        0     4
"
    );
}

#[test]
fn messages_of_the_driver() {
    let log = |at, severity, message: &str| {
        let log = Message::new().int(1, severity).bytes(2, "driver").bytes(3, message);
        Packet::new().sequence(1).timestamp(at).payload(63, log)
    };
    let bare = Packet::new().sequence(1).timestamp(30).payload(63, Message::new());
    let trace = packets([log(10, 4, "slow"), log(20, -1, "odd"), bare]);
    assert_eq!(
        trace.rows(SLICES),
        "\
ts  dur  type     track    name              category
10  0    gpu_log  GPU Log  WARNING           NULL
20  0    gpu_log  GPU Log  UNKNOWN_SEVERITY  NULL
30  0    gpu_log  GPU Log  UNSPECIFIED       NULL
"
    );
    assert_eq!(
        trace.rows(SLICE_ARGS),
        "\
ts  name              flat_key  key      type    int   string
10  WARNING           tag       tag      string  NULL  driver
10  WARNING           message   message  string  NULL  slow
20  UNKNOWN_SEVERITY  tag       tag      string  NULL  driver
20  UNKNOWN_SEVERITY  message   message  string  NULL  odd
"
    );
}
