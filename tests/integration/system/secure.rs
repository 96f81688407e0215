//! Calls into the secure world.

use insta::assert_snapshot;
use tpq_testkit::{FtraceEvent, Message};

use super::{SLICES, kernel};

fn event(at: u64, field: u32, payload: Message) -> FtraceEvent {
    FtraceEvent::other(at, 101, field, payload)
}

#[test]
fn calls_of_the_monitor() {
    let imported = kernel([
        event(10, 338, Message::new().uint(1, 1).uint(2, 0x4200_0101)),
        event(30, 339, Message::new()),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name               category
    10  20   thread_execution  NULL   scm id=0x42000101  NULL
    ");
}

/// Outcomes are instants: of some calls always, of others only when they failed.
#[test]
fn calls_of_trusty() {
    let error = |field, code| Message::new().int(field, code);
    let imported = kernel([
        event(10, 445, Message::new().uint(1, 7)),
        event(12, 446, Message::new().uint(1, 8)),
        event(20, 447, Message::new()),
        event(22, 448, error(1, 0)),
        event(24, 447, Message::new()),
        event(26, 448, error(1, -5)),
        event(30, 449, Message::new().uint(1, 4096).uint(2, 1).uint(3, 2)),
        event(32, 450, Message::new().uint(1, 77).int(5, -1)),
        event(40, 451, Message::new().uint(1, 77)),
        event(42, 452, error(2, -22)),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name                                          category
    10  2    thread_execution  NULL   trusty_smc:r0= 7                              tipc
    12  0    thread_execution  NULL   trusty_smc_done:r0= 8                         tipc
    20  2    thread_execution  NULL   trusty_std                                    tipc
    24  2    thread_execution  NULL   trusty_std                                    tipc
    26  0    thread_execution  NULL   trusty_err_std: err= -5                       tipc
    30  2    thread_execution  NULL   trusty_share_mem: len= 4096 nents= 2 lend= 1  tipc
    32  0    thread_execution  NULL   trusty_share_mem: handle= 77 ret= -1          tipc
    40  2    thread_execution  NULL   trusty_reclaim_mem: id=77                     tipc
    42  0    thread_execution  NULL   trusty_reclaim_mem_err: err= -22              tipc
    ");
}

#[test]
fn messages_of_trusty() {
    let to = |field| Message::new().uint(1, 5).bytes(field, "keys");
    let imported = kernel([
        event(10, 455, to(2)),
        event(12, 456, Message::new().int(2, 0)),
        event(20, 455, to(2)),
        event(22, 456, Message::new().int(2, -110)),
        event(30, 457, Message::new().int(4, 16).bytes(6, "keys")),
        event(32, 457, Message::new().int(4, -4).uint(5, 3).bytes(6, "keys")),
        event(40, 458, to(3)),
        event(50, 460, to(2)),
        event(52, 461, Message::new().int(3, 16)),
        event(54, 460, to(2)),
        event(56, 461, Message::new().int(3, 0)),
        event(60, 453, Message::new().int(1, 13)),
        event(62, 454, Message::new().uint(1, 5).uint(2, 6).bytes(3, "keys")),
        event(64, 462, Message::new()),
        event(66, 464, Message::new().uint(1, 1).uint(2, 2).uint(3, 3)),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name                                                   category
    10  2    thread_execution  NULL   tipc_connect: keys                                     tipc
    20  2    thread_execution  NULL   tipc_connect: keys                                     tipc
    22  0    thread_execution  NULL   tipc_err_connect:err= -110                             tipc
    30  0    thread_execution  NULL   tipc_write: keys                                       tipc
    32  0    thread_execution  NULL   tipc_write: keys shm_cnt:[3]                           tipc
    32  0    thread_execution  NULL   tipc_err_write:len_or_err= -4                          tipc
    40  0    thread_execution  NULL   tipc_poll: keys                                        tipc
    50  2    thread_execution  NULL   tipc_read: keys                                        tipc
    54  2    thread_execution  NULL   tipc_read: keys                                        tipc
    56  0    thread_execution  NULL   tipc_err_read:len_or_err= 0                            tipc
    60  0    thread_execution  NULL   trusty_irq: irq= 13                                    tipc
    62  0    thread_execution  NULL   trusty_ipc_handle_event: chan=5 srv_name=keys event=6  tipc
    64  0    thread_execution  NULL   tipc_rx                                                tipc
    66  0    thread_execution  NULL   trusty_enqueue_nop: arg1= 1 arg2= 2 arg3=3             tipc
    ");
}
