//! Samples of perf.

pub(in crate::decode) mod perf_counter;
pub(crate) mod perf_sample;
