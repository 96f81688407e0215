//! The kinds of containers of windows.

use tpq_proto::fields::{
    activity_record_proto, display_area_proto, display_content_proto, display_info_proto,
    identifier_proto, task_fragment_proto, task_proto, window_container_child_proto as child,
    window_container_proto, window_frames_proto, window_layout_params_proto, window_state_proto,
    window_token_proto,
};
use tpq_proto::wire::{Fields, LastFields};

use super::geometry::Rect;

/// Titles of windows that stand for another begin with one of these.
const STAND_INS: [&[u8]; 2] = [b"Starting ", b"Waiting For Debugger: "];

/// A container as its message describes it.
pub(super) struct Container<'a> {
    pub(super) kind: &'static str,
    pub(super) title: Vec<u8>,
    pub(super) token: i32,
    pub(super) is_visible: bool,
    pub(super) rect: Option<WindowRect>,
    pub(super) name_override: Option<Vec<u8>>,
    /// The id of the display, if it is one.
    pub(super) display: Option<i32>,
    /// The message with its children, a `WindowContainerProto`.
    pub(super) holder: &'a [u8],
}

/// The area of a display or a window.
pub(super) struct WindowRect {
    pub(super) rect: Rect,
    pub(super) is_visible: bool,
    pub(super) opacity: Option<f64>,
}

/// Reads the root; `None` if it lacks what identifies it.
pub(super) fn of_root(holder: &[u8]) -> Option<Container<'_>> {
    titled("RootWindowContainer", holder)
}

/// Reads a `WindowContainerChildProto`; `None` if it lacks what identifies it.
pub(super) fn read(message: &[u8]) -> Option<Container<'_>> {
    let kinds = LastFields::<10>::new(message);
    let of_kind = |number| kinds.get(number).map(|field| field.as_bytes());
    if let Some(message) = of_kind(child::WINDOW_CONTAINER) {
        return titled("WindowContainer", message);
    }
    if let Some(message) = of_kind(child::DISPLAY_CONTENT) {
        return display_content(message);
    }
    if let Some(message) = of_kind(child::DISPLAY_AREA) {
        return display_area(message);
    }
    if let Some(message) = of_kind(child::TASK) {
        return task(message);
    }
    if let Some(message) = of_kind(child::ACTIVITY) {
        return activity(message);
    }
    if let Some(message) = of_kind(child::WINDOW_TOKEN) {
        return window_token(message);
    }
    if let Some(message) = of_kind(child::WINDOW) {
        return window(message);
    }
    let fragment = LastFields::<2>::new(of_kind(child::TASK_FRAGMENT)?);
    titled("TaskFragment", fragment.bytes(task_fragment_proto::WINDOW_CONTAINER))
}

/// The parts of a `WindowContainerProto`.
struct Holder<'a> {
    message: &'a [u8],
    is_visible: bool,
    hash_code: Option<i32>,
    title: Option<&'a [u8]>,
}

impl<'a> Holder<'a> {
    fn read(message: &'a [u8]) -> Self {
        let fields = LastFields::<7>::new(message);
        let identifier = LastFields::<4>::new(fields.bytes(window_container_proto::IDENTIFIER));
        Self {
            message,
            is_visible: fields.uint(window_container_proto::VISIBLE) != 0,
            hash_code: identifier.get(identifier_proto::HASH_CODE).map(|field| field.as_i32()),
            title: identifier.get(identifier_proto::TITLE).map(|field| field.as_bytes()),
        }
    }

    fn container(&self, kind: &'static str, title: &[u8], token: i32) -> Container<'a> {
        Container {
            kind,
            title: title.to_vec(),
            token,
            is_visible: self.is_visible,
            rect: None,
            name_override: None,
            display: None,
            holder: self.message,
        }
    }
}

/// A container that states its own title and token.
fn titled<'a>(kind: &'static str, holder: &'a [u8]) -> Option<Container<'a>> {
    let holder = Holder::read(holder);
    Some(holder.container(kind, holder.title?, holder.hash_code?))
}

fn display_content(message: &[u8]) -> Option<Container<'_>> {
    let display = LastFields::<22>::new(message);
    let area = LastFields::<2>::new(display.bytes(display_content_proto::ROOT_DISPLAY_AREA));
    let holder = Holder::read(area.bytes(display_area_proto::WINDOW_CONTAINER));
    let info = LastFields::<6>::new(display.bytes(display_content_proto::DISPLAY_INFO));
    let size = |number| f64::from(info.int(number) as i32);
    let (w, h) =
        (size(display_info_proto::LOGICAL_WIDTH), size(display_info_proto::LOGICAL_HEIGHT));
    let title = info.get(display_info_proto::NAME)?.as_bytes();
    let rect = Rect { x: 0.0, y: 0.0, w, h };
    Some(Container {
        rect: Some(WindowRect { rect, is_visible: false, opacity: None }),
        display: Some(display.int(display_content_proto::ID) as i32),
        ..holder.container("DisplayContent", title, holder.hash_code?)
    })
}

