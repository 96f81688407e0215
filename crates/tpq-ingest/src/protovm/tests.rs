use tpq_testkit::{Message, Packet};

use super::*;

fn message() -> Message {
    Message::new()
}

fn field(id: u64) -> Message {
    message().uint(1, id)
}

const SOURCE: u64 = 1;
const DESTINATION: u64 = 2;

/// A select instruction.
fn select(cursor: u64, path: &[Message], creates: bool, nested: &[Message]) -> Message {
    let select =
        path.iter().fold(message().uint(1, cursor), |all, part| all.message(2, part.clone()));
    let select = message().message(1, select.bool(3, creates));
    nested.iter().fold(select, |all, instruction| all.message(7, instruction.clone()))
}

fn load(register: u64, nested: &[Message]) -> Message {
    let load = message().message(2, message().uint(1, SOURCE).uint(2, register));
    nested.iter().fold(load, |all, instruction| all.message(7, instruction.clone()))
}

fn merge() -> Message {
    message().message(3, message())
}

fn set() -> Message {
    message().message(4, message())
}

fn delete() -> Message {
    message().message(5, message())
}

fn program(instructions: &[Message]) -> Message {
    instructions.iter().fold(message().uint(1, 1), |all, it| all.message(2, it.clone()))
}

/// Fields by key: field 1 of the state has values with keys in their field 1.
fn by_key(register: u64) -> [Message; 2] {
    [field(1), message().uint(3, 1).uint(6, register)]
}

fn value(key: u64, text: &str) -> Message {
    message().uint(1, key).bytes(2, text)
}

fn run(
    instructions: &[Message],
    state: &Message,
    patches: &[Message],
) -> Vec<Result<Message, Stop>> {
    let program = Program::read(program(instructions).as_bytes()).unwrap();
    let mut machine = Machine::new(program, state.as_bytes(), 0);
    let mut work = Work { left: Work::FREE };
    let apply =
        |patch: &Message| machine.apply(patch.as_bytes(), &mut work).map(Message::from_bytes);
    patches.iter().map(apply).collect()
}

#[test]
fn a_field_is_set() {
    let copy =
        select(SOURCE, &[field(8)], false, &[select(DESTINATION, &[field(8)], true, &[set()])]);
    let state = message().uint(7, 1);
    let patches = [message().uint(8, 5), message().uint(9, 1), message().uint(8, 6)];
    let states = run(&[copy], &state, &patches);
    let with = |number| Ok(message().uint(7, 1).uint(8, number));
    // The second has no such field, so that the program ends there.
    assert_eq!(states, [with(5), Err(Stop::Error), with(6)]);
}

/// Values are found by their keys, merged or added; then some are removed.
#[test]
fn values_are_merged_by_key() {
    let merging = select(
        SOURCE,
        &[field(1).bool(5, true)],
        false,
        &[
            select(SOURCE, &[field(1)], false, &[load(3, &[])]),
            select(DESTINATION, &by_key(3), true, &[merge()]),
        ],
    );
    let removing = select(
        SOURCE,
        &[field(5).bool(5, true)],
        false,
        &[load(4, &[select(DESTINATION, &by_key(4), false, &[delete()])])],
    );
    let state = message().message(1, value(1, "a").uint(3, 9)).message(1, value(2, "b"));
    let patches = [
        message().message(1, value(2, "B")).message(1, value(3, "c")),
        message().uint(5, 2).uint(5, 77).uint(5, 1),
    ];
    let states = run(&[merging, removing], &state, &patches);
    let first = message()
        .message(1, value(1, "a").uint(3, 9))
        .message(1, value(2, "B"))
        .message(1, value(3, "c"));
    assert_eq!(states, [Ok(first), Ok(message().message(1, value(3, "c")))]);
}

