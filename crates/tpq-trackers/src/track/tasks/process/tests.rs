//! Each rule of identity by itself.

use super::*;

const HERE: u32 = 0;
const THERE: u32 = 1;

fn tid(id: i64) -> Tid {
    Tid { machine: HERE, id }
}

/// The tracker with what it writes to.
struct Fixture {
    processes: Processes,
    tables: Tables,
    stats: Stats,
}

impl Fixture {
    /// Of one machine with thread 0 of process 0 as its idle task.
    fn new() -> Self {
        let mut processes = Processes::default();
        let mut tables = Tables::default();
        processes.add_machine(HERE, &mut tables);
        processes.idle_is_zero(HERE, &mut tables);
        Self { processes, tables, stats: Stats::default() }
    }

    fn text(&mut self, text: &str) -> StringId {
        self.tables.strings.intern(text)
    }

    fn thread(&mut self, id: i64) -> Utid {
        self.processes.thread(tid(id), &mut self.tables)
    }

    fn process(&mut self, id: i64) -> Upid {
        self.processes.process(tid(id), &mut self.tables)
    }

    fn thread_of(&mut self, id: i64, pid: i64) -> Utid {
        self.processes.thread_of_process(tid(id), tid(pid), &mut self.tables)
    }

    fn new_task(&mut self, ts: i64, parent: i64, child: i64, clone_flags: u64) -> Utid {
        let comm = self.text(&format!("task{child}"));
        let task = NewTask { ts, parent: tid(parent), child: tid(child), clone_flags, comm };
        self.processes.new_task(task, &mut self.tables, &mut self.stats)
    }

    fn clone_thread(&mut self, ts: i64, parent: i64, child: i64) -> Utid {
        self.new_task(ts, parent, child, CLONE_THREAD)
    }

    fn fork(&mut self, ts: i64, parent: i64, child: i64) -> Utid {
        self.new_task(ts, parent, child, 0)
    }

    fn end(&mut self, ts: i64, id: i64) {
        self.processes.end_thread(ts, tid(id), &mut self.tables);
    }

    fn name(&mut self, utid: Utid, name: &str, priority: NamePriority) {
        let name = self.text(name);
        self.processes.name_thread(utid, name, priority, &mut self.tables);
    }

    fn rename(&mut self, id: i64, name: &str) {
        let name = self.text(name);
        self.processes.rename(tid(id), name, &mut self.tables);
    }

    fn upid(&self, utid: Utid) -> Option<Upid> {
        self.tables.thread.upid.get(utid)
    }

    /// What a thread is called.
    fn thread_is(&mut self, utid: Utid, name: &str) -> bool {
        let name = self.text(name);
        self.tables.thread.name.get(utid) == name
    }

    /// What a process is called.
    fn process_is(&mut self, upid: Upid, name: &str) -> bool {
        let name = self.text(name);
        self.tables.process.name.get(upid) == name
    }
}

#[test]
fn the_idle_task_is_the_first_of_both_tables() {
    let mut f = Fixture::new();
    assert_eq!((f.thread(0), f.process(0)), (0, 0));
    assert_eq!(f.upid(0), Some(0));
    assert_eq!(f.tables.thread.is_idle.get(0), 1);
    assert_eq!(f.tables.thread.is_main_thread.get(0), Some(1));
    // There are as many idle tasks as CPUs, each with a name; they are one thread.
    f.name(0, "swapper/3", NamePriority::Descriptor);
    assert!(f.thread_is(0, "swapper"));
    // A thread 0 of another process is no idle task.
    let other = f.thread_of(0, 5);
    assert_eq!(f.tables.thread.is_idle.get(other), 0);
}

#[test]
fn a_process_comes_with_its_main_thread() {
    let mut f = Fixture::new();
    let worker = f.thread_of(11, 10);
    let upid = f.process(10);
    let main = f.thread(10);
    // The process and its main thread were made first.
    assert_eq!((upid, main, worker), (1, 1, 2));
    assert_eq!((f.upid(main), f.upid(worker)), (Some(upid), Some(upid)));
    assert_eq!(f.tables.thread.is_main_thread.get(main), Some(1));
    assert_eq!(f.tables.thread.is_main_thread.get(worker), Some(0));
    // Nothing says when they began.
    assert_eq!(f.tables.process.start_ts.get(upid), None);
}

