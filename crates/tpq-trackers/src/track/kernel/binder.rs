//! Transactions of binder, Android's calls between processes: which were sent and not yet
//! received, and how far each thread is in the calls it makes and serves.
//!
//! A call is two transactions: one that carries it to a thread of another process, and one that
//! carries the reply back. A call in one direction is a single transaction. Threads serve calls
//! while they wait for replies themselves, so each has a stack. The driver's commands state how a
//! call went on where transactions alone do not, in the first place when it failed.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::args::ArgSet;
use crate::track::Utid;

/// A transaction that was sent.
#[derive(Clone, Debug)]
pub struct Transaction {
    /// It carries a reply.
    pub is_reply: bool,
    /// No thread waits for a reply.
    pub one_way: bool,
    /// The known facts.
    pub args: ArgSet,
    /// The track of the thread that sent it.
    pub track: u32,
    /// The slice in which it was sent.
    pub slice: Option<u32>,
}

/// Commands from a thread to the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// Send a call.
    Transaction,
    /// Send the reply to a call.
    Reply,
}

/// Commands from the driver to a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Return {
    /// Here is a call.
    Transaction,
    /// The pending transaction is sent.
    Complete,
    /// Here is the reply.
    Reply,
    /// There will be none.
    Failed,
}

/// How far a thread is in a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The caller is about to send it.
    Sending,
    /// The caller sent it.
    Sent,
    /// The driver confirmed that.
    Confirmed,
    /// The caller has the reply.
    Replied,
    /// The callee has it.
    Received,
    /// The driver handed it over.
    Serving,
    /// The callee is about to reply.
    Replying,
    /// The callee replied.
    ReplySent,
}

#[derive(Clone, Copy, Debug)]
struct Call {
    stage: Stage,
    /// Whether the caller waits for a reply; unknown until the transaction was seen.
    waits: Option<bool>,
    one_way: bool,
}

/// Follows binder.
#[derive(Default)]
pub struct Binder {
    /// Transactions by the driver's number.
    sent: FxHashMap<i32, Transaction>,
    /// The open transactions of each thread, outermost first.
    calls: FxHashMap<Utid, Vec<Call>>,
    /// Threads that wait for the driver's lock.
    waiting: FxHashSet<Utid>,
    /// Threads that hold it.
    holding: FxHashSet<Utid>,
}

impl Binder {
    /// A thread sent a transaction.
    pub fn send(&mut self, id: i32, sender: Utid, transaction: Transaction) {
        let (is_reply, one_way) = (transaction.is_reply, transaction.one_way);
        self.sent.insert(id, transaction);
        let Some(call) = self.innermost(sender) else { return };
        let next = match call.stage {
            Stage::Sending => Stage::Sent,
            Stage::Replying => Stage::ReplySent,
            // Without the driver's commands the reply is the last that is seen of a call.
            Stage::Received => return self.leave(sender),
            _ => return,
        };
        *call = Call { stage: next, waits: Some(!is_reply && !one_way), one_way };
    }

    /// A thread received the transaction of that number, if its sending was seen.
    pub fn receive(&mut self, id: i32, receiver: Utid) -> Option<Transaction> {
        let transaction = self.sent.remove(&id)?;
        if transaction.one_way {
            return Some(transaction);
        }
        if !transaction.is_reply {
            self.enter(receiver, Stage::Received, Some(true));
        } else if let Some(call) = self.innermost(receiver)
            && call.stage == Stage::Confirmed
        {
            call.stage = Stage::Replied;
        }
        Some(transaction)
    }

    /// A thread sent a command to the driver.
    pub fn command(&mut self, thread: Utid, command: Command) {
        match command {
            Command::Transaction => self.enter(thread, Stage::Sending, None),
            Command::Reply => self.advance(thread, Stage::Serving, Stage::Replying),
        }
    }

