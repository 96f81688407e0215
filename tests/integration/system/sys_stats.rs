//! What is polled of the system.
