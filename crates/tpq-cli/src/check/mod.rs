//! Reports lost data, the rows of `data_loss`, as text or as JSON.

mod json;
mod text;

pub use json::json;
pub use text::text;
