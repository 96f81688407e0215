//! The frames and samples that the filters and the view leave.

use datafusion::arrow::array::{Array, AsArray};
use datafusion::common::{Result, internal_err};
use regex::Regex;

use super::amount::Amount;
use super::config::{Config, FilterKind};
use super::frames::{Frames, NONE};
use crate::functions::steps::Steps;

/// The frames of a flamegraph before frames of the same name are merged. Samples of hidden frames
/// belong to the nearest caller that is not hidden.
pub(super) struct Kept<A> {
    /// The nearest caller of each frame that is not hidden, or `NONE`. It can be outside of the
    /// view.
    pub callers: Vec<u32>,
    /// Whether a frame is in the view and not hidden.
    pub is_shown: Vec<bool>,
    /// Whether samples end in a shown frame, or in frames that it calls.
    pub has_samples: Vec<bool>,
    /// The sum of the samples that end in a shown frame.
    pub own: Vec<A>,
    /// The same with the samples of the frames that it calls.
    pub total: Vec<A>,
}

/// Bytes of a frame.
pub(super) const fn bytes_of_frame<A>() -> usize {
    4 + 2 + 2 * size_of::<A>() + size_of::<Stack>()
}

/// The frames from the root to a frame.
#[derive(Clone, Copy, Default)]
struct Stack {
    /// The filters of `SHOW_STACK` that match one of the frames.
    shown_by: u64,
    is_dropped: bool,
    is_in_view: bool,
}

impl<A: Amount> Kept<A> {
    /// Applies the filters of `config` to frames with samples of `values`.
    pub(super) fn of(frames: &Frames, config: &Config, values: &[Option<A>]) -> Result<Self> {
        let patterns = Patterns::of(frames, config)?;
        let count = frames.len();
        let mut kept = Self {
            callers: vec![NONE; count],
            is_shown: vec![false; count],
            has_samples: vec![false; count],
            own: vec![A::default(); count],
            total: vec![A::default(); count],
        };
        let mut stacks = vec![Stack::default(); count];
        let mut steps = Steps::default();
        for &frame in &frames.order {
            steps.take(1)?;
            let (at, name) = (frame as usize, frames.names[frame as usize] as usize);
            let mut stack = match frames.callers[at] {
                NONE => Stack { is_in_view: patterns.view.is_none(), ..Stack::default() },
                caller => stacks[caller as usize],
            };
            let is_hidden = patterns.apply(name, &mut stack);
            stacks[at] = stack;
            kept.callers[at] = match frames.callers[at] {
                NONE => NONE,
                caller if patterns.hides(frames.names[caller as usize] as usize) => {
                    kept.callers[caller as usize]
                }
                caller => caller,
            };
            kept.is_shown[at] = stack.is_in_view && !is_hidden;
            let value = values.get(at).copied().flatten().unwrap_or_default();
            if value != A::default() && patterns.keep(stack) {
                kept.add_samples(frame, value)?;
            }
        }
        kept.sum_up(&frames.order, &mut steps)?;
        Ok(kept)
    }

    /// The nearest caller that is shown, or `NONE`.
    pub(super) fn shown_caller(&self, frame: u32) -> u32 {
        match self.callers[frame as usize] {
            NONE => NONE,
            caller if self.is_shown[caller as usize] => caller,
            _ => NONE,
        }
    }

    /// Adds samples that end in a frame of the view.
    fn add_samples(&mut self, frame: u32, value: A) -> Result<()> {
        let owner = match self.is_shown[frame as usize] {
            true => frame,
            false => self.shown_caller(frame),
        };
        // Samples with hidden frames only are in no frame.
        if owner != NONE {
            let own = &mut self.own[owner as usize];
            *own = own.plus(value)?;
            self.has_samples[owner as usize] = true;
        }
        Ok(())
    }

    /// Adds the samples of each frame to those of its callers.
    fn sum_up(&mut self, order: &[u32], steps: &mut Steps) -> Result<()> {
        for &frame in order.iter().rev() {
            steps.take(1)?;
            let at = frame as usize;
            let total = self.total[at].plus(self.own[at])?;
            self.total[at] = total;
            let caller = self.shown_caller(frame);
            if caller != NONE && self.is_shown[at] {
                let sum = &mut self.total[caller as usize];
                *sum = sum.plus(total)?;
                self.has_samples[caller as usize] |= self.has_samples[at];
            }
        }
        Ok(())
    }
}

/// Which names each pattern matches. A name is matched once, however many frames have it.
struct Patterns {
    /// One entry for each filter of `SHOW_STACK`.
    show: Vec<Vec<bool>>,
    /// Whether a name drops the samples with it.
    drops: Vec<bool>,
    /// Whether frames with a name are taken out.
    hides: Vec<bool>,
    /// Whether a view begins with a name.
    view: Option<Vec<bool>>,
}

impl Patterns {
    fn of(frames: &Frames, config: &Config) -> Result<Self> {
        let none = || vec![false; frames.named.len()];
        let mut patterns = Self { show: vec![], drops: none(), hides: none(), view: None };
        for filter in &config.filters {
            let matches = matches(frames, &filter.pattern)?;
            let any = |all: &mut Vec<bool>| {
                all.iter_mut().zip(&matches).for_each(|(any, found)| *any |= found);
            };
            match filter.kind {
                FilterKind::ShowStack => patterns.show.push(matches),
                FilterKind::HideStack => any(&mut patterns.drops),
                FilterKind::HideFrame => any(&mut patterns.hides),
            }
        }
        patterns.view =
            config.view_pattern.as_ref().map(|pattern| matches(frames, pattern)).transpose()?;
        Ok(patterns)
    }

    fn hides(&self, name: usize) -> bool {
        self.hides[name]
    }

    /// Adds a frame to a stack; returns whether the frame is hidden.
    fn apply(&self, name: usize, stack: &mut Stack) -> bool {
        for (bit, matches) in self.show.iter().enumerate() {
            stack.shown_by |= u64::from(matches[name]) << bit;
        }
        stack.is_dropped |= self.drops[name];
        stack.is_in_view |= self.view.as_ref().is_some_and(|view| view[name]);
        self.hides(name)
    }

    /// Whether the samples that end with a stack are kept.
    fn keep(&self, stack: Stack) -> bool {
        let all = stack.shown_by.count_ones() as usize == self.show.len();
        all && !stack.is_dropped && stack.is_in_view
    }
}

/// Whether a pattern matches each name. NULL matches nothing.
fn matches(frames: &Frames, pattern: &Regex) -> Result<Vec<bool>> {
    let names = frames.rows.column_by_name("name").and_then(|names| names.as_string_view_opt());
    let Some(names) = names else { return internal_err!("frames without names") };
    let mut steps = Steps::default();
    let found = frames.named.iter().map(|&frame| -> Result<bool> {
        if names.is_null(frame as usize) {
            return Ok(false);
        }
        let name = names.value(frame as usize);
        steps.take(name.len())?;
        Ok(pattern.is_match(name))
    });
    found.collect()
}
