//! Counters of the GPU.
