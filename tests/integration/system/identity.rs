//! Threads and processes across reuse of ids, names and late news.

use tpq_testkit::{
    FtraceBundle, FtraceEvent, Message, Packet, ProcessTree, Task, TraceBuilder, TrackDescriptor,
    TrackEvent, prev_state,
};

use crate::imported::{Imported, STATS};

const THREAD: u64 = FtraceEvent::CLONE_THREAD;
const FORK: u64 = 0;

const THREADS: &str = "SELECT utid, tid, t.name, is_main_thread AS main, t.start_ts, t.end_ts, \
    upid, pid FROM thread t LEFT JOIN process USING (upid) ORDER BY utid";
const PROCESSES: &str = "SELECT p.upid, p.pid, p.name, p.start_ts, p.end_ts, q.pid AS parent \
    FROM process p LEFT JOIN process q ON p.parent_upid = q.upid ORDER BY p.upid";
/// Columns of processes that come from /proc alone.
const FROM_PROC: &str = "SELECT pid, name, cmdline, uid, android_user_id AS user, \
    android_appid AS app, start_ts FROM process ORDER BY upid";
/// The events of each track.
const EVENTS: &str = "SELECT ts, s.name, utid, tid, t.name AS thread FROM slice s \
    JOIN thread_track k ON s.track_id = k.id JOIN thread t USING (utid) ORDER BY ts";

fn trace(packets: impl IntoIterator<Item = Packet>) -> Imported {
    Imported::trace(TraceBuilder::new().packets(packets))
}

/// The kernel events of CPU 0.
fn kernel(events: impl IntoIterator<Item = FtraceEvent>) -> Packet {
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    Packet::new().sequence(1).ftrace(bundle)
}

fn tree(at: u64, tree: ProcessTree) -> Packet {
    Packet::new().sequence(2).timestamp(at).process_tree(tree)
}

/// A process of a tree, with fields that few have.
fn process(pid: i64, ppid: i64, cmdline: &[&str]) -> Message {
    let process = Message::new().int(1, pid).int(2, ppid);
    cmdline.iter().fold(process, |process, word| process.bytes(3, word))
}

/// A thread of a tree, likewise.
fn thread(tid: i64, tgid: i64, name: &str) -> Message {
    Message::new().int(1, tid).bytes(2, name).int(3, tgid)
}

/// A tree of such processes and threads.
fn tree_of(at: u64, processes: &[Message], threads: &[Message]) -> Packet {
    let tree = processes.iter().fold(Message::new(), |tree, it| tree.message(1, it.clone()));
    let tree = threads.iter().fold(tree, |tree, it| tree.message(2, it.clone()));
    Packet::new().sequence(2).timestamp(at).payload(2, tree)
}

fn describe(at: u64, descriptor: TrackDescriptor) -> Packet {
    Packet::new().sequence(3).timestamp(at).track_descriptor(descriptor)
}

fn instant(at: u64, track: u64, name: &str) -> Packet {
    Packet::new().sequence(3).timestamp(at).track_event(TrackEvent::instant(track).name(name))
}

#[test]
fn a_program_is_started_and_ends() {
    let shell = Task::new("sh", 10);
    let trace = trace([
        tree(1, ProcessTree::new().process(10, 1, &["/bin/sh"], 0)),
        kernel([
            FtraceEvent::task_newtask(10, 10, 20, "sh", FORK),
            FtraceEvent::sched_process_fork(11, shell, Task::new("sh", 20)),
            FtraceEvent::task_rename(12, 20, "sh", "program"),
            FtraceEvent::sched_process_exec(13, 20, "/bin/program"),
            FtraceEvent::task_newtask(14, 20, 21, "program", THREAD),
            FtraceEvent::task_rename(15, 21, "program", "worker"),
            FtraceEvent::sched_process_exit(16, Task::new("worker", 21), 20),
            FtraceEvent::sched_process_free(17, 0, Task::new("worker", 21)),
            FtraceEvent::sched_process_exit(18, Task::new("program", 20), 20),
            FtraceEvent::sched_process_free(19, 0, Task::new("program", 20)),
        ]),
    ]);
    // The parent of the shell is known by its pid only. The shell itself ran before.
    assert_eq!(
        trace.rows(PROCESSES),
        "\
upid  pid  name     start_ts  end_ts  parent
0     0    NULL     NULL      NULL    NULL
1     1    NULL     NULL      NULL    NULL
2     10   /bin/sh  NULL      NULL    1
3     20   program  10        19      10
"
    );
    // An exit is not yet an end: what remains of a thread may still be switched from.
    assert_eq!(
        trace.rows(THREADS),
        "\
utid  tid  name     main  start_ts  end_ts  upid  pid
0     0    swapper  1     NULL      NULL    0     0
1     1    NULL     1     NULL      NULL    1     1
2     10   NULL     1     NULL      NULL    2     10
3     20   program  1     10        19      3     20
4     21   worker   0     14        17      3     20
"
    );
}

