//! What keeps a device awake.
