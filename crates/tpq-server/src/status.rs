//! What the server says about itself.

use tpq_proto::message::StatusResult;

/// The version of the protocol that clients compare with their own.
const API_VERSION: i32 = 14;

/// The status of a server that has loaded a trace of this name; an empty name stands for none.
///
/// There is no version code: the Perfetto UI compares it with the version of its own engine.
pub(crate) fn status(trace_name: &str) -> StatusResult {
    StatusResult {
        loaded_trace_name: Some(trace_name.to_owned()),
        human_readable_version: Some(concat!("tpq v", env!("CARGO_PKG_VERSION")).to_owned()),
        api_version: Some(API_VERSION),
        version_code: None,
    }
}