#[test]
fn a_pid_is_used_again() {
    let trace = trace([kernel([
        FtraceEvent::task_newtask(10, 5, 20, "first", FORK),
        FtraceEvent::task_newtask(11, 20, 21, "first", THREAD),
        FtraceEvent::sched_process_free(20, 0, Task::new("first", 20)),
        FtraceEvent::task_newtask(30, 6, 20, "second", FORK),
        FtraceEvent::task_newtask(31, 20, 21, "second", THREAD),
        // The end of the second is lost.
        FtraceEvent::task_newtask(40, 6, 20, "third", FORK),
        FtraceEvent::sched_process_free(50, 0, Task::new("third", 20)),
    ])]);
    assert_eq!(
        trace.rows(PROCESSES),
        "\
upid  pid  name    start_ts  end_ts  parent
0     0    NULL    NULL      NULL    NULL
1     20   first   10        20      NULL
2     20   second  30        NULL    NULL
3     20   third   40        50      NULL
"
    );
    // An event's own thread comes before those in its fields.
    assert_eq!(
        trace.rows(THREADS),
        "\
utid  tid  name     main  start_ts  end_ts  upid  pid
0     0    swapper  1     NULL      NULL    0     0
1     5    NULL     NULL  NULL      NULL    NULL  NULL
2     20   first    1     10        20      1     20
3     21   first    0     11        NULL    1     20
4     6    NULL     NULL  NULL      NULL    NULL  NULL
5     20   second   1     30        NULL    2     20
6     21   second   0     31        NULL    2     20
7     20   third    1     40        50      3     20
"
    );
}

#[test]
fn a_tree_that_arrives_late_explains_what_was_seen() {
    let [app, worker] = [Task::new("app", 100), Task::new("worker", 101)];
    let idle = Task::new("swapper/0", 0);
    let trace = trace([
        kernel([
            FtraceEvent::sched_switch(10, idle, prev_state::RUNNABLE, worker),
            FtraceEvent::sched_switch(20, worker, prev_state::SLEEPING, app),
            FtraceEvent::task_newtask(21, 101, 102, "worker", THREAD),
            FtraceEvent::task_newtask(22, 101, 200, "app", FORK),
            FtraceEvent::sched_process_free(25, 0, Task::new("worker", 102)),
        ]),
        tree(30, ProcessTree::new().process(100, 1, &["/bin/app"], 7).thread(101, 100, "pool-1")),
    ]);
    // Threads that were seen get their process, even one that has ended; so does the child.
    assert_eq!(
        trace.rows(THREADS),
        "\
utid  tid  name     main  start_ts  end_ts  upid  pid
0     0    swapper  1     NULL      NULL    0     0
1     101  pool-1   0     NULL      NULL    3     100
2     100  app      1     NULL      NULL    3     100
3     102  worker   0     21        25      3     100
4     200  app      1     22        NULL    1     200
5     1    NULL     1     NULL      NULL    2     1
"
    );
    assert_eq!(
        trace.rows(PROCESSES),
        "\
upid  pid  name      start_ts  end_ts  parent
0     0    NULL      NULL      NULL    NULL
1     200  app       22        NULL    100
2     1    NULL      NULL      NULL    NULL
3     100  /bin/app  NULL      NULL    1
"
    );
}

#[test]
fn command_lines() {
    let trace = trace([tree(
        10,
        ProcessTree::new()
            .process(10, 1, &["/bin/app", "-v", "a b"], 1_010_123)
            // It wrote what it does over its arguments, of which one remains.
            .process(11, 1, &["nginx: worker process"], 33)
            .process(12, 1, &["/opt/my app", "x"], 0)
            // Nothing is known of it but its pid.
            .process(13, 1, &[], 5),
    )]);
    // A user of Android has 100,000 ids, one for each of his applications.
    assert_eq!(
        trace.rows(FROM_PROC),
        "\
pid  name         cmdline                uid      user  app    start_ts
0    NULL         NULL                   NULL     NULL  NULL   NULL
1    NULL         NULL                   NULL     NULL  NULL   NULL
10   /bin/app     /bin/app -v a b        1010123  10    10123  NULL
11   nginx:       nginx: worker process  33       0     33     NULL
12   /opt/my app  /opt/my app x          0        0     0      NULL
"
    );
}

