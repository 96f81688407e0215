//! What the CPUs of a machine are.
