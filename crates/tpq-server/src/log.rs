//! Events for the operator of the server.

/// Receives events. Called from any thread; must return at once.
pub trait ServerLog: Send + Sync {
    /// A client began to send a trace.
    fn trace_begins(&self) {}
    /// A trace was imported, or could not be.
    fn trace_ends(&self, outcome: Result<&str, &str>) {
        let _ = outcome;
    }
    /// A request was refused: from where it came, and why.
    fn refused(&self, why: &str) {
        let _ = why;
    }
}
