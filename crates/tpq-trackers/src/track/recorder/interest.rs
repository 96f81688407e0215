//! From when on a recording is of interest, where it says.

/// Remembers the beginning, and whether what lies before it is dropped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interest {
    crop: bool,
    /// In trace time.
    start: Option<i64>,
}

impl Interest {
    /// Creates the state; `crop` drops what lies before the beginning.
    pub fn new(crop: bool) -> Self {
        Self { crop, start: None }
    }

    /// A recording is of interest from `start` on, ns of trace time.
    pub fn begin(&mut self, start: i64) {
        self.start = Some(start);
    }

    /// Whether a moment lies before and is to be dropped.
    pub fn drops(self, ts: i64) -> bool {
        self.crop && self.start.is_some_and(|start| ts < start)
    }
}
