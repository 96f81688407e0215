//! Formats other than protobuf.

pub(crate) mod systrace;
