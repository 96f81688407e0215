//! The cold messages of a trace as owned Rust types, generated from `protos/`.
//!
//! These are the messages of which a trace holds few: configuration, counts, descriptors of
//! processes and tracks, interned strings. They are read with [`decode`](crate::decode()). Hot
//! ones (packets, events, annotations) have no type here; they are read where they lie, with
//! [`wire`](crate::wire).
#![allow(missing_docs, clippy::all, reason = "generated; a field is explained by its name")]

include!(concat!(env!("OUT_DIR"), "/perfetto.protos.rs"));
