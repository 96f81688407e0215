//! What is polled of processes.