#[test]
fn threads_of_the_kernel() {
    let kthread = |pid, ppid, name| process(pid, ppid, &[name]).bool(8, true).bool(9, true);
    let trace = trace([
        tree_of(
            10,
            &[
                kthread(2, 0, "kthreadd").uint(7, 0),
                kthread(45, 2, "kworker/45:2-mm_percpu_wq").uint(7, 3),
                kthread(46, 2, "kworker/u8:1+events"),
                kthread(47, 2, "irq/9 acpi"),
                // No thread of the kernel, whatever it calls itself.
                process(300, 1, &["kworker/7:1-app"]),
            ],
            &[
                thread(45, 45, "kworker/45:2-mm_percpu_wq"),
                thread(300, 300, "kworker/7:1-app"),
                thread(301, 45, "kworker/1:1-other"),
            ],
        ),
        // One that begins while the trace is recorded is a process, too.
        kernel([FtraceEvent::task_newtask(20, 2, 50, "kworker/0:9", FORK)]),
    ]);
    assert_eq!(
        trace.rows(FROM_PROC),
        "\
pid  name             cmdline          uid   user  app   start_ts
0    NULL             NULL             NULL  NULL  NULL  NULL
2    kthreadd         kthreadd         NULL  NULL  NULL  0
45   kworker/45:2     kworker/45:2     NULL  NULL  NULL  3
46   kworker/u8:1     kworker/u8:1     NULL  NULL  NULL  NULL
47   irq/9            irq/9 acpi       NULL  NULL  NULL  NULL
1    NULL             NULL             NULL  NULL  NULL  NULL
300  kworker/7:1-app  kworker/7:1-app  NULL  NULL  NULL  NULL
50   kworker/0:9      NULL             NULL  NULL  NULL  20
"
    );
    // The text in place of the command line is the whole name of the thread.
    let threads = "SELECT tid, t.name, q.pid AS parent FROM thread t JOIN process p USING (upid) \
        LEFT JOIN process q ON p.parent_upid = q.upid ORDER BY utid";
    assert_eq!(
        trace.rows(threads),
        "\
tid  name               parent
0    swapper            NULL
2    kthreadd           0
45   kworker/45:2       2
46   kworker/u8:1       2
47   irq/9 acpi         2
1    NULL               NULL
300  kworker/7:1-app    1
301  kworker/1:1-other  2
50   kworker/0:9        2
"
    );
    let args = "SELECT pid, key, int_value FROM process JOIN args USING (arg_set_id) ORDER BY upid";
    assert_eq!(
        trace.rows(args),
        "\
pid  key         int_value
2    is_kthread  1
45   is_kthread  1
46   is_kthread  1
47   is_kthread  1
"
    );
}

#[test]
fn the_best_source_names_a_thread() {
    let idle = Task::new("swapper/0", 0);
    let seen = |at, comm, tid| {
        FtraceEvent::sched_switch(at, idle, prev_state::RUNNABLE, Task::new(comm, tid))
    };
    let trace = trace([
        kernel([seen(10, "thread-of-kern", 101), seen(11, "main", 100)]),
        tree(20, ProcessTree::new().process(100, 1, &["/bin/app"], 0).thread(101, 100, "proc")),
        describe(30, TrackDescriptor::new(7).thread(100, 101, "given by the program")),
        tree(40, ProcessTree::new().process(100, 1, &["/bin/app"], 0).thread(101, 100, "proc")),
        kernel([
            seen(50, "thread-of-kern", 101),
            FtraceEvent::task_rename(60, 100, "main", "exec"),
        ]),
        describe(70, TrackDescriptor::new(8).process(100, "the program")),
    ]);
    assert_eq!(
        trace.rows("SELECT tid, name FROM thread WHERE tid >= 100 ORDER BY tid"),
        "\
tid  name
100  exec
101  given by the program
"
    );
    // The kernel's word on the main thread is the latest on the process; a program's own comes
    // after all others.
    assert_eq!(trace.cell("SELECT name FROM process WHERE pid = 100"), "exec");
}

