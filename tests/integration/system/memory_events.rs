//! Memory, as kernel events tell of it.
