//! Frames of Android's compositor, from their beginnings to their ends.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::track::{Sharing, Upid};

/// The state of frames.
#[derive(Default)]
pub struct Frames {
    /// Rows of frames without a seen end, by cookie.
    open: FxHashMap<i64, Sharing>,
    /// Tokens of surface frames of which it is known what was expected.
    expected: FxHashSet<(Upid, i64)>,
    /// Slices of surface frames, by the token of the display frame that will show them.
    surfaces: FxHashMap<i64, Vec<u32>>,
}

impl Frames {
    /// A frame begins.
    pub fn begin(&mut self, cookie: i64, key: Sharing) {
        self.open.insert(cookie, key);
    }

    /// A frame ends: where it lies.
    pub fn end(&mut self, cookie: i64) -> Option<Sharing> {
        self.open.remove(&cookie)
    }

    /// Whether this is the first that is expected of a process's surface frames of a token. All
    /// have the same expectation.
    pub fn expect(&mut self, upid: Upid, token: i64) -> bool {
        self.expected.insert((upid, token))
    }

    /// A surface frame will be shown by a display frame.
    pub fn add_surface(&mut self, display_token: i64, slice: u32) {
        self.surfaces.entry(display_token).or_default().push(slice);
    }

    /// The surface frames that a display frame shows.
    pub fn take_surfaces(&mut self, display_token: i64) -> Vec<u32> {
        self.surfaces.remove(&display_token).unwrap_or_default()
    }
}
