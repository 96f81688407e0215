//! Packets of Android devices: power, networks, logs, packages, modems and atoms.

use tpq_testkit::{Packet, TraceBuilder};

use super::{interned, message, packet, string};
use crate::bases::{Base, plain};

pub fn bases() -> Vec<Base> {
    let context = message().uint(1, 2).bytes(2, "wlan0").uint(4, 10_001).uint(5, 7).uint(6, 6);
    let wakelock = message().int(1, 1).bytes(2, "job").int(3, 1).int(5, 1_000).int(6, 10_001);
    let data = message()
        .message(30, message().uint(1, 7).message(2, context.clone()))
        .message(42, wakelock);
    let by_id = message().uint(1, 7).packed(3, [0, 40]).packed(4, [100, 200]);
    let summed = message().message(2, context.clone()).uint(5, 9).uint(6, 30).uint(7, 9_000);
    let packets = [interned(data), packet(20, 92, by_id), packet(30, 92, summed)];
    let own = [
        packet(40, 88, context.uint(3, 60)),
        packet(50, 116, message().packed(1, [1, 1]).packed(2, [1, 60])),
        packet(60, 47, message().message(1, message().bytes(1, "com.app").uint(2, 10_001))),
    ];
    let packets = packets.into_iter().chain(own).chain(power()).chain(records());
    vec![plain("android", TraceBuilder::new().packets(packets).build())]
}

fn power() -> Vec<Packet> {
    let rail = message().uint(1, 0).bytes(2, "S2M_VDD_CPUCL2").bytes(3, "CPU");
    let read = message().uint(1, 0).uint(2, 2).uint(3, 700);
    let consumer = message().int(1, 4).int(2, 1).bytes(3, "CPU_CLUSTER").bytes(4, "CPUCL1");
    let energy = message().int(2, 4).int(3, 900).message(4, message().int(1, 10_001).int(2, 600));
    let state = message().int(1, 0).int(2, 0).bytes(3, "Bluetooth").bytes(4, "Idle");
    let residency = message().int(1, 0).int(2, 0).uint(3, 1_000);
    let lock = message().uint(1, 1).bytes(2, "wlan").uint(3, 1);
    let uids = message().uint(1, 1).packed(2, [1_000, 10_001]).packed(3, [5, 6]);
    vec![
        packet(70, 38, message().int(1, 3_000).int(2, 80).int(3, -400).int(4, -390)),
        packet(80, 40, message().message(1, rail).uint(3, 7)),
        packet(90, 40, message().message(2, read).uint(3, 7)),
        packet(100, 77, message().message(1, message().message(1, consumer))),
        packet(110, 77, energy),
        packet(120, 91, message().message(1, state).message(2, residency)),
        packet(130, 115, message().message(1, lock).packed(2, [1]).packed(3, [10])),
        packet(140, 119, uids),
    ]
}

fn records() -> Vec<Packet> {
    let log = message().uint(1, 2).uint(2, 101).uint(3, 102).uint(5, 95).uint(6, 3);
    let atom = message().message(2, message().int(1, -5).bytes(2, "four").double(3, 0.5));
    let property = message().bytes(1, "debug.tracing.screen_state").bytes(2, "2");
    let game = message().bytes(1, "com.game").uint(2, 10_002).uint(3, 1);
    let game = game.message(4, message().uint(1, 2).int(2, 1).int(4, 60));
    let flag = message().bytes(1, "pkg").bytes(2, "flag").uint(4, 2);
    let user = message().bytes(1, "android.os.usertype.full.SYSTEM").int(2, 0);
    // A database with one token, and an event with it.
    let tokens = b"TOKENS\0\0\x01\0\0\0\0\0\0\0\x07\0\0\0\xff\xff\xff\xfftext %d\0";
    vec![
        packet(150, 39, message().message(1, log.bytes(7, "tag").bytes(8, "text"))),
        packet(160, 84, message().message(1, atom).int(2, 155)),
        packet(170, 86, message().message(1, property)),
        packet(180, 83, message().message(1, game)),
        packet(190, 127, message().message(1, flag)),
        packet(200, 123, message().message(1, user)),
        packet(210, 111, message().bytes(1, tokens)),
        packet(220, 110, message().bytes(1, b"\x07\0\0\0\x05").int(2, 5)),
        packet(230, 114, message().uint(1, 1).uint(2, 4)),
        packet(240, 78, string(1, "state")),
    ]
}
