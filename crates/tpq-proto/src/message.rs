//! The rare messages of a trace as owned Rust types, generated from `protos/`.
//!
//! A trace contains few of these messages: configuration, counts, descriptors of processes and
//! tracks, interned strings. They are read with [`decode`](crate::decode()). Frequent ones
//! (packets, events, annotations) have no type here; they are read in place with
//! [`wire`](crate::wire).
#![allow(missing_docs, clippy::all, reason = "generated; a field is explained by its name")]

include!(concat!(env!("OUT_DIR"), "/perfetto.protos.rs"));