#[test]
fn a_thread_that_describes_itself_is_the_one_that_was_made() {
    let trace = trace([
        kernel([
            FtraceEvent::task_newtask(10, 100, 101, "worker", THREAD),
            FtraceEvent::sched_process_free(40, 0, Task::new("worker", 101)),
            FtraceEvent::task_newtask(50, 100, 101, "worker", THREAD),
        ]),
        describe(20, TrackDescriptor::new(7).thread(100, 101, "first")),
        instant(30, 7, "by the first"),
        describe(60, TrackDescriptor::new(8).thread(100, 101, "second")),
        instant(70, 8, "by the second"),
        // A track stays with its thread, although another has the tid.
        instant(80, 7, "late"),
    ]);
    assert_eq!(
        trace.rows(THREADS),
        "\
utid  tid  name     main  start_ts  end_ts  upid  pid
0     0    swapper  1     NULL      NULL    0     0
1     100  NULL     1     NULL      NULL    1     100
2     101  first    0     10        40      1     100
3     101  second   0     50        NULL    1     100
"
    );
    assert_eq!(
        trace.rows(EVENTS),
        "\
ts  name           utid  tid  thread
30  by the first   2     101  first
70  by the second  3     101  second
80  late           2     101  first
"
    );
}

#[test]
fn a_second_track_of_an_id_is_of_another_that_took_it_over() {
    let trace = trace([
        describe(10, TrackDescriptor::new(1).process(100, "first")),
        describe(11, TrackDescriptor::new(2).parent(1).thread(100, 101, "first")),
        // The same again is nothing new.
        describe(12, TrackDescriptor::new(2).parent(1).thread(100, 101, "first")),
        instant(13, 2, "a"),
        describe(20, TrackDescriptor::new(3).process(100, "second")),
        describe(21, TrackDescriptor::new(4).parent(3).thread(100, 101, "second")),
        instant(22, 4, "b"),
        // Another track of that thread, in the same process.
        describe(30, TrackDescriptor::new(5).parent(3).thread(100, 101, "third")),
        instant(31, 5, "c"),
    ]);
    assert_eq!(
        trace.rows(PROCESSES),
        "\
upid  pid  name    start_ts  end_ts  parent
0     0    NULL    NULL      NULL    NULL
1     100  first   NULL      NULL    NULL
2     100  second  NULL      NULL    NULL
"
    );
    assert_eq!(
        trace.rows(EVENTS),
        "\
ts  name  utid  tid  thread
13  a     2     101  first
22  b     4     101  second
31  c     5     101  third
"
    );
    assert_eq!(
        trace.rows("SELECT utid, tid, upid FROM thread ORDER BY utid"),
        "\
utid  tid  upid
0     0    0
1     100  1
2     101  1
3     100  2
4     101  2
5     101  2
"
    );
}

#[test]
fn programs_in_containers() {
    let in_namespace =
        |it: Message, field, ids: [i64; 2]| ids.iter().fold(it, |it, &id| it.int(field, id));
    // Outside it is process 500 with thread 501, inside 1 and 2.
    let container = tree_of(
        10,
        &[in_namespace(process(500, 400, &["/app"]), 6, [500, 1])],
        &[
            in_namespace(thread(501, 500, "pool"), 4, [501, 2]),
            // A thread of a process that is in no tree.
            in_namespace(thread(601, 600, "lost"), 4, [601, 2]),
        ],
    );
    let written = |at, descriptor| describe(at, descriptor).trusted_pid(500);
    let trace = trace([
        container,
        written(20, TrackDescriptor::new(7).thread(1, 2, "")),
        instant(21, 7, "inside").trusted_pid(500),
        // The recorder does not state the owner: the ids are taken as they are.
        Packet::new()
            .sequence(4)
            .timestamp(30)
            .track_descriptor(TrackDescriptor::new(8).thread(1, 2, "outside")),
        instant(31, 8, "outside"),
    ]);
    assert_eq!(
        trace.rows(EVENTS),
        "\
ts  name     utid  tid  thread
21  inside   3     501  pool
31  outside  7     2    outside
"
    );
    assert_eq!(
        trace.rows("SELECT utid, tid, pid FROM thread JOIN process USING (upid) ORDER BY utid"),
        "\
utid  tid  pid
0     0    0
1     400  400
2     500  500
3     501  500
4     600  600
5     601  600
6     1    1
7     2    1
"
    );
    let lost = "SELECT value FROM stats WHERE name = 'namespaced_thread_missing_process'";
    assert_eq!(trace.cell(lost), "1");
}