#[test]
fn a_thread_seen_before_its_process_is_the_same() {
    let mut f = Fixture::new();
    let early = f.thread(11);
    let main = f.thread(10);
    assert_eq!((f.upid(early), f.upid(main)), (None, None));
    assert_eq!(f.tables.thread.is_main_thread.get(early), None);
    assert_eq!(f.thread_of(11, 10), early);
    assert_eq!(f.thread(10), main);
    assert_eq!(f.upid(early), f.upid(main));
}

/// What was looked up before is not taken for what lives now.
#[test]
fn threads_of_processes_are_looked_up_again_after_an_end() {
    let mut f = Fixture::new();
    let worker = f.thread_of(11, 10);
    assert_eq!((f.thread_of(11, 10), f.thread_of(11, 10)), (worker, worker));
    f.end(50, 11);
    let second = f.thread_of(11, 10);
    assert_ne!(second, worker);
    assert_eq!(f.thread_of(11, 10), second);
    let upid = f.process(10);
    f.end(60, 10);
    let third = f.thread_of(11, 10);
    assert_ne!(third, second, "its process has ended");
    assert_ne!(f.upid(third), Some(upid));
    // An end that is written elsewhere.
    f.tables.thread.end_ts.set(third, Some(70));
    f.processes.note_end();
    assert_ne!(f.thread_of(11, 10), third);
}

#[test]
fn the_same_tid_in_another_process_is_another_thread() {
    let mut f = Fixture::new();
    let first = f.thread_of(11, 10);
    let second = f.thread_of(11, 20);
    assert_ne!(first, second);
    // Both live, as far as is known: the latest is meant.
    assert_eq!(f.thread(11), second);
    assert_eq!(f.thread_of(11, 10), first);
}

#[test]
fn a_tid_used_again_is_another_thread() {
    let mut f = Fixture::new();
    let upid = f.process(10);
    let first = f.thread(10);
    f.end(500, 10);
    let second = f.thread(10);
    assert_ne!(first, second);
    assert_eq!(f.tables.process.end_ts.get(upid), Some(500));
    assert_eq!(f.tables.thread.end_ts.get(first), Some(500));
    assert_ne!(f.process(10), upid);
}

#[test]
fn a_thread_that_ends_leaves_its_process() {
    let mut f = Fixture::new();
    let worker = f.thread_of(11, 10);
    let upid = f.process(10);
    f.end(500, 11);
    assert_eq!(f.tables.thread.end_ts.get(worker), Some(500));
    assert_eq!(f.tables.process.end_ts.get(upid), None);
    assert_eq!(f.process(10), upid);
}

#[test]
fn threads_of_a_process_that_ended_are_over() {
    let mut f = Fixture::new();
    let worker = f.thread_of(11, 10);
    f.end(500, 10);
    // Its own end comes later: there is nothing left to end, and no row is made for it.
    let rows = f.tables.thread.len();
    f.end(501, 11);
    assert_eq!(f.tables.thread.end_ts.get(worker), None);
    assert_eq!(f.tables.thread.len(), rows);
    assert!(!f.processes.is_alive(worker, &f.tables));
    assert_ne!(f.thread(11), worker);
}

#[test]
fn the_end_of_a_thread_never_seen_makes_none() {
    let mut f = Fixture::new();
    f.end(500, 10);
    assert_eq!((f.tables.thread.len(), f.tables.process.len()), (1, 1));
}

#[test]
fn a_fork_is_a_process_with_a_start_a_name_and_a_parent() {
    let mut f = Fixture::new();
    let parent = f.process(10);
    let main = f.fork(100, 10, 20);
    let child = f.process(20);
    assert_eq!(f.upid(main), Some(child));
    assert_eq!(f.tables.thread.start_ts.get(main), Some(100));
    assert_eq!(f.tables.process.start_ts.get(child), Some(100));
    assert_eq!(f.tables.process.parent_upid.get(child), Some(parent));
    assert!(f.process_is(child, "task20") && f.thread_is(main, "task20"));
}