#[test]
fn repeated_fields_are_replaced_as_a_whole() {
    let merging =
        select(SOURCE, &[field(1)], false, &[select(DESTINATION, &[field(1)], true, &[merge()])]);
    let element = message().uint(2, 1);
    let first = select(
        SOURCE,
        &[field(2), element.clone()],
        false,
        &[select(DESTINATION, &[field(1), field(3), element], true, &[set()])],
    );
    let list = |values: &[u64]| values.iter().fold(message(), |all, value| all.uint(3, *value));
    let state = message().message(1, list(&[1, 2]).fixed32(4, 7));
    let patches = [
        message().message(1, list(&[5, 6, 7])).uint(2, 8).uint(2, 9),
        message().message(1, message().fixed64(4, 1)),
    ];
    let states = run(&[merging, first], &state, &patches);
    assert_eq!(states[0], Ok(message().message(1, list(&[5, 9, 7]).fixed32(4, 7))));
    // The merge succeeds, and the state keeps it; there is no second value to copy.
    assert_eq!(states[1], Err(Stop::Error));
}

#[test]
fn programs_that_do_not_fit_are_aborted() {
    let loads_text = select(SOURCE, &[field(1)], false, &[load(0, &[])]);
    let register = select(DESTINATION, &by_key(9), true, &[set()]);
    let creates_in_source = select(SOURCE, &[field(1)], true, &[]);
    let unknown = message();
    for instruction in [loads_text, register, creates_in_source, unknown] {
        let states = run(&[instruction], &message(), &[message().bytes(1, "text")]);
        assert_eq!(states, [Err(Stop::Abort)]);
    }
    let skips = select(SOURCE, &[field(1)], false, &[]).uint(6, 1);
    let aborts = select(SOURCE, &[field(1)], false, &[]).uint(6, 3);
    assert_eq!(run(&[skips], &message(), &[message()]), [Ok(message())]);
    assert_eq!(run(&[aborts], &message(), &[message()]), [Err(Stop::Abort)]);
}

#[test]
fn programs_and_work_are_bounded() {
    let deep =
        (0..40).fold(message(), |inner, _| message().message(1, message()).message(7, inner));
    assert!(Program::read(program(&[deep]).as_bytes()).is_none());
    // Each level copies the patch for every value of the field: a power of the number of values.
    let nested =
        (0..20).fold(merge(), |inner, _| select(SOURCE, &[], false, &[inner.clone(), inner]));
    let program = Program::read(program(&[nested]).as_bytes());
    assert!(program.is_none(), "a million instructions");
    let loops = (0..12)
        .fold(set(), |inner, _| select(DESTINATION, &[field(1).bool(5, true)], false, &[inner]));
    let values = (0..500).fold(message(), |all, key| all.message(1, value(key, "v")));
    let states = run(&[loops], &values, &[message()]);
    assert!(states[0].is_err());
}

#[test]
fn patches_are_of_the_sequences_of_their_producer() {
    let mut patches = Patches::default();
    let mut losses = Losses::default();
    let sequence = message().uint(1, 7).int(2, -3);
    let provenance = message().message(2, message().message(1, sequence));
    patches.add_writers(provenance.as_bytes());
    let copy =
        select(SOURCE, &[field(8)], false, &[select(DESTINATION, &[field(8)], true, &[set()])]);
    let instance = message().message(1, program(&[copy])).int(4, -3).int(4, 5);
    patches.add_programs(message().message(1, instance).as_bytes(), &mut losses);
    assert_eq!(losses.get(Loss::PatchesWithoutWriter), 1, "producer 5 is unknown");
    let packet = |sequence| -> Message {
        Packet::new().sequence(sequence).timestamp(4).trusted_pid(9).payload(93, message()).into()
    };
    let mut apply = |packet: &Message| {
        let header = PacketHeader::parse(packet.as_bytes());
        patches.apply(packet.as_bytes(), &header, &mut losses)
    };
    assert_eq!(apply(&packet(6)), None);
    let meant = message().uint(8, 4).uint(79, 9).uint(10, 7);
    assert_eq!(apply(&packet(7)).map(Message::from_bytes), Some(meant));
}
