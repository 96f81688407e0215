//! Arguments: sets of keyed values, and the readers that flatten messages, annotations and JSON
//! into them.

mod annotation;
mod extension;
pub mod json;
mod message;
mod message_paths;
mod set;
mod snapshot_fields;
mod syscall;

pub use annotation::{ANNOTATIONS, add_annotations_of_event, check_annotations_of_event};
pub use extension::describe_extensions;
pub use message::{MAX_DEPTH, MessageArgs, MessageTables, Unreadable};
pub use message_paths::{
    ArgKey, LocationKeys, MessagePath, MessagePaths, NoPath, PathId, SourceLocation, Special,
};
pub use set::{Annotated, Arg, ArgSet, ArgValue, JsonOrigin, SetPart};
pub use syscall::add_syscall_args;