    /// The driver sent a command to a thread. Whether the thread thereby stops waiting for a reply
    /// that will not come.
    pub fn returned(&mut self, thread: Utid, what: Return) -> bool {
        let Some(&mut call) = self.innermost(thread) else { return false };
        match (what, call.stage) {
            (Return::Transaction, Stage::Received) => {
                self.advance(thread, Stage::Received, Stage::Serving);
            }
            (Return::Complete, Stage::Sent) if call.waits.is_some() && !call.one_way => {
                self.advance(thread, Stage::Sent, Stage::Confirmed);
            }
            (Return::Complete, Stage::ReplySent | Stage::Sending | Stage::Sent)
            | (Return::Reply, Stage::Replied)
            | (Return::Failed, Stage::Sending) => self.leave(thread),
            (
                Return::Failed,
                Stage::Replying | Stage::Sent | Stage::ReplySent | Stage::Confirmed,
            ) => {
                self.leave(thread);
                return call.waits == Some(true);
            }
            _ => {}
        }
        false
    }

    /// A thread begins to wait for the lock.
    pub fn wait(&mut self, thread: Utid) {
        self.waiting.insert(thread);
    }

    /// A thread got the lock. Whether it was seen to wait for it.
    pub fn lock(&mut self, thread: Utid) -> bool {
        let waited = self.waiting.remove(&thread);
        if waited {
            self.holding.insert(thread);
        }
        waited
    }

    /// A thread gives the lock back. Whether it was seen to get it.
    pub fn unlock(&mut self, thread: Utid) -> bool {
        self.holding.remove(&thread)
    }

    fn innermost(&mut self, thread: Utid) -> Option<&mut Call> {
        self.calls.get_mut(&thread)?.last_mut()
    }

    fn enter(&mut self, thread: Utid, stage: Stage, waits: Option<bool>) {
        let call = Call { stage, waits, one_way: false };
        self.calls.entry(thread).or_default().push(call);
    }

    fn advance(&mut self, thread: Utid, from: Stage, to: Stage) {
        if let Some(call) = self.innermost(thread)
            && call.stage == from
        {
            call.stage = to;
        }
    }

    fn leave(&mut self, thread: Utid) {
        if let Some(calls) = self.calls.get_mut(&thread) {
            calls.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transaction(is_reply: bool, one_way: bool) -> Transaction {
        Transaction { is_reply, one_way, args: ArgSet::default(), track: 0, slice: None }
    }

    #[test]
    fn a_failed_call_ends_the_wait_for_its_reply() {
        let mut binder = Binder::default();
        binder.command(1, Command::Transaction);
        binder.send(7, 1, transaction(false, false));
        assert!(!binder.returned(1, Return::Complete));
        assert!(binder.returned(1, Return::Failed));
        assert!(!binder.returned(1, Return::Failed), "there is nothing left to fail");
    }

    #[test]
    fn calls_that_failed_before_sending_have_no_wait() {
        let mut binder = Binder::default();
        binder.command(1, Command::Transaction);
        assert!(!binder.returned(1, Return::Failed));
        binder.command(1, Command::Transaction);
        binder.send(7, 1, transaction(false, true));
        assert!(!binder.returned(1, Return::Failed), "a call in one direction");
    }

    #[test]
    fn a_call_made_while_serving_another_fails_alone() {
        let mut binder = Binder::default();
        binder.send(7, 1, transaction(false, false));
        assert!(binder.receive(7, 2).is_some());
        assert!(!binder.returned(2, Return::Transaction));
        binder.command(2, Command::Transaction);
        binder.send(8, 2, transaction(false, false));
        assert!(binder.returned(2, Return::Failed));
        binder.command(2, Command::Reply);
        binder.send(9, 2, transaction(true, false));
        assert!(!binder.returned(2, Return::Complete));
        assert!(binder.calls.values().all(Vec::is_empty));
    }

    #[test]
    fn without_commands_nothing_is_kept() {
        let mut binder = Binder::default();
        binder.send(7, 1, transaction(false, false));
        assert!(binder.receive(7, 2).is_some());
        binder.send(8, 2, transaction(true, false));
        assert!(binder.receive(8, 1).is_some_and(|reply| reply.is_reply));
        assert!(binder.receive(8, 1).is_none());
        assert!(binder.calls.values().all(Vec::is_empty));
    }
}