#[test]
fn a_fork_by_any_thread_is_a_child_of_its_process() {
    let mut f = Fixture::new();
    f.thread_of(11, 10);
    f.fork(100, 11, 20);
    let [parent, child] = [10, 20].map(|pid| f.process(pid));
    assert_eq!(f.tables.process.parent_upid.get(child), Some(parent));
}

#[test]
fn the_parent_of_a_process_may_be_learnt_late() {
    let mut f = Fixture::new();
    f.fork(100, 11, 20);
    f.fork(101, 11, 21);
    let [first, second] = [20, 21].map(|pid| f.process(pid));
    assert_eq!(f.tables.process.parent_upid.get(first), None);
    f.thread_of(11, 10);
    let parent = Some(f.process(10));
    assert_eq!(f.tables.process.parent_upid.get(first), parent);
    assert_eq!(f.tables.process.parent_upid.get(second), parent);
}

#[test]
fn a_fork_ends_what_had_its_pid() {
    let mut f = Fixture::new();
    let old = f.process(20);
    let worker = f.thread_of(21, 20);
    let main = f.thread(20);
    // No event ended the old process: those events were lost.
    let new_main = f.fork(100, 10, 20);
    let new = f.process(20);
    assert_ne!((old, main), (new, new_main));
    assert!(!f.processes.is_alive(main, &f.tables));
    assert!(!f.processes.is_alive(worker, &f.tables));
    // When it ended is not known.
    assert_eq!(f.tables.process.end_ts.get(old), None);
    assert_ne!(f.thread(21), worker);
}

#[test]
fn a_thread_of_no_known_process_ends_when_a_process_has_its_id() {
    let mut f = Fixture::new();
    let old = f.thread(20);
    f.fork(100, 10, 20);
    f.end(200, 20);
    // The one of before the fork does not come back.
    assert_ne!(f.thread(20), old);
}

#[test]
fn a_new_thread_is_of_the_process_that_made_it() {
    let mut f = Fixture::new();
    let upid = f.process(10);
    let worker = f.clone_thread(100, 10, 11);
    assert_eq!(f.upid(worker), Some(upid));
    assert_eq!(f.tables.thread.start_ts.get(worker), Some(100));
    assert_eq!(f.tables.thread.is_main_thread.get(worker), Some(0));
    assert!(f.thread_is(worker, "task11"));
    assert_eq!(f.tables.process.start_ts.get(upid), None);
}

#[test]
fn a_new_thread_takes_over_the_tid_of_one_with_a_lost_end() {
    let mut f = Fixture::new();
    let first = f.thread_of(11, 10);
    let second = f.clone_thread(100, 10, 11);
    assert_ne!(first, second);
    assert_eq!(f.thread(11), second);
    assert_eq!(f.thread_of(11, 10), second);
}

#[test]
fn threads_wait_for_the_process_of_the_one_that_made_them() {
    let mut f = Fixture::new();
    let child = f.clone_thread(5, 20, 21);
    let grandchild = f.clone_thread(6, 21, 22);
    assert_eq!(f.upid(child), None);
    let upid = f.process(20);
    assert_eq!((f.upid(child), f.upid(grandchild)), (Some(upid), Some(upid)));
    assert_eq!(f.tables.thread.is_main_thread.get(child), Some(0));
}

#[test]
fn a_waiting_thread_names_its_creator() {
    let mut f = Fixture::new();
    let grandchild = f.clone_thread(6, 21, 22);
    let main = f.clone_thread(5, 21, 20);
    // Of any of them, the process is known for all; the one of the pid is the main thread.
    f.thread_of(22, 20);
    let upid = Some(f.process(20));
    let maker = f.thread(21);
    assert_eq!([grandchild, maker, main].map(|utid| f.upid(utid)), [upid; 3]);
    assert_eq!(f.tables.thread.is_main_thread.get(main), Some(1));
}

#[test]
fn processes_wait_through_the_threads_their_parents_made() {
    let mut f = Fixture::new();
    f.clone_thread(5, 20, 21);
    f.fork(6, 21, 30);
    let child = f.process(30);
    assert_eq!(f.tables.process.parent_upid.get(child), None);
    let parent = f.process(20);
    assert_eq!(f.tables.process.parent_upid.get(child), Some(parent));
}

