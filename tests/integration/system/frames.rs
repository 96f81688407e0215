//! Frames as the compositor expected and saw them.
