//! States of threads: why they slept, and who woke them.
