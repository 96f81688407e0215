//! Profilers of CPUs: samples, stacks, symbols, code that was compiled at run time.

use tpq_testkit::{Packet, TraceBuilder};

use super::{interned, message, packet, string};
use crate::bases::{Base, plain};

pub fn bases() -> Vec<Base> {
    let frame =
        |iid: u64, name: u64| message().uint(1, iid).uint(2, name).uint(3, 1).uint(4, 16 * iid);
    let mapping = message().uint(1, 1).uint(2, 1).uint(4, 0x7000).uint(5, 0x9000).uint(7, 1);
    let data = message()
        .message(17, string(1, "libc.so"))
        .message(16, string(1, "build"))
        .message(19, mapping)
        .message(5, string(1, "main"))
        .message(5, string(2, "malloc"))
        .message(6, frame(1, 1))
        .message(6, frame(2, 2).uint(7, 1))
        .message(7, message().uint(1, 1).uint(2, 1).uint(2, 2))
        .message(48, message().uint(1, 1).uint(2, 100).uint(3, 101).uint(4, 2))
        .message(49, message().uint(1, 1).uint(2, 1).uint(3, 2))
        .message(50, message().uint(1, 1).bytes(2, "cycles").uint(7, 2))
        .message(51, message().uint(1, 2).bytes(2, "a").uint(4, 2))
        .message(35, message().uint(1, 1).uint(2, 100).uint(5, 0x7000).uint(6, 0x800))
        .message(33, message().uint(1, 1).message(4, message().bytes(3, "a.")))
        .message(31, message().uint(1, 1).bytes(3, "f."))
        .message(32, message().uint(1, 1).uint(2, 1).uint(3, 1));
    let code = message().uint(1, 1).uint(2, 101).uint(3, 1).uint(4, 5).uint(5, 0x7010);
    let sample = message().uint(2, 1).uint(4, 1).uint(6, 1).uint(11, 1).uint(10, 1);
    let line = message().bytes(1, "f").bytes(2, "a.c").uint(3, 1);
    let symbols = message().bytes(1, "/libc.so").bytes(2, "build");
    let address = message().uint(1, 16).message(2, line);
    let class = message().bytes(1, "ma").bytes(2, "M").message(4, message().bytes(1, "in"));
    let perf = message().uint(1, 0).uint(2, 100).uint(3, 101).uint(4, 1);
    let streamed = message().uint(1, 1).uint(1, 2).int(2, 5).int(2, 6).int(3, 1);
    let packets = [
        interned(data),
        packet(1, 44, message().int(1, 100).int(2, 101).int(6, 5)),
        packet(5, 99, code.uint(6, 0x40)),
        packet(10, 66, perf.uint(6, 1).uint(7, 2)),
        packet(20, 135, sample),
        packet(25, 103, message().uint(1, 1).uint(2, 101).uint(3, 0x7010).uint(4, 0x7100)),
        packet(28, 54, streamed),
        packet(30, 11, message().uint(9, 3).uint(11, 1).uint(56, 1)),
        Packet::new().payload(61, symbols.message(3, address)),
        Packet::new().payload(64, message().bytes(1, "com.a").message(3, class)),
    ];
    vec![plain("profiles", TraceBuilder::new().packets(packets).build())]
}