#[test]
fn threads_in_a_sandbox_are_distinguished_by_their_process() {
    // Both programs call their thread 1.
    let sandboxed = |uuid, pid: i64, name: &str| {
        let thread = Message::new().int(1, pid).int(2, 1).bytes(5, name);
        let track = Message::new().uint(1, uuid).message(4, thread);
        track.message(7, Message::new().bool(3, true))
    };
    let packet = |at, track| Packet::new().sequence(3).timestamp(at).payload(60, track);
    let trace = trace([
        packet(10, sandboxed(7, 100, "one")),
        packet(11, sandboxed(8, 200, "two")),
        instant(20, 7, "a"),
        instant(21, 8, "b"),
    ]);
    // 100 * 2^32 + 1 and 200 * 2^32 + 1.
    assert_eq!(
        trace.rows(EVENTS),
        "\
ts  name  utid  tid           thread
20  a     2     429496729601  one
21  b     4     858993459201  two
"
    );
}

#[test]
fn a_descriptor_without_an_owner_is_ignored() {
    let packet = |field, payload| {
        let track = Message::new().uint(1, 7).message(field, payload);
        Packet::new().sequence(3).timestamp(10).payload(60, track)
    };
    let nameless = Message::new().message(3, Message::new().int(1, 100));
    let trace = trace([
        packet(4, Message::new().int(1, 100)),
        packet(3, Message::new().bytes(6, "process")),
        Packet::new().sequence(3).timestamp(10).payload(60, nameless),
    ]);
    assert_eq!(trace.cell("SELECT count() FROM process"), "1");
    assert_eq!(
        trace.rows(STATS),
        "\
name                                     machine  file  value
track_descriptor_missing_uuid            0        0     1
track_descriptor_process_missing_pid     0        0     1
track_descriptor_thread_missing_pid_tid  0        0     1
"
    );
}

#[test]
fn a_track_that_hangs_from_nothing_makes_no_thread() {
    let trace = trace([describe(10, TrackDescriptor::new(7).parent(6).thread(100, 101, "x"))]);
    assert_eq!(trace.cell("SELECT count() FROM thread"), "1");
}

#[test]
fn each_machine_has_ids_of_its_own() {
    let forked = |comm: &str, at| kernel([FtraceEvent::task_newtask(at, 5, 20, comm, FORK)]);
    let trace = trace([
        forked("here", 10),
        forked("there", 11).machine(3),
        kernel([FtraceEvent::sched_process_free(12, 0, Task::new("there", 20))]).machine(3),
    ]);
    let threads = "SELECT t.tid, t.name, is_idle AS idle, t.end_ts, raw_id AS machine \
        FROM thread t JOIN machine m ON t.machine_id = m.id ORDER BY utid";
    assert_eq!(
        trace.rows(threads),
        "\
tid  name     idle  end_ts  machine
0    swapper  1     NULL    0
0    swapper  1     NULL    3
5    NULL     0     NULL    0
20   here     0     NULL    0
5    NULL     0     NULL    3
20   there    0     12      3
"
    );
}

/// CPUs of two machines have the same number and counters of their own.
#[test]
fn each_machine_has_cpus_of_its_own() {
    let frequency = |at, khz| kernel([FtraceEvent::cpu_frequency(at, 5, 1, khz)]);
    let trace = trace([frequency(10, 1_000), frequency(11, 2_000).machine(3)]);
    let counters = "SELECT c.ts, c.value, t.cpu, t.name, raw_id AS machine FROM counter c \
        JOIN cpu_counter_track t ON c.track_id = t.id JOIN machine m ON t.machine_id = m.id \
        ORDER BY c.ts";
    assert_eq!(
        trace.rows(counters),
        "\
ts  value   cpu  name     machine
10  1000.0  1    cpufreq  0
11  2000.0  1    cpufreq  3
"
    );
    let numbers = "SELECT key, int_value FROM cpu_counter_track c JOIN track t USING (id) \
        JOIN args ON arg_set_id = t.dimension_arg_set_id WHERE t.machine_id = 1";
    assert_eq!(trace.cells(numbers), [["cpu", "1"]]);
}
