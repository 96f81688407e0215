//! Samples of profilers, and what names the code in their call stacks.

pub(crate) mod binaries;
pub(crate) mod deobfuscation;
pub(in crate::decode) mod inline_stack;
pub(in crate::decode) mod name_mapping;
pub(in crate::decode) mod package_paths;
pub(in crate::decode) mod perf_counter;
pub(crate) mod perf_sample;
pub(crate) mod proguard;
pub(in crate::decode) mod sample_counters;
pub(crate) mod stack_sample;
pub(crate) mod streaming_profile;
pub(crate) mod symbols;
pub(crate) mod v8;
