//! Snapshots of the window manager: a tree of containers of windows.

use rustc_hash::FxHashMap;
use tpq_proto::fields::{
    identifier_proto, root_window_container_proto, window_container_child_proto,
    window_container_proto, window_manager_service_dump_proto, window_manager_trace_entry,
};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::Stat;
use tpq_tables::table::{WindowContainerRow, WindowManagerRow, WinscopeTraceRectRow};

use super::context::{DecodeContext, messages};
use super::geometry::Transform;
use super::window_container::{self, Container, WindowRect};

const ENTRY: &str = "com.android.internal.WindowManagerTraceEntry";
const ROOT: &str = "com.android.internal.RootWindowContainerProto";
const CHILD: &str = "com.android.internal.WindowContainerChildProto";
const ERRORS: Stat = Stat::WinscopeWindowmanagerParseErrors;
/// Containers within containers deeper than this are left out and counted.
const MAX_LEVELS: usize = 64;

/// A place among the children of a container.
#[derive(Clone, Copy)]
struct ChildOf {
    token: i32,
    index: u32,
}

/// Adds the containers of a snapshot.
struct Containers<'c, 'a, 'p> {
    context: &'c mut DecodeContext<'a, 'p>,
    snapshot_id: u32,
    /// The display of the containers that come next.
    display: i32,
    /// The depth of the next window on it.
    depth: u32,
}

pub(super) fn decode(message: &[u8], context: &mut DecodeContext<'_, '_>) {
    let entry = LastFields::<4>::new(message);
    let service = entry.bytes(window_manager_trace_entry::WINDOW_MANAGER_SERVICE);
    let service = LastFields::<15>::new(service);
    let elapsed = entry.uint(window_manager_trace_entry::ELAPSED_REALTIME_NANOS);
    let focused = service.int(window_manager_service_dump_proto::FOCUSED_DISPLAY_ID);
    let row = WindowManagerRow {
        ts: context.packet.ts(),
        arg_set_id: context.arg_set(message, ENTRY, ERRORS),
        base64_proto_id: Some(context.number(message)),
        focused_display_id: focused as i32 as u32,
        has_invalid_elapsed_ts: u32::from(elapsed == 0),
    };
    let snapshot_id = context.tables.windowmanager.push(row);
    let mut containers = Containers { context, snapshot_id, display: -1, depth: 0 };
    let root = service.bytes(window_manager_service_dump_proto::ROOT_WINDOW_CONTAINER);
    let is_list = service.has(window_manager_service_dump_proto::WINDOW_CONTAINERS);
    let holder = containers.add_root(root);
    match (is_list, holder) {
        (true, _) => {
            let service = entry.bytes(window_manager_trace_entry::WINDOW_MANAGER_SERVICE);
            containers.add_list(root, service);
        }
        (false, Some((token, holder))) => containers.add_children(token, holder, MAX_LEVELS),
        (false, None) => {}
    }
}

impl<'a> Containers<'_, 'a, '_> {
    /// Adds the root, and returns its token and the message with its children.
    fn add_root<'m>(&mut self, message: &'m [u8]) -> Option<(i32, &'m [u8])> {
        let root = LastFields::<2>::new(message);
        let holder = root.bytes(root_window_container_proto::WINDOW_CONTAINER);
        let Some(container) = window_container::of_root(holder) else {
            self.context.stats.increment(ERRORS);
            return None;
        };
        let token = container.token;
        self.add(message, ROOT, &container, None);
        Some((token, holder))
    }

    /// Adds the containers that lie within another one.
    fn add_children(&mut self, token: i32, holder: &[u8], levels: usize) {
        let children = messages(holder, window_container_proto::CHILDREN);
        for (index, child) in (0..).zip(children) {
            let Some(container) = window_container::read(child) else {
                self.context.stats.increment(ERRORS);
                continue;
            };
            self.add(child, CHILD, &container, Some(ChildOf { token, index }));
            match levels.checked_sub(1) {
                Some(levels) => self.add_children(container.token, container.holder, levels),
                None => self.context.stats.increment(ERRORS),
            }
        }
    }

    /// Adds the containers of newer systems, which lie side by side and name their children.
    fn add_list(&mut self, root: &[u8], service: &[u8]) {
        let root = LastFields::<2>::new(root);
        let holder = root.bytes(root_window_container_proto::WINDOW_CONTAINER);
        let mut places = FxHashMap::default();
        note_children(holder, &mut places);
        let list = window_manager_service_dump_proto::WINDOW_CONTAINERS;
        for child in messages(service, list) {
            if let Some(container) = window_container::read(child) {
                note_children(container.holder, &mut places);
            }
        }
        for child in messages(service, list) {
            let stated = Fields::new(child)
                .find(|field| field.number == window_container_child_proto::TOKEN);
            let stated = stated.map(|field| field.as_i32());
            let container = window_container::read(child);
            let place = container
                .as_ref()
                .and_then(|container| places.get(&stated.unwrap_or(container.token)).copied());
            match (container, place) {
                (Some(container), Some(place)) => self.add(child, CHILD, &container, Some(place)),
                _ => self.context.stats.increment(ERRORS),
            }
        }
    }

    fn add(
        &mut self,
        message: &[u8],
        type_name: &str,
        container: &Container<'_>,
        place: Option<ChildOf>,
    ) {
        if let Some(display) = container.display {
            (self.display, self.depth) = (display, 0);
        }
        let context = &mut *self.context;
        let title = context.tables.strings.intern_bytes(&container.title);
        let name_override = match &container.name_override {
            Some(name) => context.tables.strings.intern_bytes(name),
            None => tpq_tables::StringId::NULL,
        };
        let window_rect_id = container.rect.as_ref().map(|rect| {
            let row = add_rect(rect, self.display, self.depth, context);
            self.depth = self.depth.saturating_add(1);
            row
        });
        let row = WindowContainerRow {
            snapshot_id: self.snapshot_id,
            arg_set_id: context.arg_set(message, type_name, ERRORS),
            base64_proto_id: Some(context.number(message)),
            title,
            token: container.token,
            parent_token: place.map(|place| place.token),
            child_index: place.map(|place| place.index),
            is_visible: Some(u32::from(container.is_visible)),
            window_rect_id,
            container_type: context.tables.strings.intern(container.kind),
            name_override,
        };
        context.tables.windowmanager_windowcontainer.push(row);
    }
}

fn add_rect(
    rect: &WindowRect,
    display: i32,
    depth: u32,
    context: &mut DecodeContext<'_, '_>,
) -> u32 {
    let row = WinscopeTraceRectRow {
        rect_id: context.rect_row(&rect.rect),
        group_id: display as u32,
        depth,
        is_visible: u32::from(rect.is_visible),
        opacity: rect.opacity,
        transform_id: Some(context.transform_row(&Transform::IDENTITY)),
        ..WinscopeTraceRectRow::default()
    };
    context.tables.winscope_trace_rect.push(row)
}

/// Notes the places of the children that a container names.
fn note_children(holder: &[u8], places: &mut FxHashMap<i32, ChildOf>) {
    let fields = LastFields::<7>::new(holder);
    let identifier = LastFields::<2>::new(fields.bytes(window_container_proto::IDENTIFIER));
    let token = identifier.int(identifier_proto::HASH_CODE) as i32;
    let children = Fields::new(holder)
        .filter(|field| field.number == window_container_proto::CHILD_TOKENS)
        .flat_map(|field| repeated(&field).collect::<Vec<_>>());
    for (index, child) in (0..).zip(children) {
        places.insert(child as i32, ChildOf { token, index });
    }
}
