//! The byte pipe: requests and replies as messages in two streams of bytes.

mod connection;
mod framing;
mod methods;
mod replies;

pub(crate) use self::connection::{EndOfInput, connect};
pub(crate) use self::methods::{NO_METRICS, appended};
