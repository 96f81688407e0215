//! Fields of snapshots of windows, layers and views that are no plain args.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_proto::fields::{
    interned_data, layers_snapshot_proto,
    view_capture::{self, view},
    window_container_proto, window_manager_service_dump_proto,
};
use tpq_proto::reflect::DescriptorPool;

const VIEW_CAPTURE: &str = "com.android.internal.ViewCapture";
const VIEW: &str = "com.android.internal.ViewCapture.View";
const LAYERS_SNAPSHOT: &str = "com.android.internal.LayersSnapshotProto";
const WINDOW_CONTAINER: &str = "com.android.internal.WindowContainerProto";
const WINDOW_MANAGER: &str = "com.android.internal.WindowManagerServiceDumpProto";

/// The parts of a snapshot that have rows of their own, by message and field.
const SEPARATE: [(&str, u32); 5] = [
    (LAYERS_SNAPSHOT, layers_snapshot_proto::LAYERS),
    (VIEW_CAPTURE, view_capture::VIEWS),
    (WINDOW_CONTAINER, window_container_proto::CHILDREN),
    (WINDOW_MANAGER, window_manager_service_dump_proto::ROOT_WINDOW_CONTAINER),
    (WINDOW_MANAGER, window_manager_service_dump_proto::WINDOW_CONTAINERS),
];

/// The ids of interned texts, by message and field, with the kind of interned data.
const INTERNED: [(&str, u32, u32); 6] = [
    (VIEW_CAPTURE, view_capture::PACKAGE_NAME_IID, interned_data::VIEWCAPTURE_PACKAGE_NAME),
    (VIEW_CAPTURE, view_capture::WINDOW_NAME_IID, interned_data::VIEWCAPTURE_WINDOW_NAME),
    (VIEW, view::VIEW_ID_IID, interned_data::VIEWCAPTURE_VIEW_ID),
    (VIEW, view::CLASS_NAME_IID, interned_data::VIEWCAPTURE_CLASS_NAME),
    (VIEW, view::CONTENT_DESCRIPTION_IID, interned_data::VIEWCAPTURE_CONTENT_DESCRIPTION),
    (VIEW, view::TEXT_IID, interned_data::VIEWCAPTURE_TEXT),
];

/// The fields, by the index of the message and the number of the field.
pub(super) struct SnapshotFields {
    separate: FxHashSet<(u32, u32)>,
    interned: FxHashMap<(u32, u32), u32>,
}

impl SnapshotFields {
    pub(super) fn new(descriptors: &DescriptorPool) -> Self {
        let message = |name| descriptors.find_message(name);
        let separate = SEPARATE.iter().filter_map(|&(name, field)| Some((message(name)?, field)));
        let interned = INTERNED
            .iter()
            .filter_map(|&(name, field, kind)| Some(((message(name)?, field), kind)));
        Self { separate: separate.collect(), interned: interned.collect() }
    }

    /// Whether the field has rows of its own.
    pub(super) fn is_separate(&self, message: u32, field: u32) -> bool {
        self.separate.contains(&(message, field))
    }

    /// The kind of interned data that the field refers to.
    pub(super) fn interned_kind(&self, message: u32, field: u32) -> Option<u32> {
        self.interned.get(&(message, field)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_described() {
        let fields = SnapshotFields::new(&DescriptorPool::track_event());
        assert_eq!(
            (fields.separate.len(), fields.interned.len()),
            (SEPARATE.len(), INTERNED.len())
        );
    }
}
