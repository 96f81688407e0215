//! Frames, GPUs and displays.

pub(crate) mod display_state;
pub(crate) mod frame_timeline;
pub(in crate::decode) mod frame_verdict;
pub(crate) mod gpu_counter_event;
pub(crate) mod gpu_info;
pub(crate) mod gpu_log;
pub(crate) mod gpu_mem_total_event;
pub(crate) mod gpu_render_stage;
pub(crate) mod graphics_frame;
mod unique_args;
pub(crate) mod vulkan_api;
pub(crate) mod vulkan_memory;
