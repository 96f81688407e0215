//! What the messages of `protos/` look like, for code that handles any of them.

use std::sync::LazyLock;

use prost::Name;
use prost_reflect::{DescriptorPool, MessageDescriptor};

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
    // Written by the build itself; a test below reads it.
    DescriptorPool::decode(bytes.as_slice()).unwrap_or_default()
});

/// The fields of `M`, by number.
pub(crate) fn of<M: Name>() -> Option<MessageDescriptor> {
    POOL.get_message_by_name(&M::full_name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{InternedData, TraceConfig};

    #[test]
    fn the_pool_holds_the_messages() {
        let config = of::<TraceConfig>().map(|config| config.full_name().to_owned());
        assert_eq!(config.as_deref(), Some("perfetto.protos.TraceConfig"));
        assert!(of::<InternedData>().is_some());
    }
}
