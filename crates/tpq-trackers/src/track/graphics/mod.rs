//! Frames, GPUs and buffers.

pub(in crate::track) mod buffer;
pub(in crate::track) mod frames;
pub(in crate::track) mod gpu;
pub(in crate::track) mod render_stage;
