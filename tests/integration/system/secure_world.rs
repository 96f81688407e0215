//! The hypervisor and the secure world, as kernel events report them.

use insta::assert_snapshot;
use tpq_testkit::Message;

use super::event_rows::{events, rows_of_events};

fn numbers(values: impl IntoIterator<Item = i64>) -> Message {
    (1..).zip(values).fold(Message::new(), |message, (field, value)| message.int(field, value))
}

/// Why the hypervisor was entered, by the numbers of enter, reason and exit.
fn entered(enter: u32, reason: (u32, Message), exit: u32) -> String {
    let rows = rows_of_events([(enter, Message::new()), reason, (exit, Message::new())]);
    let slice = r#"10+20 pkvm_hypervisor "pkVM Hypervisor CPU 0" [cpu=0]: pkvm_hyp/hyp"#;
    let reason = rows.strip_prefix(slice).unwrap_or_else(|| panic!("{rows}"));
    reason.trim().to_owned()
}

#[test]
fn reasons_to_enter_the_hypervisor() {
    let ffa = numbers([7, 0, 0, 0, 0, 1, -3]);
    let reasons = [
        (478, numbers([12, 1])),
        (479, numbers([13, 1])),
        (480, numbers([14, 0x1000])),
        (578, ffa),
        (580, numbers([1, 2, -3])),
        (581, numbers([5, 6])),
        (589, numbers([1])),
        (590, numbers([8])),
    ];
    let rows: Vec<String> = reasons.into_iter().map(|reason| entered(476, reason, 477)).collect();
    assert_snapshot!(rows.join("\n"), @r"
    {hyp_enter_reason=host_hcall id=12u invalid=1u}
    {hyp_enter_reason=host_smc id=13u forwarded=1u}
    {hyp_enter_reason=host_mem_abort esr=14u addr=4096u}
    {hyp_enter_reason=host_ffa_call func_id=7u handled=1 err=-3}
    {hyp_enter_reason=iommu_idmap from=1u to=2u prot=-3}
    {hyp_enter_reason=psci_mem_protect count=5u was=6u}
    {hyp_enter_reason=iommu_idmap_complete map=true}
    {hyp_enter_reason=vcpu_illegal_trap esr=8u}
    ");
}

/// The same events in the group that newer kernels have them in.
#[test]
fn the_hypervisor_of_newer_kernels() {
    let reasons = [
        (582, numbers([12, 1])),
        (583, numbers([13, 1])),
        (587, numbers([14, 0x1000])),
        (585, numbers([1, 2, -3])),
        (586, numbers([5, 6])),
    ];
    let rows: Vec<String> = reasons.into_iter().map(|reason| entered(588, reason, 584)).collect();
    assert_snapshot!(rows.join("\n"), @r"
    {hyp_enter_reason=host_hcall id=12u invalid=1u}
    {hyp_enter_reason=host_smc id=13u forwarded=1u}
    {hyp_enter_reason=host_mem_abort esr=14u addr=4096u}
    {hyp_enter_reason=iommu_idmap from=1u to=2u prot=-3}
    {hyp_enter_reason=psci_mem_protect count=5u was=6u}
    ");
}

/// A reason without an entry has no slice to belong to.
#[test]
fn a_reason_alone() {
    assert_snapshot!(rows_of_events([(478, numbers([12, 1]))]), @"");
}

#[test]
fn calls_into_the_secure_world() {
    let call = |id| (338, Message::new().uint(2, id));
    let end = || (339, Message::new());
    assert_snapshot!(rows_of_events([call(0x4200_0001), end(), call(0), end()]), @r#"
    10+10 thread_execution "-" [utid=2]: scm id=0x42000001
    30+10 thread_execution "-" [utid=2]: scm id=0
    "#);
}

/// Slices of the running thread: when, how long, and what.
fn slices(these: impl IntoIterator<Item = (u32, Message)>) -> String {
    let sql = "SELECT ts, dur, category, s.name FROM slice s JOIN thread_track t \
        ON s.track_id = t.id WHERE utid = 2 ORDER BY ts, s.id";
    events(these).rows(sql)
}

#[test]
fn memory_and_calls_of_trusty() {
    let rows = slices([
        (445, numbers([5])),
        (446, numbers([6])),
        (447, Message::new()),
        (448, numbers([-7])),
        (447, Message::new()),
        (448, numbers([0])),
        (449, numbers([4096, 1, 2])),
        (450, numbers([9, 4096, 1, 2, -3])),
        (451, numbers([11])),
        (452, numbers([11, -1])),
        (453, numbers([33])),
        (464, numbers([1, 2, 3])),
    ]);
    assert_snapshot!(rows, @r"
    ts   dur  category  name
    10   10   tipc      trusty_smc:r0= 5
    20   0    tipc      trusty_smc_done:r0= 6
    30   10   tipc      trusty_std
    40   0    tipc      trusty_err_std: err= -7
    50   10   tipc      trusty_std
    70   10   tipc      trusty_share_mem: len= 4096 nents= 2 lend= 1
    80   0    tipc      trusty_share_mem: handle= 9 ret= -3
    90   10   tipc      trusty_reclaim_mem: id=11
    100  0    tipc      trusty_reclaim_mem_err: err= -1
    110  0    tipc      trusty_irq: irq= 33
    120  0    tipc      trusty_enqueue_nop: arg1= 1 arg2= 2 arg3=3
    ");
}

#[test]
fn messages_of_trusty() {
    let service = |field| Message::new().bytes(field, "keys");
    let rows = slices([
        (454, Message::new().uint(1, 4).uint(2, 8).bytes(3, "keys")),
        (455, service(2)),
        (456, Message::new().int(2, -2)),
        (457, service(6).int(4, 10)),
        (457, service(6).int(4, -5).uint(5, 2)),
        (460, service(2)),
        (461, Message::new().int(3, 0)),
        (460, service(2)),
        (461, Message::new().int(3, 12)),
        (458, service(3)),
        (462, service(3)),
    ]);
    assert_snapshot!(rows, @r"
    ts   dur  category  name
    10   0    tipc      trusty_ipc_handle_event: chan=4 srv_name=keys event=8
    20   10   tipc      tipc_connect: keys
    30   0    tipc      tipc_err_connect:err= -2
    40   0    tipc      tipc_write: keys
    50   0    tipc      tipc_write: keys shm_cnt:[2]
    50   0    tipc      tipc_err_write:len_or_err= -5
    60   10   tipc      tipc_read: keys
    70   0    tipc      tipc_err_read:len_or_err= 0
    80   10   tipc      tipc_read: keys
    100  0    tipc      tipc_poll: keys
    110  0    tipc      tipc_rx
    ");
}
