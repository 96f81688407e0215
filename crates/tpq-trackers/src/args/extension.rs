//! Descriptors that a trace carries for messages of its own programs.

use std::borrow::Cow;
use std::io::Read;

use tpq_proto::fields::extension_descriptor;
use tpq_proto::wire::LastFields;

use super::{MessagePaths, Unreadable};

/// Descriptors have some hundred kilobytes; inflated data above this size, in bytes, is an error.
const MAX_INFLATED: u64 = 64 << 20;

/// Adds the message types that an `ExtensionDescriptor` packet describes.
///
/// # Errors
/// When the descriptor set cannot be inflated or read.
pub fn describe_extensions(packet: &[u8], messages: &mut MessagePaths) -> Result<(), Unreadable> {
    let descriptor = LastFields::<3>::new(packet);
    let set = match (
        descriptor.get(extension_descriptor::EXTENSION_SET),
        descriptor.get(extension_descriptor::EXTENSION_SET_GZIP),
    ) {
        (Some(set), _) => Cow::Borrowed(set.as_bytes()),
        (None, Some(gzip)) => Cow::Owned(inflate(gzip.as_bytes()).ok_or(Unreadable)?),
        (None, None) => return Ok(()),
    };
    messages.describe(&set).map_err(|_| Unreadable)
}

fn inflate(gzip: &[u8]) -> Option<Vec<u8>> {
    let mut set = Vec::new();
    let mut inflating = flate2::read::GzDecoder::new(gzip).take(MAX_INFLATED);
    let len = inflating.read_to_end(&mut set).ok()?;
    ((len as u64) < MAX_INFLATED).then_some(set)
}