#[test]
fn threads_of_two_processes_do_not_become_one() {
    let mut f = Fixture::new();
    let [one, two] = [f.thread_of(11, 10), f.thread_of(21, 20)];
    let Fixture { processes, tables, stats } = &mut f;
    processes.pending.share_process(one, two, tables, stats);
    assert_eq!(stats.get(Stat::ProcessTrackerErrors), 1);
    assert_ne!(f.upid(one), f.upid(two));
}

#[test]
fn a_better_name_is_not_overridden() {
    let mut f = Fixture::new();
    let utid = f.thread(3);
    let names = [
        ("kernel", NamePriority::Ftrace, "kernel"),
        ("kernel again", NamePriority::Ftrace, "kernel again"),
        ("proc", NamePriority::ProcessTree, "proc"),
        ("kernel", NamePriority::Ftrace, "proc"),
        ("own", NamePriority::Descriptor, "own"),
        ("proc", NamePriority::ProcessTree, "own"),
        ("own again", NamePriority::Descriptor, "own again"),
    ];
    for (name, priority, expected) in names {
        f.name(utid, name, priority);
        assert!(f.thread_is(utid, expected), "{name} {priority:?}");
    }
}

#[test]
fn no_name_is_no_name() {
    let mut f = Fixture::new();
    let utid = f.thread(3);
    f.name(utid, "kernel", NamePriority::Ftrace);
    f.processes.name_thread(utid, StringId::NULL, NamePriority::Descriptor, &mut f.tables);
    assert!(f.thread_is(utid, "kernel"));
    // Nor does it make its source one that had a say.
    f.name(utid, "proc", NamePriority::ProcessTree);
    assert!(f.thread_is(utid, "proc"));
}

#[test]
fn the_name_of_a_tid_used_again_is_not_kept() {
    let mut f = Fixture::new();
    let first = f.thread(3);
    f.name(first, "own", NamePriority::Descriptor);
    f.end(500, 3);
    let second = f.thread(3);
    assert!(f.tables.thread.name.get(second).is_null());
    f.name(second, "kernel", NamePriority::Ftrace);
    assert!(f.thread_is(second, "kernel") && f.thread_is(first, "own"));
}

#[test]
fn a_process_goes_by_the_new_name_of_its_main_thread() {
    let mut f = Fixture::new();
    let main = f.fork(100, 10, 20);
    let upid = f.process(20);
    let worker = f.thread_of(21, 20);
    f.rename(20, "program");
    f.rename(21, "worker");
    assert!(f.process_is(upid, "program") && f.thread_is(main, "program"));
    assert!(f.thread_is(worker, "worker"));
    // It does even where the thread itself has a better name.
    f.name(main, "own", NamePriority::Descriptor);
    f.rename(20, "other");
    assert!(f.process_is(upid, "other") && f.thread_is(main, "own"));
}

#[test]
fn a_rename_of_a_thread_never_seen_makes_one_of_no_process() {
    let mut f = Fixture::new();
    f.rename(20, "program");
    let utid = f.thread(20);
    assert!(f.thread_is(utid, "program"));
    assert_eq!((f.upid(utid), f.tables.process.len()), (None, 1));
}

#[test]
fn the_first_name_of_a_process_stays_where_asked() {
    let mut f = Fixture::new();
    let upid = f.process(10);
    for name in ["first", "second"] {
        let name = f.text(name);
        f.processes.name_unnamed_process(upid, name, &mut f.tables);
    }
    assert!(f.process_is(upid, "first"));
}

#[test]
fn the_first_start_of_a_process_stays() {
    let mut f = Fixture::new();
    f.fork(100, 10, 20);
    let [forked, other] = [20, 30].map(|pid| f.process(pid));
    for upid in [forked, other] {
        f.processes.start_of_process(upid, None, &mut f.tables);
        f.processes.start_of_process(upid, Some(70), &mut f.tables);
        f.processes.start_of_process(upid, Some(80), &mut f.tables);
    }
    assert_eq!(f.tables.process.start_ts.get(forked), Some(100));
    assert_eq!(f.tables.process.start_ts.get(other), Some(70));
}

