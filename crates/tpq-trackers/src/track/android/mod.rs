//! Android packages.

pub(in crate::track) mod packages;