fn display_area(message: &[u8]) -> Option<Container<'_>> {
    let area = LastFields::<3>::new(message);
    let holder = Holder::read(area.bytes(display_area_proto::WINDOW_CONTAINER));
    let title = area.get(display_area_proto::NAME)?.as_bytes();
    Some(holder.container("DisplayArea", title, holder.hash_code?))
}

/// A task is a container itself, and in newer systems a task fragment that is one.
fn task(message: &[u8]) -> Option<Container<'_>> {
    let task = LastFields::<33>::new(message);
    let own = task.bytes(task_proto::WINDOW_CONTAINER);
    let fragment = LastFields::<2>::new(task.bytes(task_proto::TASK_FRAGMENT));
    let of_fragment = fragment.get(task_fragment_proto::WINDOW_CONTAINER);
    let of_fragment = of_fragment.map(|field| field.as_bytes());
    let container = titled("Task", of_fragment.unwrap_or(own))?;
    let has_children = |holder: &[u8]| {
        Fields::new(holder).any(|field| field.number == window_container_proto::CHILDREN)
    };
    let name_override = task.get(task_proto::ID).map(|id| {
        let name = task.bytes(task_proto::TASK_NAME);
        let mut shown = id.as_i32().to_string().into_bytes();
        if !name.is_empty() {
            shown.extend([b"(", name, b")"].concat());
        }
        shown
    });
    let holder = match of_fragment.filter(|it| has_children(it)) {
        Some(of_fragment) => of_fragment,
        None if has_children(own) => own,
        None => container.holder,
    };
    Some(Container { name_override, holder, ..container })
}

fn activity(message: &[u8]) -> Option<Container<'_>> {
    let activity = LastFields::<25>::new(message);
    let token = LastFields::<3>::new(activity.bytes(activity_record_proto::WINDOW_TOKEN));
    let holder = Holder::read(token.bytes(window_token_proto::WINDOW_CONTAINER));
    let title = activity.get(activity_record_proto::NAME)?.as_bytes();
    let token = token.get(window_token_proto::HASH_CODE)?.as_i32();
    let is_visible = activity.uint(activity_record_proto::VISIBLE) != 0;
    Some(Container { is_visible, ..holder.container("Activity", title, token) })
}

/// A window token has no title but its number.
fn window_token(message: &[u8]) -> Option<Container<'_>> {
    let token = LastFields::<3>::new(message);
    let holder = Holder::read(token.bytes(window_token_proto::WINDOW_CONTAINER));
    let token = token.get(window_token_proto::HASH_CODE)?.as_i32();
    let title = format!("{:#04x}", token as u32);
    Some(holder.container("WindowToken", title.as_bytes(), token))
}

fn window(message: &[u8]) -> Option<Container<'_>> {
    let window = LastFields::<42>::new(message);
    let container = titled("WindowState", window.bytes(window_state_proto::WINDOW_CONTAINER))?;
    let frames = LastFields::<6>::new(window.bytes(window_state_proto::WINDOW_FRAMES));
    let rect = Rect::read(frames.bytes(window_frames_proto::FRAME));
    let attributes = LastFields::<13>::new(window.bytes(window_state_proto::ATTRIBUTES));
    let opacity = Some(attributes.real(window_layout_params_proto::ALPHA));
    let is_visible = window.uint(window_state_proto::IS_VISIBLE) != 0;
    let stand_in = STAND_INS.iter().find_map(|prefix| container.title.strip_prefix(*prefix));
    let name_override = stand_in.map(<[u8]>::to_vec);
    let rect = Some(WindowRect { rect, is_visible, opacity });
    Some(Container { is_visible, rect, name_override, ..container })
}
