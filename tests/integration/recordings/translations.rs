//! Packets that say what hashes, addresses and names of others mean.

use tpq_testkit::{Message, Packet, TrackDescriptor, TrackEvent};

use super::of_recorder;
use crate::imported::{Imported, TRACK, WRITER, instant, recording};

const TRANSLATION_TABLE: u32 = 82;
const DEOBFUSCATION_MAPPING: u32 = 64;
const ANDROID_VIEW_DUMP: u32 = 1022;

const ARGS: &str = "SELECT slice.name, key, args.display_value AS value FROM slice \
    JOIN args USING (arg_set_id) ORDER BY slice.ts, args.id";

/// An event with a field of its own.
fn event(at: u64, name: &str, field: u32, value: Message) -> Packet {
    let event = Message::from(TrackEvent::instant(TRACK).name(name)).message(field, value);
    Packet::new().sequence(WRITER).timestamp(at).track_event(event.into())
}

/// An entry of a table.
fn entry(key: u64, value: &str) -> Message {
    Message::new().uint(1, key).bytes(2, value)
}

fn table(field: u32, table: Message) -> Packet {
    of_recorder(TRANSLATION_TABLE, Message::new().message(field, table))
}

/// The tables come after what they translate. One of the hashes has no name, and one a name that
/// the event gives.
#[test]
fn names_of_hashes() {
    let sample = |hash: u64| Message::new().uint(1, hash);
    let trace = recording().packets([
        event(10, "histogram", 28, sample(7)),
        event(11, "unknown histogram", 28, sample(8)),
        event(12, "named histogram", 28, sample(7).bytes(2, "Own")),
        event(13, "action", 25, Message::new().uint(2, 7)),
        table(1, Message::new().message(1, entry(7, "Memory.Used"))),
        table(2, Message::new().message(1, entry(7, "Back"))),
    ]);
    insta::assert_snapshot!(Imported::trace(trace).rows(ARGS), @r"
    name               key                                value
    histogram          chrome_histogram_sample.name_hash  7
    histogram          chrome_histogram_sample.name       Memory.Used
    unknown histogram  chrome_histogram_sample.name_hash  8
    named histogram    chrome_histogram_sample.name_hash  7
    named histogram    chrome_histogram_sample.name       Own
    action             chrome_user_event.action_hash      7
    action             chrome_user_event.action           Back
    ");
}

/// Slices and tracks of processes go by the names that tables give them, whichever comes first.
#[test]
fn names_of_slices_and_of_tracks_of_processes() {
    let name = |raw: &str, name: &str| Message::new().bytes(1, raw).bytes(2, name);
    let process = TrackDescriptor::new(20).process(100, "app");
    let own = TrackDescriptor::new(21).parent(20).name("a.b");
    let on =
        |at, event: TrackEvent| Packet::new().sequence(WRITER).timestamp(at).track_event(event);
    let trace = recording()
        .packets([process, own].map(|it| Packet::new().sequence(WRITER).track_descriptor(it)))
        .packet(on(10, TrackEvent::begin(TRACK).name("x.y")))
        .packet(on(12, TrackEvent::instant(21).name("z")))
        .packet(on(15, TrackEvent::end(TRACK)))
        .packet(table(4, Message::new().message(1, name("x.y", "Main.run"))))
        .packet(table(5, Message::new().message(1, name("a.b", "Lifecycle"))))
        .packet(instant(20, "a.b"));
    let slices = "SELECT ts, dur, slice.name, process_track.name AS track FROM slice \
        LEFT JOIN process_track ON slice.track_id = process_track.id ORDER BY ts";
    insta::assert_snapshot!(Imported::trace(trace).rows(slices), @r"
    ts  dur  name      track
    10  5    Main.run  NULL
    12  0    z         Lifecycle
    20  0    a.b       NULL
    ");
}

/// A mark of performance has two hashes, each with a table of its own.
#[test]
fn names_of_performance_marks() {
    let mark = Message::new().uint(1, 7).uint(3, 8).uint(5, 1);
    let names = Message::new().message(1, entry(7, "Site")).message(2, entry(8, "Mark"));
    let trace = recording().packets([event(10, "mark", 1011, mark), table(3, names)]);
    insta::assert_snapshot!(Imported::trace(trace).rows(ARGS), @r"
    name  key                                                  value
    mark  chrome_hashed_performance_mark.site_hash             7
    mark  chrome_hashed_performance_mark.mark_hash             8
    mark  chrome_hashed_performance_mark.execution_context_id  1
    mark  chrome_hashed_performance_mark.site                  Site
    mark  chrome_hashed_performance_mark.mark                  Mark
    ");
}

/// The trigger of a recording has the hash of a name.
#[test]
fn names_of_triggers() {
    let trigger = of_recorder(109, Message::new().fixed32(2, 99)).timestamp(10);
    let trace = recording()
        .packet(trigger)
        .packet(table(6, Message::new().message(1, entry(99, "SlowStart"))));
    insta::assert_snapshot!(Imported::trace(trace).rows(ARGS), @r"
    name            key                       value
    chrome_trigger  chrome_trigger.name_hash  99
    chrome_trigger  chrome_trigger.name       SlowStart
    ");
}

/// Classes of views go by their names before obfuscation, as far as a mapping has them.
#[test]
fn names_of_classes_of_views() {
    let view = |id, class: &str| Message::new().int(1, id).bytes(5, class);
    let activity = Message::new().bytes(1, "Main");
    let activity = activity.message(2, view(1, "a.b")).message(2, view(2, "a.c"));
    let dump = Message::new().message(1, activity);
    let class = Message::new().bytes(1, "a.b").bytes(2, "com.app.Title");
    let mapping = Message::new().bytes(1, "com.app").message(3, class);
    let trace = recording().packets([
        event(10, "dump", ANDROID_VIEW_DUMP, dump),
        of_recorder(DEOBFUSCATION_MAPPING, mapping),
    ]);
    insta::assert_snapshot!(Imported::trace(trace).rows(ARGS), @r"
    name  key                                               value
    dump  android_view_dump.activity[0].name                Main
    dump  android_view_dump.activity[0].view[0].id          1
    dump  android_view_dump.activity[0].view[0].class_name  com.app.Title
    dump  android_view_dump.activity[0].view[1].id          2
    dump  android_view_dump.activity[0].view[1].class_name  a.c
    ");
}
