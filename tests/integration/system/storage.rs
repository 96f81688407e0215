//! Disks and file systems.