#[test]
fn the_first_parent_stays_and_others_are_counted() {
    let mut f = Fixture::new();
    let [child, first, second] = [10, 20, 30].map(|pid| f.process(pid));
    for parent in [first, first, second] {
        f.processes.set_parent(child, parent, &mut f.tables, &mut f.stats);
    }
    assert_eq!(f.tables.process.parent_upid.get(child), Some(first));
    assert_eq!(f.stats.get(Stat::ProcessTrackerParentPidChanged), 1);
}

#[test]
fn a_pid_said_to_be_taken_over_is_another_process() {
    let mut f = Fixture::new();
    let [old, worker] = [f.process(10), f.thread_of(11, 10)];
    let new = f.processes.replace_process(tid(10), &mut f.tables);
    assert_ne!(new, old);
    assert_eq!(f.process(10), new);
    assert!(!f.processes.is_alive(worker, &f.tables));
    assert_eq!(f.tables.process.start_ts.get(new), None);
    assert!(f.tables.process.name.get(new).is_null());
}

#[test]
fn a_tid_said_to_be_taken_over_is_another_thread_of_the_process() {
    let mut f = Fixture::new();
    let old = f.thread_of(11, 10);
    let new = f.processes.replace_thread(tid(11), tid(10), &mut f.tables);
    assert_ne!(new, old);
    assert_eq!(f.upid(new), f.upid(old));
    assert_eq!(f.thread(11), new);
}

#[test]
fn machines_share_no_ids() {
    let mut f = Fixture::new();
    f.processes.add_machine(THERE, &mut f.tables);
    f.processes.idle_is_zero(THERE, &mut f.tables);
    let there = |id| Tid { machine: THERE, id };
    let idle = f.processes.thread(there(0), &mut f.tables);
    assert_ne!(idle, 0);
    assert_eq!(f.tables.thread.is_idle.get(idle), 1);
    assert!(f.thread_is(idle, "swapper"));
    let upid = f.process(10);
    let other = f.processes.process(there(10), &mut f.tables);
    assert_ne!(upid, other);
    assert_eq!(f.tables.process.machine_id.get(other), THERE);
    // A fork or an end there is none here.
    f.processes.end_thread(500, there(10), &mut f.tables);
    assert_eq!(f.tables.process.end_ts.get(upid), None);
    assert_eq!(f.process(10), upid);
}

#[test]
fn ids_of_a_namespace_come_from_their_program() {
    let mut namespaces = Namespaces::default();
    // Two containers: the main thread of each is 1 in there, the other 7.
    namespaces.add_process(tid(100), &[100, 40, 1]);
    assert!(namespaces.add_thread(tid(100), tid(101), &[101, 41, 7]));
    namespaces.add_process(tid(200), &[200, 50, 1]);
    assert!(namespaces.add_thread(tid(200), tid(201), &[201, 51, 7]));
    assert_eq!(namespaces.resolve(tid(100), 1), Some(100));
    assert_eq!(namespaces.resolve(tid(100), 7), Some(101));
    assert_eq!(namespaces.resolve(tid(200), 7), Some(201));
    // Not the ids of the namespaces around it, nor unknown ids.
    assert_eq!(namespaces.resolve(tid(100), 41), None);
    assert_eq!(namespaces.resolve(tid(100), 8), None);
    assert_eq!(namespaces.resolve(tid(300), 1), None);
    assert_eq!(namespaces.resolve(Tid { machine: THERE, id: 100 }, 1), None);
}

#[test]
fn a_thread_in_a_namespace_needs_its_process() {
    let mut namespaces = Namespaces::default();
    assert!(!namespaces.add_thread(tid(100), tid(101), &[101, 7]));
    namespaces.add_process(tid(100), &[100, 1]);
    assert_eq!(namespaces.resolve(tid(100), 7), None);
    // A thread that left out a level has no id in there.
    assert!(namespaces.add_thread(tid(100), tid(102), &[102]));
    assert_eq!(namespaces.resolve(tid(100), 102), None);
}

#[test]
fn a_process_listed_again_has_only_the_threads_listed_again() {
    let mut namespaces = Namespaces::default();
    namespaces.add_process(tid(100), &[100, 1]);
    namespaces.add_thread(tid(100), tid(101), &[101, 7]);
    namespaces.add_process(tid(100), &[100, 1]);
    assert_eq!(namespaces.resolve(tid(100), 7), None);
}
